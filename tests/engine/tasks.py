"""Tasks for the tests of engines: functions of a module, which other processes find."""

from crossdoc import errors


def double(part, more=0):
    return 2 * part + more


def total(part, *more):
    return sum(part) + sum(more)


def fail(part):
    raise errors.empty_name()
