"""Whatever is wrong with the input, the place or the machine: a clear message, the right exit code, the old file kept.

`run` and `crossdoc` check that there is never a traceback, and that no input counts as a bug of ours.
"""

import hashlib
import os
import resource
import signal
import subprocess
import sys
import time

import duckdb
import pytest

NAME = ["--name", "John Smith"]
RECORD = {"id": "a", "text": "John Smith spoke.", "language": "en"}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def refused(run, tmp_path):
    """Resolve what must not be resolved; gives what was said."""

    def resolve(*inputs, options=(), code=1):
        out = tmp_path / "refused.crossdoc"
        ran = run("resolve", *inputs, "-o", out, *(options or NAME))
        assert (ran.code, ran.out) == (code, "")
        assert not out.exists()
        return ran.err

    return resolve


# -- files and folders -------------------------------------------------------------------------------------------------


def test_no_such_path(refused, tmp_path):
    assert "no file or folder" in refused(tmp_path / "missing", code=2)


def test_an_empty_folder(refused, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "holds no document that crossdoc can read" in refused(tmp_path / "empty")


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\x00\x00", bytes(range(256)) * 20])
def test_bytes_that_are_no_text(refused, write, content):
    assert "alone.txt is not text" in refused(write("alone.txt", content))


def test_bytes_that_are_no_text_among_others(run, write, tmp_path):
    write("in/good.txt", "John Smith spoke.")
    write("in/picture.txt", b"\x89PNG\x00")
    ran = run("resolve", tmp_path / "in", "-o", tmp_path / "out.crossdoc", *NAME)
    assert ran.code == 0
    assert "1 documents" in ran.out
    assert f"left out: {tmp_path / 'in' / 'picture.txt'} is not text" in ran.err


def test_a_pipe_and_a_folder_where_a_file_is_expected(run, refused, write, documents, tmp_path):
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    assert "a file was expected" in refused(pipe)
    for option in ("--constraints", "--settings", "--model"):
        for path in (pipe, tmp_path):
            assert "a file was expected" in refused(documents, options=[option, path])
    for command in (["show", tmp_path], ["export", tmp_path], ["info", tmp_path]):
        assert run(*command).code == 1
    assert run("score", pipe, documents).code == 1
    assert run("cluster", tmp_path).code == 1


def test_a_file_that_may_not_be_read(refused, documents):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    documents.chmod(0)
    assert "Permission denied" in refused(documents)


def test_an_output_in_a_place_that_takes_none(run, documents, result, write):
    inside_a_file = write("file.txt", "x") / "out"
    for out in (f"{inside_a_file}.crossdoc", "/proc/out.crossdoc"):
        ran = run("resolve", documents, "-o", out, *NAME)
        assert ran.code == 1
        assert ran.err
    for command, ending in (("export", "csv"), ("report", "html")):
        for out in (f"{inside_a_file}.{ending}", f"/proc/out.{ending}"):
            ran = run(command, result, "-o", out)
            assert ran.code == 1
            assert f"{out} could not be written" in ran.err


def test_an_output_that_is_a_folder(run, documents, result, tmp_path):
    (tmp_path / "folder").mkdir()
    assert run("resolve", documents, "-o", tmp_path / "folder", *NAME).code == 1
    for command in ("export", "report"):
        ran = run(command, result, "-o", tmp_path / "folder")
        assert (ran.code, "could not be written" in ran.err) == (1, True)
    assert list((tmp_path / "folder").iterdir()) == []


def test_ten_thousand_tiny_files(run, tmp_path):
    (tmp_path / "in").mkdir()
    for number in range(10_000):
        (tmp_path / "in" / f"{number}.txt").write_text(f"John Smith {number}")
    out = tmp_path / "out.crossdoc"
    ran = run("resolve", tmp_path / "in", "-o", out, *NAME, "--method", "string-match")
    assert ran.code == 0
    assert "10,000 documents, 10,000 profiles → 1 identities" in ran.out


# -- records -----------------------------------------------------------------------------------------------------------


def test_broken_json(refused, write):
    path = write("d.jsonl", '{"id": "a", "text": "x"}\n{"id": "b", "text"\n')
    told = refused(path)
    assert f"{path}: 1 problem" in told
    assert "line 2: not valid JSON" in told


def test_missing_and_mistyped_fields_all_at_once(refused, write):
    told = refused(write("d.jsonl", [{"id": "a"}, {"text": "x"}, {"id": ["b"], "text": 1.5}, RECORD]))
    for expected in (
        "4 problems",
        "line 1: the field 'text' is missing",
        "line 2: the field 'id' is missing",
        "line 3: the field 'id' must be text, not list",
        "line 3: the field 'text' must be text, not float",
    ):
        assert expected in told


def test_duplicate_ids(refused, write):
    assert "several records have the same id: 'a'" in refused(write("d.jsonl", [RECORD, RECORD]))
    assert "two.jsonl" in refused(write("one.jsonl", [RECORD]), write("two.jsonl", [RECORD]))


@pytest.mark.parametrize("name", ["a.txt", "a.html"])
def test_one_empty_file(run, write, tmp_path, name):
    ran = run("resolve", write(name, ""), "-o", tmp_path / "out.crossdoc", *NAME)
    assert ran.code == 0
    assert "1 empty documents" in ran.err


def test_an_empty_document_among_others(run, write, tmp_path):
    path = write("d.jsonl", [RECORD, {"id": "b", "text": "", "language": "en"}])
    ran = run("resolve", path, "-o", tmp_path / "out.crossdoc", *NAME)
    assert ran.code == 0
    assert "2 documents" in ran.out
    assert "1 empty documents" in ran.err


@pytest.mark.parametrize("name", ["d.jsonl", "d.csv"])
def test_an_empty_table(refused, write, name):
    assert f"{name} holds no document" in refused(write(name, ""))


def test_documents_and_profiles_together(refused, write):
    profile = write("p.jsonl", [{"id": "p", "document": "d", "name": "Ann"}])
    assert "cannot be resolved in one run" in refused(write("d.jsonl", [RECORD]), profile, code=2)
    assert "--name cannot be used with profiles" in refused(profile, code=2)


@pytest.mark.parametrize("name", ["C++ (John", "[", "\\", "X", ".*", "a b c d e f g", "Ξ"])
def test_any_name(run, write, tmp_path, name):
    path = write("d.jsonl", [{**RECORD, "text": f"We met {name} today."}, {**RECORD, "id": "b", "text": "Nobody."}])
    assert run("resolve", path, "-o", tmp_path / "out.crossdoc", "--name", name).code == 0
    assert run("show", tmp_path / "out.crossdoc", "--find", name).code in (0, 1)


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name(refused, write, name):
    assert "--name is empty" in refused(write("d.jsonl", [RECORD]), options=["--name", name], code=2)


def long_document(path, megabytes):
    line = b"word and other words of the text follow here in a long line of it.\n" * 1000
    with path.open("wb") as stream:
        stream.write(b"John Smith of General Motors spoke.\n")
        for _ in range(megabytes * 10**6 // len(line) + 1):
            stream.write(line)
    return path


def test_a_document_of_200_megabytes(command_line, tmp_path):
    path = long_document(tmp_path / "long.txt", 200)
    with subprocess.Popen(
        command_line("resolve", path, "-o", tmp_path / "o", *NAME), stderr=subprocess.PIPE
    ) as process:
        told = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    path.unlink()
    assert process.returncode == 1
    assert "long.txt is one document of more than 20,000,000 characters" in told
    assert "raise `max_document_characters`" in told
    # Kilobytes; half of it is what the imports take. A child's peak counts what its parent had when it was forked.
    assert usage.ru_maxrss < max(1_000_000, 1.1 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert usage.ru_utime + usage.ru_stime < 15


def test_a_long_document_with_a_higher_limit(run, refused, write, tmp_path):
    path = long_document(tmp_path / "long.txt", 21)
    assert "more than 20,000,000 characters" in refused(path)
    higher = write("crossdoc.toml", "max_document_characters = 30_000_000")
    ran = run("resolve", path, "-o", tmp_path / "out.crossdoc", *NAME, "--settings", higher)
    assert (ran.code, "1 documents" in ran.out) == (0, True)


@pytest.mark.slow
def test_a_document_of_200_megabytes_with_a_higher_limit(crossdoc, write, tmp_path):
    path = long_document(tmp_path / "long.txt", 200)
    higher = write("crossdoc.toml", "max_document_characters = 300_000_000")
    assert crossdoc("resolve", path, "-o", tmp_path / "out.crossdoc", *NAME, "--settings", higher).code == 0


# -- constraints and settings ------------------------------------------------------------------------------------------


def test_contradictory_constraints(refused, documents, write):
    said = write("c.csv", "gm1,gm2,same,hard,,ada\ngm2,va,same,hard,,bob\nva,gm1,different,hard,,cyd\n")
    told = refused(documents, options=[*NAME, "--constraints", said])
    assert "cannot all be true" in told
    for step in ("gm1 is the same as gm2 (ada)", "gm2 is the same as va (bob)", "va is different from gm1 (cyd)"):
        assert step in told


def test_constraints_on_unknown_profiles(refused, documents, write):
    said = write("c.csv", "gm1,nobody,same\nnowhere,gm2,different\n")
    told = refused(documents, options=[*NAME, "--constraints", said])
    assert "'nobody', 'nowhere'" in told


@pytest.mark.parametrize("content", ["gm1 gm2 same\n", "a,b,verdict\ngm1,gm2,perhaps\n", b"gm1,gm2,same,,,\xff\n", '"'])
def test_broken_constraints(refused, documents, write, content):
    assert "c.csv" in refused(documents, options=["--constraints", write("c.csv", content)])


def test_broken_settings(refused, documents, write):
    told = refused(documents, options=["--settings", write("s.toml", "seed = \n")], code=2)
    assert "line 1" in told
    several = write("t.toml", "seeds = 1\nwindow = 1\ncolour = 'red'\n")
    told = refused(documents, options=["--settings", several], code=2)
    for problem in ("seeds: there is no such setting", "colour: there is no such setting", "window: "):
        assert problem in told


# -- stores ------------------------------------------------------------------------------------------------------------

READERS = (["show"], ["info"], ["export"], ["report", "-o", "report.html"], ["score", "gold.csv"])


@pytest.fixture(params=["text", "empty", "another database", "truncated", "scrambled"])
def not_a_store(request, result, tmp_path):
    """A file that is no result, or a damaged one, and what is said of it."""
    path = tmp_path / "strange.crossdoc"
    content = result.read_bytes()
    if request.param == "another database":
        with duckdb.connect(str(path)) as other:
            other.execute("CREATE TABLE precious (x INT)")
        return path, "is not a crossdoc result"
    path.write_bytes(
        {
            "text": b"my notes, not a result\n" * 1000,
            "empty": b"",
            "truncated": content[: len(content) // 2],
            "scrambled": content[:20_000] + os.urandom(len(content) - 20_000),
        }[request.param]
    )
    return path, "is damaged: " if request.param in ("truncated", "scrambled") else "is not a crossdoc result"


def test_what_is_no_store_is_refused_and_left_alone(run, documents, not_a_store, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("gold.csv", "id,entity\ngm1:0:10,x\n")
    path, told = not_a_store
    before = digest(path)
    for command, *rest in READERS:
        ran = run(command, path, *rest)
        assert ran.code == 1, command
        assert f"strange.crossdoc {told}" in ran.err
    assert run("resolve", documents, "-o", path, *NAME).code == 1
    assert digest(path) == before
    assert not (tmp_path / "report.html").exists()


def test_a_store_that_another_process_writes(run, documents, result):
    hold = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    before = digest(result)
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(result)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        other.stdout.readline()
        for command in (["show", result], ["resolve", documents, "-o", result, *NAME]):
            ran = run(*command)
            assert ran.code == 1
            assert "is open in another crossdoc" in ran.err
        other.stdin.close()
    assert digest(result) == before
    assert run("show", result).code == 0


def test_a_result_that_is_not_there(run, tmp_path):
    ran = run("show", tmp_path / "none.crossdoc")
    assert (ran.code, "no file or folder" in ran.err) == (2, True)


# -- the machine -------------------------------------------------------------------------------------------------------


def small_disk(size):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def test_a_full_disk_while_resolving(crossdoc, result, write, tmp_path):
    path = write("many.jsonl", [{**RECORD, "id": i, "text": os.urandom(20_000).hex()} for i in range(20)])
    before = digest(result)
    for out in (tmp_path / "new.crossdoc", result):
        ran = crossdoc("resolve", path, "-o", out, *NAME, preexec_fn=small_disk(200_000))
        assert ran.code == 1
        assert "could not be written" in ran.err
    assert not (tmp_path / "new.crossdoc").exists()
    assert digest(result) == before


@pytest.mark.parametrize(
    "command",
    [
        ["export", "-o", "out/answer.csv"],
        ["export", "--format", "jsonl", "-o", "out/answer.csv", "--force"],
        ["export", "--format", "parquet", "-o", "out/answer.csv", "--force"],
        ["report", "-o", "out/answer.csv", "--force"],
    ],
)
def test_a_full_disk_while_writing(crossdoc, result, write, tmp_path, command):
    old = write("out/answer.csv", "old")
    name, *options = command
    ran = crossdoc(name, result, *options, cwd=tmp_path, preexec_fn=small_disk(100))
    assert ran.code == 1
    assert "out/answer.csv could not be written: File too large" in ran.err
    assert [path.name for path in old.parent.iterdir()] == ["answer.csv"]
    assert old.read_text() == "old"


def hear_interrupts():
    """Tests may run where Ctrl-C is ignored, as in a shell's background, and a child would take that over."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_interrupted_and_resumed(command_line, crossdoc, result, write, tmp_path):
    path = write("many.jsonl", [{**RECORD, "id": i, "text": f"John Smith {i}. " * 50} for i in range(4000)])
    slow = write("slow.toml", "batch_size = 2\ndescribe = false\n")
    arguments = ["resolve", path, "-o", result, *NAME, "--settings", slow, "--method", "string-match"]
    before = digest(result)
    with subprocess.Popen(
        command_line(*arguments), stderr=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=hear_interrupts
    ) as process:
        begun = b""
        while b"reading documents" not in begun:
            begun += process.stderr.read(1)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, told = (stream.decode() for stream in process.communicate(timeout=180))
    assert (process.returncode, out) == (130, "")
    assert "Stopped." in told
    assert "Traceback" not in told
    assert digest(result) == before
    ran = crossdoc(*arguments)
    assert ran.code == 0
    assert "4,000 documents, 4,000 profiles" in ran.out
    assert "documents were already read by a stopped run" in ran.err


def test_interrupted_while_it_starts(run, monkeypatch, result):
    def interrupt(name):
        raise KeyboardInterrupt

    monkeypatch.setattr("crossdoc.cli.import_module", interrupt)
    ran = run("show", result)
    assert (ran.code, ran.out) == (130, "")
    assert "Stopped." in ran.err
