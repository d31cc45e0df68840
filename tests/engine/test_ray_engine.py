"""What only a Ray cluster can get wrong; that it works is in test_protocol.py."""

import socket
import time

import pytest

from crossdoc import errors
from crossdoc.engine import ray_engine
from crossdoc.engine.ray_engine import RayEngine


def test_without_ray_a_message_says_what_to_install(monkeypatch):
    monkeypatch.setattr(ray_engine, "find_spec", lambda name: None)
    with pytest.raises(errors.UsageError, match=r"crossdoc\[ray\]"):
        RayEngine()


def test_nobody_listens_at_the_address():
    """The real thing, and at once: Ray itself would try for minutes."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'crossdoc[ray]'")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        begun = time.monotonic()
        with pytest.raises(errors.CrossdocError, match=f"No Ray cluster can be used at 127.0.0.1:{port}: .*refused"):
            ray_engine._connect(f"127.0.0.1:{port}")
    assert time.monotonic() - begun < 10


def test_another_version_there(ray_cluster, monkeypatch):
    def mismatch(**_):
        raise RuntimeError("Version mismatch: The cluster was started with:\n    Ray: 2.9.0\n    Python: 3.10.1")

    monkeypatch.setattr(ray_cluster, "is_initialized", lambda: False)
    monkeypatch.setattr(ray_cluster, "init", mismatch)
    with pytest.raises(errors.CrossdocError, match=r"Ray: 2\.9\.0 Python: 3\.10\.1"):
        RayEngine("auto")


def test_a_node_of_another_version(ray_cluster, monkeypatch):
    monkeypatch.setattr(ray_engine, "__version__", "0.0.1")
    with pytest.raises(errors.CrossdocError, match=r"this machine crossdoc 0\.0\.1"):
        RayEngine()


def test_a_node_with_too_little_memory(ray_cluster, monkeypatch):
    monkeypatch.setattr(ray_engine, "LEAST_BYTES", 1 << 60)
    with pytest.raises(errors.CrossdocError, match="GB are needed"):
        RayEngine()


def test_a_node_without_crossdoc(ray_cluster, monkeypatch):
    def absent():
        raise ModuleNotFoundError("No module named 'crossdoc'")

    monkeypatch.setattr(ray_engine, "_probe", absent)
    with pytest.raises(errors.CrossdocError, match=r"it has no crossdoc \(.*No module named"):
        RayEngine()
