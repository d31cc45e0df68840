"""The port of the explorer, and what is opened."""

import socket

import pytest

from crossdoc import errors
from crossdoc.web.server import PORTS_TRIED, bind, open_session


def test_a_port_in_use_is_left_for_the_next_one():
    with bind("127.0.0.1", 9470) as first:
        taken = first.getsockname()[1]
        with bind("127.0.0.1", taken) as second:
            assert taken < second.getsockname()[1] < taken + PORTS_TRIED


def test_a_bound_port_accepts_connections_at_once():
    with bind("127.0.0.1", 9480) as listening, socket.create_connection(listening.getsockname(), timeout=5):
        pass


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid"])
def test_an_address_of_another_machine_is_refused(host):
    with pytest.raises(errors.CrossdocError, match=host):
        bind(host, 9490)


def test_an_answer_is_opened_for_changes_unless_read_only(answer):
    session = open_session(answer)
    assert not session.read_only
    session.close()
    session = open_session(answer, read_only=True)
    assert session.changes is None
    session.close()
