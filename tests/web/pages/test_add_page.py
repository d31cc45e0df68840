"""Adding: files are taken, limited and read while one goes on working."""

import io
from urllib.parse import quote

import pytest
from starlette.datastructures import UploadFile

from crossdoc.run.resolution import Resolution
from crossdoc.web.pages import add_page

TEXT = "Ruth Tanner, director of the Northern Coal Authority, met Quentin Okonjo in Hexley on Friday. Okonjo sang. "


@pytest.mark.browser
def test_files_are_added_while_one_works(editable, visit, axe, picture, tmp_path):
    page = visit(editable, "/add")
    names = ["news.txt", "<img src=x onerror=alert(1)>.txt"]
    for name in names:
        (tmp_path / name).write_text(TEXT * 4)
    (tmp_path / "photo.png").write_bytes(b"\x89PNG")
    page.set_input_files("input[type=file]", [tmp_path / name for name in [*names, "photo.png"]])
    page.get_by_text("photo.png").wait_for()
    box = page.get_by_role("region", name="2 files: news.txt")
    box.get_by_role("progressbar").wait_for()
    assert axe(page) == []

    # Other pages answer meanwhile.
    other = visit(editable, "/?q=tanner")
    other.get_by_text("Ruth Tanner").first.wait_for()

    page.get_by_text("2 documents added.").wait_for(timeout=180_000)
    assert "Quentin Okonjo" in page.locator(".x-good").inner_text()
    picture(page, "add")
    with Resolution.open(editable.path) as answer:
        assert set(names) <= set(answer.store.documents(names).ids)
    page.goto(editable.at(f"/document?id={quote(names[1], safe='')}"))
    page.get_by_text("Quentin Okonjo").first.wait_for()
    unreadable = {"files": {"name": "a.exe", "mimeType": "x/y", "buffer": b"1"}}
    found = page.request.post(editable.at("/add/files"), multipart=unreadable, headers={"Origin": editable.base})
    assert found.json()["order"] is None
    assert "a.exe" in found.json()["problems"][0]


class Taken:
    """Remembers what would be added, and what the files hold at that moment."""

    def order(self, act, *inputs, who, summary):
        self.inputs = {path.name: path.read_text() for path in inputs}
        self.paths, self.who, self.summary = inputs, who, summary
        return add_page.Order(1, act, who, "")


def sent(name, text="x"):
    return UploadFile(io.BytesIO(text.encode()), filename=name)


def test_what_was_sent_lies_in_a_folder_of_its_own():
    changes = Taken()
    files = [sent("../../etc/passwd.txt", "1"), sent("passwd.txt", "2"), sent("x.exe"), sent("/abs/olute.html", "3")]
    order, problems = add_page.received(changes, files, "Ada")
    assert changes.inputs == {"passwd.txt": "1", "passwd-2.txt": "2", "olute.html": "3"}
    (folder,) = {path.parent for path in changes.paths}
    assert changes.who == "Ada"
    assert len(problems) == 1
    assert "x.exe" in problems[0]
    order.finished.set_result(order)
    assert not folder.exists()


def test_nothing_of_use():
    order, problems = add_page.received(Taken(), [sent("x.exe")])
    assert order is None
    assert "x.exe" in problems[0]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("../../../a.txt", "a.txt"), ("..\\..\\a.txt", "a.txt"), ("....", "file"), ("", "file"), ("a\0b.txt", "ab.txt"),
        (".htaccess", "htaccess"), ("x" * 500 + ".txt", "x" * 180 + ".txt"), ("C:evil.txt", "evil.txt"), ("/", "file"),
    ],
)  # fmt: skip
def test_names_lead_nowhere(given, name):
    assert add_page.safe_name(given) == name


def test_what_was_sent_is_gone_when_the_disk_is_full(tmp_path, monkeypatch):
    class Full(io.BytesIO):
        def read(self, *size):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(add_page.tempfile, "tempdir", str(tmp_path))
    with pytest.raises(OSError, match="No space"):
        add_page.received(Taken(), [sent("a.txt"), UploadFile(Full(), filename="b.txt")])
    assert list(tmp_path.iterdir()) == []
