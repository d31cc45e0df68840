"""`crossdoc demo`: the first thing that anybody tries."""

import os
import re


def test_demo(crossdoc, tmp_path):
    compiled = tmp_path / "compiled"
    ran = crossdoc("demo", cwd=tmp_path, env={**os.environ, "NUMBA_CACHE_DIR": str(compiled)})
    assert ran.code == 0, ran.err
    assert (tmp_path / "demo.crossdoc").exists()
    assert "John Smith: " in ran.out
    assert "crossdoc show demo.crossdoc" in ran.out
    page = tmp_path / "demo.html"
    assert page.as_uri() in ran.out
    assert "John Smith" in page.read_text()
    assert "\x1b" not in ran.out + ran.err
    assert float(re.search(r"B³ (0\.\d+)", ran.out)[1]) > 0.7
    # It would take longer than the rest of the demo.
    assert not compiled.exists()
