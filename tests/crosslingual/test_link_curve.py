"""Curves of precision and recall."""

import pytest

from crossdoc.crosslingual import LinkDetector, sweep_biases
from crossdoc.crosslingual.link_curve import curve, plot, table


def test_a_curve(groups, gold, tmp_path):
    detector = LinkDetector().compare(groups)
    biases = sweep_biases(detector.relations_, detector.pairs_, until=1.0)
    points = curve(detector, gold, biases)
    assert [point.bias for point in points] == sorted(biases.tolist(), reverse=True)
    assert points[0].links == 1
    assert points[0].precision == 1
    assert max(point.f1 for point in points) == 1
    assert table(points).column_names[:5] == ["bias", "positive_share", "precision", "recall", "f1"]
    pytest.importorskip("matplotlib")
    for ending in ("svg", "png"):
        plot({"LP": points}, tmp_path / f"curve.{ending}", ("chosen", points[0]))
        assert (tmp_path / f"curve.{ending}").stat().st_size > 1000
    plot({"LP": points}, tmp_path / "again.svg", ("chosen", points[0]))
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "curve.svg").read_bytes()
