"""Random collections: one machine and partitions, shuffled input and several threads give the same answer.

Every method has as many collections. The named cases are in test_conformance.py.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager

import numpy as np
import pytest

import crossdoc
from crossdoc.cluster.methods import BUILT_IN
from crossdoc.engine import LocalEngine
from crossdoc.model import Judgement, KnownEntry
from crossdoc.read import slices

COLLECTIONS = 200
METHODS = [method.name for method in BUILT_IN]
PEOPLE = [
    "Ann Lee",
    "A. Lee",
    "Ann B. Lee",
    "Lee",
    "Bo Kim",
    "Robert Kim",
    "Bob Kim",
    "José Ruiz",
    "Jose Ruiz",
    "王小明",
]
OTHERS = ["Acme Motors", "Acme", "Acme Motors Ltd", "Bolt Bank", "Paris", "Paris, Texas"]
VERBS = ["chaired Acme Motors in Detroit", "wrote poems in Paris", "led the Labour party", "was born in 1950"]

PLACES = re.compile(r" on \d+ threads?")


def profiles(rng: np.random.Generator) -> list[dict]:
    """Return a table: typed or not, with ids in no order, empty contexts, copies, facts and relations."""
    typed, facts, languages = rng.random() < 0.7, rng.random() < 0.3, rng.random() < 0.2
    names = [*rng.choice(PEOPLE, rng.integers(1, 7), replace=False), *rng.choice(OTHERS, rng.integers(0, 3))]
    rows = []
    for n, at in enumerate(rng.permutation(rng.integers(8, 40))):
        name, topic = str(rng.choice(names)), int(rng.integers(0, 4))
        words = [f"w{10 * topic + each}" for each in rng.integers(0, 10, rng.integers(0, 8))]
        row = {"id": f"p{at:03}", "document": f"d{n // 2}", "name": name, "context": " ".join([name, *words])}
        row |= {"type": "person" if name in PEOPLE else "organisation"} if typed and rng.random() < 0.95 else {}
        row |= {"language": "de" if languages and rng.random() < 0.4 else "en"}
        row |= {"date": f"199{at % 10}-0{1 + at % 9}-01"} if facts else {}
        row |= {"attributes": {"role": f"role {topic}"}} if facts and rng.random() < 0.5 else {}
        row |= {"relations": [{"type": "employment", "name": str(rng.choice(OTHERS))}]} if rng.random() < 0.2 else {}
        rows.append({**rows[-1], "id": row["id"]} if rows and rng.random() < 0.1 else row)
    return rows


def documents(rng: np.random.Generator) -> list[dict]:
    texts = []
    for n in rng.permutation(rng.integers(4, 12)):
        names = rng.choice(PEOPLE[:-1], 2, replace=False)
        text = f"{names[0]} {rng.choice(VERBS)}. On day {n} {names[0]} met {names[1]} of {rng.choice(OTHERS)}."
        texts.append({"id": f"t{n:02}", "text": text, "language": "en"})
    return texts


def collection(at: int) -> tuple[list[dict], dict]:
    """Return the rows of a collection, and the options to resolve it with."""
    rng = np.random.default_rng(at)
    method = METHODS[at % len(METHODS)]
    options: dict = {"method": method, "seed": int(rng.integers(0, 100))}
    if rng.random() < 0.1:
        return documents(rng), options
    rows = profiles(rng)
    ids = [row["id"] for row in rows]
    if rng.random() < 0.3:
        pairs = rng.permutation(ids)[:6].reshape(3, 2)
        options["constraints"] = [
            Judgement(str(pairs[0, 0]), str(pairs[0, 1]), "same"),
            Judgement(str(pairs[1, 0]), str(pairs[1, 1]), "different"),
            Judgement(str(pairs[2, 0]), str(pairs[2, 1]), "same", hard=False, weight=2.0),
        ]
    if rng.random() < 0.2:
        strangers = [KnownEntry(f"Q{n}", f"Zed Quill{n}", description=f"w{n} w{n + 1} w{n + 9}") for n in range(3, 12)]
        known = KnownEntry("Q1", "Ann Lee", type="person", description="w1 w2 w3")
        options["known"] = [known, KnownEntry("Q2", "Bo Kim"), *strangers]
    if rng.random() < 0.2:
        options["background"] = False
    return rows, options


def resolved(rows, options, folder, **more):
    folder.mkdir()
    source = folder / "input.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = folder / "answer.crossdoc"
    return crossdoc.resolve(source, output=output, **options, **more)


def content(answer: crossdoc.Resolution) -> dict:
    """Return what must not differ, profile by profile."""
    with answer:
        columns = (answer.answer(soft=True).column(name).to_pylist() for name in ("id", "entity", "membership"))
        return {
            "profiles": answer.profiles.arrow.sort_by("id").to_pylist(),
            "memberships": sorted((id, entity, round(share, 9)) for id, entity, share in zip(*columns, strict=True)),
            "identities": sorted(answer.store.identities(), key=lambda each: each.id),
            "mentions": answer.answer("mention").sort_by("id").to_pylist(),
            "notes": sorted(PLACES.sub("", note) for note in answer.notes),
        }


@contextmanager
def in_parts(count: int, size: int):
    """Cut the input into so many parts."""
    with pytest.MonkeyPatch.context() as patch:
        if count > 1:
            for name in ("TEXT_BYTES", "TABLE_BYTES"):
                patch.setattr(slices, name, size // count + 1)
        yield


def check(at: int, tmp_path, *engines) -> None:
    rows, options = collection(at)
    size = sum(len(json.dumps(row)) + 1 for row in rows)
    shuffled = [rows[each] for each in np.random.default_rng(at).permutation(len(rows))]
    expected = content(resolved(rows, options, tmp_path / "one", threads=1))
    assert content(resolved(shuffled, options, tmp_path / "shuffled", threads=2)) == expected
    for engine in engines:
        for parts, order in ((1, rows), (4, shuffled)):
            with in_parts(parts, size):
                folder = tmp_path / f"{engine.name}-{parts}"
                assert content(resolved(order, options, folder, engine=engine, threads=parts % 3)) == expected, (
                    folder.name
                )


@pytest.mark.parametrize("at", range(0, COLLECTIONS, 67))
def test_a_random_collection_has_one_answer(at, tmp_path):
    with LocalEngine(2) as engine:
        check(at, tmp_path, engine)


@pytest.mark.slow
@pytest.mark.parametrize("at", range(COLLECTIONS))
def test_each_random_collection_has_one_answer(at, tmp_path, ray_cluster):
    from crossdoc.engine.ray_engine import RayEngine

    with LocalEngine(2) as engine, RayEngine() as on_ray:
        check(at, tmp_path, engine, on_ray)
