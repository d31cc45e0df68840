"""Tasks for the tests of engines: functions of a module, which other processes find."""

import numpy as np

from crossdoc import errors


def double(part, more=0):
    return 2 * part + more


def total(part, *more):
    return sum(part) + sum(more)


def by_remainder(part, into):
    """Numbers by their remainder, and how many there are."""
    numbers = np.concatenate(part) if isinstance(part, list) else part
    return [numbers[numbers % into == at] for at in range(into)], len(numbers)


def fail(part):
    raise errors.empty_name()


def slow(part):
    import time

    time.sleep(part)
    return part
