"""What the pages say, done: every block runs and prints what it shows, links lead somewhere, options exist.

A block under *Needs data.* or *Needs a cluster.* is not run: each command in it is parsed as the program would do it.
Nor are those that install, build or serve: extras, targets and options are looked up. The page of HTTP is run by
tests/web/test_api.py.
"""

import doctest
import importlib.util
import re
import runpy
import shlex
import shutil
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from crossdoc.cli import COMMANDS, app
from crossdoc.settings import Settings, set_to

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SITE = PAGES[1:]
RUN, SHOWN = {"console", "pycon", "python", "sh"}, {"csv", "http", "json", "jsonl", "text", "toml"}
SERVES = {"explore", "mcp", "reconcile"}
"""Commands that go on until somebody stops them."""
ELSEWHERE = {"docs/api.md"}
MARK = re.compile(r"\*Needs (?:data|a cluster)\.\*")
PACKAGES = re.compile(r"<!-- needs: ([\w, ]+) -->")
"""Packages of extras that the blocks of a page import; without them the page is not run (`make integrations` does)."""
FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<language>\w*)(?: title=\"(?P<file>[^\"]+)\")?$")
LEFT_OUT = re.escape("\n…\n").removeprefix(re.escape("\n"))
"""A line of three dots stands for any lines."""
pytestmark = pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the pages are not in the sdist")


class Block(NamedTuple):
    language: str
    file: str
    content: str
    needs: bool
    """Whether it needs what a test has not."""
    line: int


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """All fenced blocks; a Python block's file may be in its first line."""
    found, lines = [], page.read_text().split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].startswith("```"):
            at += 1
            continue
        opened = FENCE.match(lines[at])
        assert opened, f"{named(page)}:{at + 1}: not a fence that the site can read"
        end = lines.index(opened["ticks"], at + 1)
        content = "".join(f"{line}\n" for line in lines[at + 1 : end])
        given = re.match(r"# (\w+\.py)\n", content) if opened["language"] == "python" else None
        before = next((line for line in reversed(lines[:at]) if line.strip()), "")
        file = given[1] if given else opened["file"] or ""
        found.append(Block(opened["language"], file, content, bool(MARK.fullmatch(before.strip())), at + 1))
        at = end + 1
    return found


def commands(block: Block) -> list[str]:
    if block.language == "console":
        return re.findall(r"^\$ (.*)$", block.content, re.MULTILINE)
    lines = block.content.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")] if block.language == "sh" else []


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The answer that several pages begin with."""
    kept = tmp_path_factory.mktemp("answers") / "articles.crossdoc"
    invoke("crossdoc", "resolve", str(ROOT / "docs" / "examples" / "articles"), "-o", str(kept))
    return kept


@pytest.fixture
def folder(request, tmp_path, monkeypatch) -> Path:
    """A folder with the example files, and the answer to the articles where a page speaks of it."""
    shutil.copytree(ROOT / "docs" / "examples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    if "articles.crossdoc" in request.getfixturevalue("page").read_text():
        shutil.copy(request.getfixturevalue("articles"), tmp_path)
    return tmp_path


def invoke(program: str, *arguments: str) -> str:
    if program == "python":
        runpy.run_path(arguments[0], run_name="__main__")
        return ""
    assert program == "crossdoc", program
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, f"{arguments}: {ran.output}"
    return ran.stdout


def run(command: str) -> str:
    words = shlex.split(command, comments=True)
    if words[:2] == ["pip", "install"]:
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        assert set(re.findall(r"crossdoc\[(\w+)\]", command)) <= set(extras), command
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), command
    elif words[:1] == ["crossdoc"] and words[1] in SERVES:
        check(words[1:])
    else:
        return invoke(*words)
    return ""


@cache
def tool(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hooks():
    return tool("site_hooks")


def check(words: list[str]) -> None:
    """Parse a command without running it: an unknown command, option or number of arguments raises."""
    name, *rest = words
    assert name in COMMANDS, name
    hooks().click_command(name).make_context(name, list(rest))


def session(block: Block) -> str:
    """A console block as it comes out today."""
    lines = []
    for command in commands(block):
        lines += [f"$ {command}", *(line.rstrip() for line in run(command).rstrip().splitlines())]
    return "\n".join(lines) + "\n"


def prompt(block: Block, space: dict, page: Path) -> dict:
    example = doctest.DocTestParser().get_doctest(block.content, space, page.name, str(page), block.line)
    told: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(example, out=told.append, clear_globs=False)
    assert runner.failures == 0, "".join(told)
    return example.globs


@pytest.mark.parametrize(
    "page",
    [page for page in SITE if named(page) not in ELSEWHERE and {block.language for block in blocks(page)} & RUN],
    ids=named,
)
def test_every_block_runs_and_prints_what_it_shows(page, package, folder):
    for needed in PACKAGES.findall(page.read_text()):
        for name in needed.split(", "):
            pytest.importorskip(name)
    found = [block for block in blocks(page) if not block.needs]
    modules = {b.file.removesuffix(".py"): b.content for b in found if b.language == "python" and b.file}
    points = "".join(block.content for block in found if block.language == "toml" and not block.file)
    if points:
        package(modules, points)
    for block in found:
        if block.file:
            (folder / block.file).write_text(block.content)
    space: dict[str, object] = {}
    for block in found:
        if block.language == "console":
            wanted = re.escape(block.content).replace(LEFT_OUT, r"(?:.*\n)*")
            assert re.fullmatch(wanted, came := session(block)), came
        elif block.language == "sh":
            for command in commands(block):
                run(command)
        elif block.language == "pycon":
            space = prompt(block, space, page)
        elif block.language == "python" and not block.file:
            exec(compile(block.content, f"{named(page)}:{block.line}", "exec"), space)


@pytest.mark.parametrize("page", SITE, ids=named)
def test_every_block_says_what_it_is(page):
    """A language that is run or only shown; what is marked is a command or Python, and parses."""
    for block in blocks(page):
        assert block.language in RUN | SHOWN, f"{named(page)}:{block.line}: {block.language!r}"
        if not block.needs:
            continue
        assert block.language in ("sh", "python"), f"{named(page)}:{block.line}"
        if block.language == "python":
            compile(block.content, named(page), "exec")
        for command in commands(block):
            words = [word for word in shlex.split(command, comments=True) if not re.match(r"[A-Z_]+=", word)]
            if words[0] == "crossdoc":
                check(words[1:])
            elif words[0] == "python":
                assert (ROOT / words[1]).exists(), command


@pytest.mark.parametrize("page", SITE, ids=named)
def test_no_block_hides_behind_spaces(page):
    """Four spaces make a block, too, but one that says neither what it is nor what it needs."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert re.findall(r"^\n    (?![-*\d ]).*$", text, re.MULTILINE) == []


def test_a_marked_command_is_parsed():
    check(["resolve", "a/", "-o", "b.crossdoc"])
    for wrong in (["resolve", "a/", "-o", "b", "--nonsense"], ["show"]):
        with pytest.raises(Exception, match=r"No such option|Missing (argument|parameter)"):
            check(wrong)
    with pytest.raises(AssertionError):
        check(["solve", "a/"])


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        target, _, anchor = link.partition("#")
        if re.match(r"\w+:", target):
            continue
        there = (page.parent / target).resolve() if target else page
        if not there.exists() or (anchor and anchor not in anchors(there)):
            broken.append(link)
    assert broken == []


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


PATH = re.compile(r"`((?:src/crossdoc/|experiments/|benchmarks/|tests/|tools/|docs/)[\w/.-]+\.\w+)`")


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_files_that_are_named_are_there(page):
    missing = [path for path in PATH.findall(page.read_text()) if not (ROOT / path).exists()]
    assert missing == []


@cache
def options(command: str) -> set[str]:
    parameters = hooks().click_command(command).params
    return {option for each in parameters for option in (*each.opts, *each.secondary_opts)} | {"--help"}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_and_their_options_exist(page):
    """Of those in the text, too."""
    wrong = []
    text = page.read_text()
    fenced = "".join(re.findall(r"^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    told = re.findall(r"(?:`|^    )crossdoc ([a-z]+(?: [^`\n]*)?)", text, re.MULTILINE)
    for line in told + re.findall(r"^(?:\$ )?crossdoc ([a-z]+.*)$", fenced, re.MULTILINE):
        name, *rest = line.split(" #")[0].split()
        if name not in COMMANDS:
            wrong.append(name)
            continue
        given = [word.split("=")[0].rstrip(".,;:)") for word in rest if re.match(r"--[a-z]", word)]
        wrong += [f"{name} {option}" for option in given if option not in options(name)]
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_what_is_set_can_be_set(page):
    """Each `--set` is a setting, or a parameter of its method, and takes the value that is shown."""
    for quoted, plain in re.findall(r"--set (?:'([^']+)'|([\w.-]+=[\w.]+))", page.read_text()):
        said = quoted or plain
        if not said.startswith(("KEY=", "METHOD.", "in-order.", "extractor=")):
            Settings.load(None, **set_to({}, [said]))


# -- figures and style of the explanation pages ---------------------------------------------------------------------

NOTES = ROOT / "docs" / "notes"
RECORDS = {"docs/results.md", "docs/rooms.md", "docs/left-out.md"}
"""Generated pages, the log of looks at held-out data, and the map of the code."""
WRITTEN = [
    page
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]
    if NOTES not in page.parents and named(page) not in RECORDS and "/reference/" not in named(page)
]
FIGURE = re.compile(r"(?<![\w.,])[−-]?[01]?\.\d{3}\b(?!<!-- )")
PRIVATE = r"told|telling|worth|beside|whole|said|speaks for|is met|stands in|somebody|nobody|anew|dear"
OPENING = r"Of |As what|(?:What|Where|Who) (?![^.]*\?)|So many|Those|The same of"
DIALECT = re.compile(rf"\b(?:{PRIVATE})\b|(?:^|(?<=[.!?] )|(?<=\*\* ))(?:{OPENING})", re.MULTILINE)
ALLOWED = 1
"""Words and openings. A page with more of them is rewritten."""


def prose(page: Path) -> str:
    """A page without code, links' targets, comments and what is quoted."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`]*`|<!--.*?-->|\]\([^)]*\)|\"[^\"]*\"", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_quoted_figures_are_those_of_the_results(page):
    """`python tools/quote_figures.py` brings them up to date."""
    text = page.read_text()
    assert tool("quote_figures").update_quotes(text) == text


def test_a_stale_or_unknown_figure_is_noticed():
    update = tool("quote_figures").update_quotes
    source = "<!-- results.json: sample / all / B³ F1 -->"
    assert update(f"B³ .111{source}") == f"B³ {update(f'.5{source}')}"
    with pytest.raises(KeyError, match="has no 'nothing'"):
        update(".1<!-- results.json: sample / nothing -->")


@pytest.mark.parametrize("page", WRITTEN, ids=named)
def test_every_score_has_a_source(page):
    """A figure with three decimals is quoted from the results, or it is in a note, which is dated."""
    code = r"^```.*?^```$|`[^`]*`"
    table = r"<!-- (results:[\w-]+|before-after[:\w-]*) -->.*?<!-- /\1 -->"
    text = re.sub(f"{table}|{code}", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    assert FIGURE.findall(text) == []


@pytest.mark.parametrize("page", WRITTEN, ids=named)
def test_pages_are_in_plain_words(page):
    found = DIALECT.findall(prose(page))
    assert len(found) <= ALLOWED, found


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("What is usual is told by the census.", ["What ", "told"]),
        ("It is told.", ["told"]),
        ("Of these, two are left.", ["Of "]),
        ("A note. Where words differ.", ["Where "]),
        ("Where is it? The prior is 5.", []),
    ],
)
def test_the_dialect_is_found(tmp_path, sentence, found):
    page = tmp_path / "page.md"
    page.write_text(sentence)
    assert DIALECT.findall(prose(page)) == found


@pytest.mark.parametrize("note", sorted(NOTES.glob("*.md")), ids=named)
def test_notes_are_dated_and_linked(note):
    """From the explanation that they belong to, and from the list of notes."""
    if note.name == "index.md":
        return
    text = note.read_text()
    dated = re.search(r"^\*\d{4}-\d\d-\d\d\. Explained in \[[^]]+\]\(\.\./([\w-]+\.md)", text, re.MULTILINE)
    assert dated, note.name
    assert f"notes/{note.name}" in (ROOT / "docs" / dated[1]).read_text()
    assert f"({note.name})" in (NOTES / "index.md").read_text()
