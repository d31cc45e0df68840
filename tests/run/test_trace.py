"""How much of the source a run goes through: a reader who follows one run opens this many files."""

import sys
import threading
from importlib.resources import files

import crossdoc

MOST_FILES = 80
"""Files with a function that a run over 25 articles calls. It may fall and must not rise."""


def test_a_run_goes_through_few_files(tmp_path):
    articles = (files("crossdoc") / "sample" / "documents.jsonl").read_text(encoding="utf-8").splitlines(True)[:25]
    source = tmp_path / "articles.jsonl"
    source.write_text("".join(articles), encoding="utf-8")
    home, opened = str(files("crossdoc")), set()

    def note(frame, event, argument):
        if event == "call" and frame.f_code.co_filename.startswith(home):
            opened.add(frame.f_code.co_filename)

    # What is loaded once and kept is loaded by the first run.
    crossdoc.resolve(source, output=tmp_path / "first.crossdoc").close()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        crossdoc.resolve(source, output=tmp_path / "second.crossdoc").close()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert any(path.endswith("extractor.py") for path in opened)
    assert len(opened) <= MOST_FILES, sorted(opened)
