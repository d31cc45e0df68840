"""Sampling in rounds over partitions of the input, and bags in one task."""

import numpy as np

import crossdoc
from crossdoc.engine import LocalEngine
from crossdoc.model import Judgement

from .common import links, people, rows_of_answer


def test_sampling_finds_the_same_on_each_engine(table, tmp_path, engine):
    said = [Judgement("p000", "p001", "different"), Judgement("p002", "p080", "same")]
    how = {"method": "sampling", "constraints": said, "parameters": {"sampling": {"partitions": 3}}}
    with LocalEngine(1) as other:
        first = crossdoc.resolve(table, output=tmp_path / "first", engine=other, **how)
    second = crossdoc.resolve(table, output=tmp_path / "second", engine=engine, **how)
    assert rows_of_answer(first) == rows_of_answer(second)
    entity = second.store.entity_of()
    assert entity["p000"] != entity["p001"]
    assert entity["p002"] == entity["p080"]
    assert len(second.store.judgements()) == 2


def test_partitions_find_who_is_who(table, tmp_path):
    rows, who = people()
    with LocalEngine(2) as engine:
        found = crossdoc.resolve(
            table, output=tmp_path / "out", engine=engine, method="sampling", parameters={"sampling": {"partitions": 2}}
        )
    alone = crossdoc.resolve(table, method="sampling")

    def right(answer):
        of = answer.store.entity_of()
        label = np.unique([of[row["id"]] for row in rows], return_inverse=True)[1]
        return crossdoc.scoring.b_cubed(crossdoc.scoring.Alignment.from_labels(label, who)).f1

    assert right(found) > 0.9 * right(alone)


def test_a_run_over_partitions_starts_from_names_if_asked(table, tmp_path):
    """With no rounds to move in, the entities are the names, and those that were judged are apart or one."""
    rows = people()[0]
    name = {row["id"]: row["name"] for row in rows}
    same_name = [row["id"] for row in rows if row["name"] == "Ann Lee"]
    said = [
        Judgement(same_name[0], same_name[-1], "different"),
        Judgement("p002", next(id for id in name if name[id] != name["p002"]), "same"),
    ]
    how = {"start": "names", "partitions": 4, "max_iter": 0, "bias": 0.2, "name_weight": 0.2}
    with LocalEngine(1) as engine:
        found = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, method="sampling", constraints=said,
                                 time_limit=1e-9, parameters={"sampling": how})  # fmt: skip
    of = found.store.entity_of()
    assert of[said[0].a] != of[said[0].b]
    assert of[said[1].a] == of[said[1].b]
    judged = {id for each in said for id in (each.a, each.b)}
    free = [id for id in name if id not in judged]
    assert len({(name[id], of[id]) for id in free}) == len({name[id] for id in free}) == len({of[id] for id in free})


def test_links_without_types_are_clustered_as_in_one_process(write, tmp_path, engine):
    table = write("links.parquet", [{key: row[key] for key in ("id", "name", "context")} for row in people()[0]])
    found = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, method="bags")
    assert any("are clustered in one task" in note for note in found.notes)
    assert rows_of_answer(found) == rows_of_answer(crossdoc.resolve(table, method="bags"))


def test_links_may_be_clustered_by_pairs_too(write, tmp_path):
    table, rows, _ = links(write)
    with LocalEngine(1) as engine:
        how = {"method": "sampling", "parameters": {"sampling": {"partitions": 2}}}
        found = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, **how)
    assert any("bias" in note for note in found.notes)
    assert len(found.store.entity_of()) == len(rows)
