"""The process that changes an answer: it reads while others write, waits for the file, keeps its questions current."""

import json
import subprocess
import sys

import pytest

from crossdoc import resolve
from crossdoc.model import Profile
from crossdoc.run.resolution import Resolution
from crossdoc.store import Store
from crossdoc.web.changes import Changes
from crossdoc.web.reader import Reader

CHAIRMAN, MAYOR = "motors-2:203:213", "paris-3:0:14"


@pytest.fixture
def reader(answer):
    with Reader(answer) as made:
        yield made


@pytest.fixture
def changes(answer, reader):
    made = Changes(answer, reader)
    yield made
    made.close()


def identity_of(path, profile):
    with Resolution.open(path) as answer:
        return answer.store.entity_of([profile])[profile]


def entries(path):
    with Resolution.open(path) as answer:
        return answer.store.entries(standing=False)


def test_documents_are_read_while_others_write(answer):
    with Store.open(answer) as store:
        with store.at_rest():
            Store.open(answer, write=True).close()
            assert store.known("documents", ["paris-3", "nobody"]) == {"paris-3"}
            Store.open(answer, write=True).close()
            assert len(store.salt()) == 16
        assert store.count("documents") > 0


def test_profiles_are_added_to_a_result_of_profiles(tmp_path):
    path, new = tmp_path / "profiles.crossdoc", tmp_path / "new.jsonl"
    resolve([Profile(id, id, "Ann Li", "person", "verse poem rhyme") for id in "ab"], output=path).close()
    new.write_text(json.dumps({"id": "c", "document": "c", "name": "Ann Li", "type": "person", "context": "verse ode"}))
    with Reader(path) as reader:
        made = Changes(path, reader)
        order = made.order("add", new).wait(120)
        made.close()
    assert (order.refusal, order.change.added) == (None, 1)
    assert identity_of(path, "c") == identity_of(path, "a")


def test_questions_are_of_what_holds_now(changes):
    first = changes.order("questions", 1000).wait(180)
    asked = first.answer[0]
    changes.order("say", asked.a, asked.b, "different", who="Ada").wait(60)
    after = changes.order("questions", 1000).wait(60).answer
    assert (asked.a, asked.b) not in [(each.a, each.b) for each in after]
    changes.order("skip", after[0]).wait(60)
    left = changes.order("questions", 1000).wait(60).answer
    assert (after[0].a, after[0].b) not in [(each.a, each.b) for each in left]


def test_same_of_two_identities_is_said_of_all(answer, changes):
    order = changes.order("say", CHAIRMAN, MAYOR, "same", who="Ada").wait(120)
    assert [event.what for event in order.change.events] == ["merged"]
    assert entries(answer)[0].act == "merge"
    again = changes.order("say", CHAIRMAN, MAYOR, "same", who="Ada").wait(60)
    assert again.change.events == []
    assert entries(answer)[1].act == "judge"


def test_another_program_may_have_the_file_open(answer, changes):
    """Another process, because a process gives up its locks on a file when it closes any descriptor of it."""
    changes.get_ready()
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1], read_only=True); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(answer)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        order = changes.order("judge", CHAIRMAN, MAYOR, "different")
        with pytest.raises(TimeoutError):
            order.wait(3)
        other.communicate("\n")
    assert order.wait(60).state == "done"
