"""Changes: what is acknowledged is in the file, what contradicts is refused with its chain, nobody waits for others."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from crossdoc import errors
from crossdoc.run.resolution import Resolution
from crossdoc.store.connection import connect
from crossdoc.web.changes import Changes, Order
from crossdoc.web.reader import Reader

CHAIRMAN, MAYOR = "motors-2:203:213", "paris-3:0:14"
TEXT = "John Smith, chairman of Halden Motors, said in Toledo on Friday that cars sold well. "


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


def test_done_is_written(answer, reader, changes):
    before = reader.version
    a, b = identity_of(answer, CHAIRMAN), identity_of(answer, MAYOR)
    assert a != b
    order = changes.order("merge", a, b, who="Ada", why="one letter").wait(120)
    assert (order.state, order.change.entry) == ("done", 1)
    assert [event.what for event in order.change.events] == ["merged"]
    assert identity_of(answer, CHAIRMAN) == identity_of(answer, MAYOR)
    assert [(entry.who, entry.why) for entry in entries(answer)] == [("Ada", "one letter")]
    assert reader.version > before
    assert changes.find(order.number) is order
    order = changes.order("undo", 1, who="Bob").wait(60)
    assert identity_of(answer, CHAIRMAN) != identity_of(answer, MAYOR)
    order = changes.order("rename", identity_of(answer, MAYOR), "The Mayor", who="Bob").wait(60)
    assert reader.line(identity_of(answer, MAYOR)).name == "The Mayor"


def test_a_contradiction_is_refused_with_who_said_what(answer, changes):
    identity = identity_of(answer, CHAIRMAN)
    changes.order("merge", identity, identity_of(answer, MAYOR), who="Ada", why="one letter").wait(120)
    held = answer.read_bytes()
    refused = changes.order("judge", CHAIRMAN, MAYOR, "different", who="Bob", why="a mayor").wait(60)
    assert refused.state == "refused"
    assert refused.change is None
    chain = refused.refusal.chain
    assert {(step.number, step.who, step.why) for step in chain[:-1]} == {(1, "Ada", "one letter")}
    assert all(step.verdict == "same" and step.when for step in chain[:-1])
    last = chain[-1]
    assert (last.number, last.verdict, {last.a, last.b}, last.why) == (None, "different", {CHAIRMAN, MAYOR}, "a mayor")
    # Each step begins where another ends: together they lead from one to the other.
    ends = [end for step in chain for end in (step.a, step.b)]
    assert all(ends.count(end) == 2 for end in ends)
    assert answer.read_bytes() == held


def test_of_two_at_once_none_is_lost(answer, reader, changes):
    members = [member.profile for member in reader.members(identity_of(answer, CHAIRMAN))][:6]
    orders = []
    lock = threading.Lock()

    def browser(who, verdict):
        for a, b in pairwise(members):
            order = changes.order("judge", a, b, verdict, who=who)
            with lock:
                orders.append(order)

    threads = [threading.Thread(target=browser, args=each) for each in (("Ada", "same"), ("Bob", "different"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for order in orders:
        order.wait(120)
    done = [order for order in orders if order.state == "done"]
    refused = [order for order in orders if order.state == "refused"]
    assert len(done) + len(refused) == 10
    assert [entry.number for entry in entries(answer)] == sorted(order.change.entry for order in done)
    # Of each pair one said what holds, and the other was told by whom.
    assert len(refused) >= 5
    assert all(step.who in ("Ada", "Bob") for order in refused for step in order.refusal.chain[:-1])


def test_what_cannot_be_is_said_and_the_next_one_served(answer, changes):
    refused = changes.order("judge", "nobody", MAYOR, "same").wait(120)
    assert "'nobody'" in refused.refusal.what
    assert refused.refusal.chain == ()
    refused = changes.order("merge", identity_of(answer, MAYOR)).wait(60)
    assert refused.state == "refused"
    assert changes.order("judge", CHAIRMAN, MAYOR, "different").wait(60).state == "done"


def test_judgements_do_not_wait_for_documents(answer, reader, changes, tmp_path):
    (tmp_path / "new.txt").write_text(TEXT * 30)
    adding = changes.order("add", tmp_path / "new.txt", summary="one file")
    judged = changes.order("judge", CHAIRMAN, MAYOR, "different", who="Ada").wait(120)
    assert judged.state == "done"
    stages = set()
    while not adding.finished.done():
        assert reader.search("smith").total > 5
        stages.add(adding.stage)
        time.sleep(0.05)
    assert adding.refusal is None
    assert adding.change.added == 1
    assert {"reading documents"} <= stages
    assert "new.txt:0:10" in [member.profile for member in reader.members(identity_of(answer, CHAIRMAN), 0, 100)]
    assert [entry.who for entry in entries(answer)] == ["Ada"]
    assert changes.order("remove", "new.txt").wait(60).change.removed == 1


def test_a_process_that_dies_is_told_and_replaced(answer, changes):
    changes.get_ready()
    held = connect(answer, read_only=True)
    order = changes.order("judge", CHAIRMAN, MAYOR, "different")
    with pytest.raises(TimeoutError):
        order.wait(3)
    os.kill(changes._lane("judgements")._process.pid, signal.SIGKILL)
    assert "ended before it was done" in order.wait(60).refusal.what
    held.close()
    assert changes.order("judge", CHAIRMAN, MAYOR, "different").wait(120).state == "done"
    assert len(entries(answer)) == 1


def test_closing_finishes_what_was_taken(answer, reader):
    changes = Changes(answer, reader)
    order = changes.order("judge", CHAIRMAN, MAYOR, "different", who="Ada")
    changes.close(120)
    assert order.state == "done"
    with pytest.raises(errors.UsageError, match="shutting down"):
        changes.order("undo")


JUDGES = """
import sys
from pathlib import Path
from urllib.request import Request, urlopen
from crossdoc.web.changes import Changes, Order
from crossdoc.web.reader import Reader
if __name__ == "__main__":
    path = Path(sys.argv[1])
    reader = Reader(path)
    changes = Changes(path, reader)
    members = [member.profile for member in reader.members(sys.argv[2], 0, 100)]
    orders = [changes.order("judge", members[0], each, "same", who="Ada") for each in members[1:]]
    for order in orders:
        print(order.wait().change.entry, flush=True)
"""


@pytest.mark.parametrize("after", [1, 3])
def test_what_was_acknowledged_survives_a_kill(answer, tmp_path, after):
    (tmp_path / "judges.py").write_text(JUDGES)
    command = [sys.executable, str(tmp_path / "judges.py"), str(answer), identity_of(answer, CHAIRMAN)]
    source = str(Path(errors.__file__).parents[1])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": source})
    acknowledged = [int(process.stdout.readline()) for _ in range(after)]
    process.send_signal(signal.SIGKILL)
    acknowledged += [int(line) for line in process.stdout.read().split()]
    process.wait()
    held = [entry.number for entry in entries(answer)]
    assert set(acknowledged) <= set(held)
    assert held == list(range(1, len(held) + 1))


def post(running, path, **said):
    request = Request(
        running.at(path),
        json.dumps(said).encode(),
        {"Authorization": f"Bearer {running.token}", "Content-Type": "application/json"},
    )
    with urlopen(request, timeout=120) as answer:
        return json.load(answer)


def test_a_killed_server_has_lost_nothing_that_it_acknowledged(explore, answer, reader):
    running = explore()
    members = [member.profile for member in reader.members(identity_of(answer, CHAIRMAN))][:7]
    acknowledged = []

    def browser(mine):
        for a, b in pairwise(mine):
            try:
                acknowledged.append(post(running, "/api/judge", a=a, b=b, verdict="same", who="Ada")["change"]["entry"])
            except OSError:
                return

    threads = [threading.Thread(target=browser, args=[mine]) for mine in (members[:4], members[3:])]
    for thread in threads:
        thread.start()
    until = time.monotonic() + 120
    while len(acknowledged) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    running.stop(signal.SIGKILL)
    for thread in threads:
        thread.join()
    assert len(acknowledged) >= 2
    held = [entry.number for entry in entries(answer)]
    assert set(acknowledged) <= set(held)
    again = explore()
    assert post(again, "/api/undo", who="Bob")["state"] == "done"


def test_who_did_what_and_why_is_in_the_log_for_every_act(answer, reader, changes):
    said = {"who": "Ada", "why": "seen in the archive"}
    orders = [changes.order("judge", CHAIRMAN, MAYOR, "different", **said)]
    orders.append(changes.order("say", CHAIRMAN, "brief-1:403:413", "different", **said))
    merged = [line.id for line in reader.search("smith").rows if line.documents == 1][:2]
    orders.append(changes.order("merge", *merged, **said))
    orders[-1].wait(120)
    large = identity_of(answer, CHAIRMAN)
    other = next(each.profile for each in reader.members(large) if each.profile != CHAIRMAN)
    orders.append(changes.order("split", large, [other], **said))
    orders.append(changes.order("rename", identity_of(answer, MAYOR), "The Mayor", **said))
    orders.append(changes.order("undo", 1, **said))
    assert [order.wait(120).state for order in orders] == ["done"] * 6
    assert [order.act for order in orders] == ["judge", "say", "merge", "split", "rename", "undo"]
    assert {(order.who, order.why) for order in orders} == {("Ada", "seen in the archive")}
    log = entries(answer)
    assert [entry.act for entry in log] == ["judge", "judge", "merge", "split", "rename", "undo"]
    assert {(entry.who, entry.why) for entry in log} == {("Ada", "seen in the archive")}
    assert [order.number for order in changes.orders] == [order.number for order in orders]
    assert changes.find(orders[-1].number + 1) is None


def test_an_order_says_how_far_it_is():
    order = Order(1, "add", "", "")
    assert (order.share, order.state) == (None, "waiting")
    for done, share in ((3, 0.75), (5, 1.0)):
        order.report("reading", done, 4)
        assert order.share == share


def test_nothing_is_taken_after_closing(answer, reader):
    closed = Changes(answer, reader)
    closed.close()
    with pytest.raises(errors.CrossdocError, match="shutting down"):
        closed.order("judge", CHAIRMAN, MAYOR, "different")
    assert list(closed.orders) == []
