"""Engine for a Ray cluster: tasks on its nodes, values in its object store, which spills to disk.

A task that is lost with its worker or node is run again, and so are those that made its arguments.
"""

from __future__ import annotations

import os
import platform
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from crossdoc import errors
from crossdoc.engine.local import Lost, Part, Ref, Work
from crossdoc.version import __version__

RETRIES = 50
"""Lost workers per task. A task that loses more needs too much memory, or is at fault itself."""
SECONDS_TO_ANSWER = 120.0
"""Seconds. A node that does not answer in this time gets no work."""
SECONDS_TO_KNOCK = 10.0
LEAST_BYTES = 1 << 30
"""Bytes. A node with less memory cannot hold the models that read text."""


class RayEngine:
    """Tasks on a Ray cluster: the one at an address, or one that is started on this machine.

    Parameters
    ----------
    address : where the cluster is, such as ``10.0.0.1:6379`` or ``auto``; left out: `RAY_ADDRESS`, or this machine.
    """

    name = "ray"

    def __init__(self, address: str | None = None) -> None:
        if find_spec("ray") is None:
            raise errors.needs_extra("The engine ray", "Ray (on every node)", "ray")
        import ray

        self._ray = ray
        self._ours = not ray.is_initialized()
        if self._ours:
            _connect(address or os.environ.get("RAY_ADDRESS"))
        try:
            self._check()
        except BaseException:
            self.close()
            raise
        self.workers = int(ray.cluster_resources().get("CPU", 1))
        self._task = ray.remote(max_retries=RETRIES, num_cpus=1)(_run)

    def put(self, value: Any) -> Ref:
        return Ref(self._ray.put(value))

    def map(self, work: Work, parts: Sequence[Part], *shared: Any, apart: bool = False) -> list[Ref]:
        return [Ref(self._begin(work, part, shared)) for part in parts]

    def _begin(self, work: Work, part: Part, shared: Sequence[Any]) -> Any:
        # Ray resolves the references among arguments, but not those in a list.
        pieces = part if isinstance(part, list) else [part]
        listed = len(pieces) if isinstance(part, list) else -1
        return self._task.options(name=work.__name__).remote(work, listed, *pieces, *shared)

    def get(self, ref: Ref) -> Any:
        with self._as_messages():
            return self._ray.get(ref)

    @contextmanager
    def _as_messages(self) -> Iterator[None]:
        known = self._ray.exceptions
        try:
            yield
        except known.RayTaskError as error:
            if isinstance(error.cause, known.RayError):
                raise Lost(str(error.cause)) from error
            raise error.cause from None
        except (known.ObjectLostError, known.ObjectFetchTimedOutError, known.OwnerDiedError) as error:
            raise Lost(str(error)) from error
        except known.WorkerCrashedError as error:
            raise errors.workers_die(f"each of {RETRIES} times") from error
        except known.OutOfMemoryError as error:
            raise errors.workers_die(str(error).splitlines()[0]) from error

    def _check(self) -> None:
        """Check that every node has this version of crossdoc and enough memory."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        nodes = [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]
        if not nodes:
            raise errors.no_cluster("this address", "no node has a processor to work with")
        probe = self._ray.remote(max_retries=0, num_cpus=0)(_probe)
        asked = {
            node["NodeManagerAddress"]: probe.options(
                scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            ).remote()
            for node in nodes
        }
        for place, answer in asked.items():
            self._check_node(place, answer)
        for node in nodes:
            if (memory := node["Resources"].get("memory", LEAST_BYTES)) < LEAST_BYTES:
                has = f"it has {memory / 1e9:.1f} GB of memory for tasks, and {LEAST_BYTES / 1e9:.1f} GB are needed"
                raise errors.node_unusable(node["NodeManagerAddress"], has)

    def _check_node(self, place: str, answer: Any) -> None:
        known = self._ray.exceptions
        try:
            there = self._ray.get(answer, timeout=SECONDS_TO_ANSWER)
        except known.GetTimeoutError as error:
            raise errors.node_unusable(place, f"it has not answered in {SECONDS_TO_ANSWER:.0f} seconds") from error
        except known.RayTaskError as error:
            raise errors.node_unusable(place, f"it has no crossdoc ({str(error).strip().splitlines()[-1]})") from error
        except known.RayError:
            # The node died meanwhile: the others do its work.
            return
        if there != _probe():
            raise errors.node_unusable(place, f"it has {there}, and this machine {_probe()}")

    def close(self) -> None:
        """Leave the cluster; a cluster started here is stopped."""
        if self._ours:
            self._ray.shutdown()

    def __enter__(self) -> RayEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _connect(address: str | None) -> None:
    import ray

    # Ray's own logs are no messages for the user.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        _knock(address or "")
        quiet = {"logging_level": "ERROR", "log_to_driver": False}
        if address is None:
            ray.init(address="local", include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except (RuntimeError, ConnectionError, ValueError, OSError) as error:
        differs = "version mismatch" in str(error).lower()
        why = str(error) if differs else str(error).splitlines()[0]
        raise errors.no_cluster(address or "this machine", why) from error


def _knock(address: str) -> None:
    """Check that HOST:PORT accepts connections, since Ray would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_KNOCK).close()


def _probe() -> str:
    """Describe the node it runs on."""
    return f"crossdoc {__version__}, Python {platform.python_version()}"


def _run(work: Work, listed: int, *given: Any) -> Any:
    """Run a task whose references have become values; a part that was a list becomes one again."""
    if listed < 0:
        return work(*given)
    return work(list(given[:listed]), *given[listed:])
