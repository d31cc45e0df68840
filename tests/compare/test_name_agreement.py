import numpy as np
import pytest

from crossdoc.compare.name_agreement import agreement, clashes_and_worth

EVIDENCE = {"part": 0.1, "variant": 0.2, "same": 0.3}


@pytest.mark.parametrize(
    ("a", "b", "entity_type", "wanted"),
    [
        ("John Smith", "John Smith", "person", "same"),
        ("Bill Clinton", "William J. Clinton", "person", "variant"),
        ("R. J. Okafor", "Robert Okafor", "person", "variant"),
        ("Mr. Smith", "John Smith", "person", "part"),
        ("George W. Bush", "George H. W. Bush", "person", "clash"),
        ("John Smith Jr.", "John Smith Sr.", "person", "clash"),
        ("Mr. Clinton", "Mrs. Clinton", "person", "clash"),
        ("John Smith", "John Jones", "person", "clash"),
        ("NCA", "National Cycling Association", "organisation", "variant"),
        ("General Motors Corp.", "General Motors", "organisation", "same"),
        ("Ford", "Fiat", "organisation", "clash"),
        ("Paris", "PARIS", "place", "same"),
    ],
)
def test_agreement(a, b, entity_type, wanted):
    assert agreement(a, b, entity_type) == wanted
    assert agreement(b, a, entity_type) == wanted


def test_worth_of_names_and_clashes():
    names = ["Bill Clinton", "William Clinton", "Clinton", "Hillary Clinton"]
    worth, clashes = clashes_and_worth(names, "person", EVIDENCE)
    assert worth[0, 1] == pytest.approx(0.2)
    assert worth[0, 2] == pytest.approx(0.1)
    assert worth[0, 3] == 0
    assert {tuple(pair) for pair in clashes} == {(0, 3), (1, 3)}
    np.testing.assert_array_equal(worth, worth.T)


def test_each_pair_of_clashing_names_comes_once_and_no_name_clashes_with_itself():
    worth, clashes = clashes_and_worth(["Ann Li", "Bob Li", "Ann Li"], "person", EVIDENCE)
    assert clashes.tolist() == [[0, 1], [1, 2]]
    assert worth[0, 2] == pytest.approx(0.3)
    worth, clashes = clashes_and_worth(["Rome", "Rome", "Paris"], None, EVIDENCE)
    assert clashes.tolist() == [[0, 2], [1, 2]]
    assert worth[0, 1] == pytest.approx(0.3)
    assert clashes_and_worth(["", ""], "place", EVIDENCE)[1].tolist() == [[0, 1]]
    none = clashes_and_worth([], None, EVIDENCE)
    assert (none[0].shape, none[1].shape) == ((0, 0), (0, 2))
