"""Cut the power at any moment: is the answer that was acknowledged there, or the one that was being written?

    python tools/cut_power.py [--cuts 1000] [--seed 0]

Acts run one after the other, and what they do to files is recorded (`failing_calls.c`). Each cut replays a part of the
record onto a copy of the files as a disk may have kept it: writes that were not flushed are kept, dropped or torn, each
by itself; names that were not flushed are kept up to some moment, in their order. A flushed file keeps its own name, as
on ext4, XFS and btrfs. Then the answer must open and hold all acts that had reported success before the cut, and at
most the one that was under way; every other file must be the old or the new one.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fail_calls import COUNT, Act, Content, attempted, command, content, done, faults, in_preloaded_process, prepared

SECTOR = 512
"""Bytes that a disk writes together."""
SEQUENCE = [
    Act("judge", command("judge", "@a.crossdoc", "different", "p00", "p03"), "a.crossdoc"),
    Act("rename", command("rename", "@a.crossdoc", "p00", "Another"), "a.crossdoc"),
    Act("add", command("add", "@a.crossdoc", "@more.jsonl"), "a.crossdoc"),
    Act("undo", command("undo", "@a.crossdoc"), "a.crossdoc"),
    Act("resolve again", command("resolve", "@fewer.jsonl", "-o", "@a.crossdoc"), "a.crossdoc"),
    Act("merge", command("merge", "@a.crossdoc", "p01", "p02"), "a.crossdoc"),
    Act("remove", command("remove", "@a.crossdoc", "p05"), "a.crossdoc"),
    Act("export", command("export", "@a.crossdoc", "--format", "csv", "-o", "@a.csv"), "a.csv", False),
]
WATCHED = {"a.crossdoc": True, "a.csv": False}


@dataclass(frozen=True)
class Call:
    """One recorded call."""

    what: str
    path: str
    to: str
    offset: int
    data: bytes


@dataclass
class Inode:
    """A file by itself: what is certainly on the disk, and what was written since."""

    flushed: bytes
    pending: list[Call] = field(default_factory=list)

    def kept(self, rng: random.Random, how: str) -> bytes:
        """Return the content after a cut; `how` is all, none or some of the pending writes."""
        held = bytearray(self.flushed)
        for call in self.pending:
            if how == "none" or (how == "some" and rng.random() < 0.5):
                continue
            data = call.data
            if how == "some" and data and rng.random() < 0.3:
                data = data[: rng.randrange(0, len(data) + 1, SECTOR)]
            apply(held, call, data)
        return bytes(held)


def apply(held: bytearray, call: Call, data: bytes) -> None:
    if call.what == "truncate":
        del held[call.offset :]
        held.extend(bytes(max(0, call.offset - len(held))))
        return
    held.extend(bytes(max(0, call.offset - len(held))))
    held[call.offset : call.offset + len(data)] = data


class Disk:
    """Files and names as they are, and as a cut may leave them."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.inodes = [Inode(data) for data in files.values()]
        self.first = {name: at for at, name in enumerate(files)}
        self.names = dict(self.first)
        self.changes: list[tuple[str, str, str, int]] = []
        self.safe = 0
        """Changes of names that are certainly on the disk."""
        self.made: dict[int, int] = {}

    def do(self, call: Call) -> None:
        if call.what in ("create", "rename", "exchange", "unlink"):
            inode = -1
            if call.what == "create":
                inode = len(self.inodes)
                self.inodes.append(Inode(b""))
                self.made[inode] = len(self.changes) + 1
            self.changes.append((call.what, call.path, call.to, inode))
            change_name(self.names, self.changes[-1])
        elif call.what == "fsync" and call.path not in self.names:
            self.safe = len(self.changes)
        elif call.path in self.names:
            at = self.names[call.path]
            inode_ = self.inodes[at]
            if call.what == "fsync":
                inode_.flushed, inode_.pending = inode_.kept(random.Random(), "all"), []
                self.safe = max(self.safe, self.made.get(at, 0))
            else:
                inode_.pending.append(call)

    def after_cut(self, rng: random.Random, how: str) -> dict[str, bytes]:
        names = dict(self.first)
        last = {"none": self.safe, "all": len(self.changes)}.get(how, rng.randint(self.safe, len(self.changes)))
        for change in self.changes[:last]:
            change_name(names, change)
        return {name: self.inodes[at].kept(rng, how) for name, at in names.items()}


def change_name(names: dict[str, int], change: tuple[str, str, str, int]) -> None:
    what, path, to, inode = change
    if what == "create":
        names[path] = inode
    elif what == "unlink":
        names.pop(path, None)
    else:
        moved = {each: names.pop(each) for each in [*names] if under(each, path)}
        other = {each: names.pop(each) for each in [*names] if under(each, to)}
        names.update({to + each[len(path) :]: at for each, at in moved.items()})
        if what == "exchange":
            names.update({path + each[len(to) :]: at for each, at in other.items()})


def under(name: str, folder: str) -> bool:
    return name == folder or name.startswith(folder + "/")


def recorded(path: Path) -> Iterator[Call]:
    with path.open("rb") as stream:
        while line := stream.readline():
            what, a, b, offset, size = line.decode().rstrip("\n").split("\t")
            yield Call(what, a, b, int(offset), stream.read(int(size)))


@dataclass
class Record:
    """A sequence of acts: the files before it, all calls, and the contents after each act."""

    files: dict[str, bytes]
    calls: list[Call]
    ends: list[int]
    """Number of calls when each act had reported success."""
    contents: list[dict[str, Content]]

    @classmethod
    def made(cls, template: Path, work: Path) -> Record:
        place = work / "place"
        shutil.copytree(template, place)
        files = {str(each): each.read_bytes() for each in sorted(place.rglob("*")) if each.is_file()}
        record = cls(files, [], [], [done(lambda: watched(place))])
        trace = work / "trace"
        for act in SEQUENCE:
            outcome = attempted(act, place, 0, COUNT, lambda: faults().faults_record(bytes(trace)))
            assert outcome.code == 0, outcome.told
            record.calls += recorded(trace)
            record.ends.append(len(record.calls))
            record.contents.append(done(lambda: watched(place)))
        return record

    def disk(self, calls: int) -> Disk:
        disk = Disk(self.files)
        for call in self.calls[:calls]:
            disk.do(call)
        return disk


def watched(place: Path) -> dict[str, Content]:
    return {name: content(place / name, is_answer) for name, is_answer in WATCHED.items()}


def cut(record: Record, place: Path, rng: random.Random) -> tuple[str, str, list[str]]:
    """Cut the power once: the act that it came at, the way, and what is wrong afterwards."""
    # Most writes are pending right before a flush.
    flushes = [at for at, call in enumerate(record.calls) if call.what == "fsync"]
    moment = rng.choice([rng.randint(0, len(record.calls)), rng.choice(flushes)])
    how = rng.choice(["none", "all", "some", "some", "some"])
    shutil.rmtree(place, ignore_errors=True)
    for name, data in record.disk(moment).after_cut(rng, how).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)
    acknowledged = sum(end <= moment for end in record.ends)
    at = SEQUENCE[min(acknowledged, len(SEQUENCE) - 1)].name
    allowed = record.contents[acknowledged : acknowledged + 2]
    try:
        found = done(lambda: watched(place))
    except AssertionError as error:
        return at, how, [f"call {moment}: {error}"]
    lost = [name for name in WATCHED if found[name] not in [each[name] for each in allowed]]
    return at, how, [f"call {moment}: {name} is neither the answer before nor the one after" for name in lost]


def run(cuts: int, seed: int, work: Path) -> Iterable[tuple[str, str, list[str]]]:
    list(prepared([""], work))
    record = Record.made(work / "template", work)
    flushes = sum(call.what == "fsync" for call in record.calls)
    print(f"{len(SEQUENCE)} acts, {len(record.calls)} calls recorded, {flushes} of them flush", flush=True)
    for number in range(cuts):
        yield cut(record, work / "place", random.Random(seed + number))


def main(work: Path) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    began, bad, at_what = time.monotonic(), 0, Counter[str]()
    for act, how, wrong in run(given.cuts, given.seed, work):
        at_what[act] += 1
        bad += bool(wrong)
        for each in wrong:
            print(f"WRONG at {act}, unflushed writes: {how}, {each}", flush=True)
    print(", ".join(f"{n} at {what}" for what, n in at_what.most_common()))
    print(f"{given.cuts:,} power cuts in {time.monotonic() - began:.0f} s, {bad} wrong")
    return bad > 0


if __name__ == "__main__":
    sys.exit(in_preloaded_process(main))
