"""The notebooks: their outputs are kept, small and free of this machine's paths, and they run from top to bottom."""

import json
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LARGEST = 300_000
SMALL = {
    "CROSSDOC_NOTEBOOK_MENTIONS": "8000",
    "CROSSDOC_NOTEBOOK_SECONDS": "60",
    "CROSSDOC_NOTEBOOK_SIZES": "16 32",
}
pytestmark = pytest.mark.skipif(not NOTEBOOKS, reason="the notebooks are not in the sdist")


def cells(notebook: Path) -> list[dict]:
    return [cell for cell in json.loads(notebook.read_text())["cells"] if cell["cell_type"] == "code"]


def text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["john_smith", "million_mentions", "paper_table"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_kept_and_small(notebook):
    assert notebook.stat().st_size < LARGEST
    assert [cell["execution_count"] for cell in cells(notebook)] == list(range(1, len(cells(notebook)) + 1))
    outputs = [output for cell in cells(notebook) for output in cell["outputs"]]
    assert [output["ename"] for output in outputs if output["output_type"] == "error"] == []
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 2
    assert re.search(r"(?<![\w.])/(tmp|home|root|work|Users)/", notebook.read_text()) is None


def test_every_knob_of_the_tests_is_one():
    assert {knob for path in NOTEBOOKS for knob in re.findall(r"CROSSDOC_NOTEBOOK_\w+", path.read_text())} == set(SMALL)


def test_no_text_of_the_data_is_kept(corpus_folder):
    """Of the real John Smith corpus: no run of five words of an article is in the outputs."""
    from corpora import john_smith

    kept = " ".join(
        re.sub(r"[^a-z]+", " ", json.dumps(cell["outputs"]).lower())
        for cell in cells(ROOT / "notebooks" / "john_smith.ipynb")
        if "CROSSDOC_DATA" in text(cell["source"])
    )
    words = kept.split()
    shown = {tuple(words[at : at + 5]) for at in range(len(words) - 4)}
    for article in john_smith.documents(corpus_folder("john_smith")):
        own = re.sub(r"[^a-z]+", " ", article.text.lower()).split()
        assert not shown & {tuple(own[at : at + 5]) for at in range(len(own) - 4)}


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(notebook, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    for name, value in SMALL.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")])))
    read = nbformat.read(notebook, as_version=4)
    client = nbclient.NotebookClient(read, timeout=900, resources={"metadata": {"path": str(ROOT / "notebooks")}})
    ran = client.execute()
    outputs = [output for cell in ran.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 2
