"""`crossdoc report`."""

import base64
import hashlib
from html.parser import HTMLParser

import pytest

from crossdoc.cli import report_command

from .conftest import TEXTS


class Page(HTMLParser):
    """The page's elements and its text outside scripts and styles."""

    def __init__(self, source):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)

    def handle_data(self, data):
        self.text += data


def test_report(run, result, tmp_path):
    out = tmp_path / "new" / "report.html"
    ran = run("report", result, "-o", out)
    assert ran.code == 0
    assert ran.out == f"3 identities in {out}\n"
    page = Page(out.read_text())
    assert page.elements.count("article") == 3
    assert "John Smith" in page.text
    assert "3 documents" in page.text
    assert [path.name for path in out.parent.iterdir()] == ["report.html"]


def test_only_some(run, result, tmp_path):
    out = tmp_path / "report.html"
    assert run("report", result, "-o", out, "--find", "motors", "--members", 0).code == 0
    page = Page(out.read_text())
    assert page.elements.count("article") == 1
    assert "tr" not in page.elements
    assert run("report", result, "-o", out, "--top", 2).code == 0
    assert Page(out.read_text()).elements.count("article") == 2


def test_nobody_found_leaves_the_old_report(run, result, tmp_path):
    (tmp_path / "report.html").write_text("<html>old")
    assert run("report", result, "-o", tmp_path / "report.html", "--find", "Napoleon").code == 1
    assert (tmp_path / "report.html").read_text() == "<html>old"


@pytest.mark.parametrize(
    "attack", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{{ 7*7 }}", "'; x='"]
)
def test_what_documents_say_is_never_run(run, write, tmp_path, attack):
    profile = {"id": f"p{attack}", "document": f"d{attack}", "name": f"Ann {attack}", "context": f"Ann {attack} said"}
    other = {**profile, "id": "q", "name": f"Ann Lee {attack}", "attributes": {"descriptor": [attack]}}
    store = tmp_path / "a.crossdoc"
    assert run("resolve", write("p.jsonl", [profile, other]), "-o", store, "--method", "all-in-one").code == 0
    assert run("report", store, "-o", tmp_path / "report.html").code == 0
    page = Page((tmp_path / "report.html").read_text())
    assert page.elements.count("script") == 1
    assert "img" not in page.elements
    assert page.text.count(attack) >= 4


def test_a_report_is_one_file(run, result, tmp_path):
    run("report", result, "-o", tmp_path / "report.html")
    source = (tmp_path / "report.html").read_text()
    assert "://" not in source
    assert "src=" not in source
    assert "@import" not in source


def test_only_its_own_script_may_run(run, result, tmp_path):
    run("report", result, "-o", tmp_path / "report.html")
    source = (tmp_path / "report.html").read_text()
    script = source.partition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in source


def test_documents_open_within_the_file(run, result, tmp_path):
    out = tmp_path / "report.html"
    run("report", result, "-o", out)
    page = Page(out.read_text())
    assert page.elements.count("dialog") == 3
    assert "who mapped the rivers of Virginia" in page.text
    assert "gm1:0:10" in page.text
    run("report", result, "-o", out, "--no-texts")
    assert "dialog" not in Page(out.read_text()).elements


def test_the_largest_come_first_where_not_all_texts_fit(run, result, tmp_path, monkeypatch):
    monkeypatch.setattr(report_command, "MOST_CHARACTERS", len(TEXTS["gm1"]) + len(TEXTS["gm2"]))
    run("report", result, "-o", tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text())
    assert page.elements.count("dialog") == 2
    assert "1 document would have made this file too large" in page.text
