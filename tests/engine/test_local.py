"""What every engine has to do; the suite runs against each of them."""

import sys
from pathlib import Path

import pytest

from crossdoc import errors

sys.path.insert(0, str(Path(__file__).parent))
import tasks


def test_map_gives_one_result_a_part_in_order(engine):
    assert [engine.get(ref) for ref in engine.map(tasks.double, [1, 2, 3])] == [2, 4, 6]


def test_map_takes_shared_values_and_references(engine):
    shared = engine.put(5)
    assert [engine.get(ref) for ref in engine.map(tasks.double, [1, 2], shared)] == [7, 9]
    assert engine.get(engine.map(tasks.double, [1], 3)[0]) == 5


def test_a_part_may_be_a_reference_or_a_list_of_them(engine):
    made = engine.map(tasks.double, [1, 2, 3])
    assert engine.get(engine.map(tasks.double, [made[0]])[0]) == 4
    assert engine.get(engine.map(tasks.total, [made], 1)[0]) == 13
    assert engine.get(engine.map(tasks.total, [[]])[0]) == 0


def test_work_that_is_pythons_own(engine, processes):
    assert [engine.get(ref) for ref in engine.map(tasks.double, [1, 2, 3], engine.put(1), apart=True)] == [3, 5, 7]


def test_what_a_task_raises_is_raised(engine):
    with pytest.raises(errors.UsageError, match="name"):
        engine.get(engine.map(tasks.fail, [0])[0])


def test_it_says_what_it_is(engine):
    assert engine.name in ("local", "ray")
    assert engine.workers == 2
