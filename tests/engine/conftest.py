"""One Ray cluster for all tests of a session, since starting one takes seconds."""

import os
import sys
from pathlib import Path

import pytest

from crossdoc.engine import LocalEngine

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def ray_cluster():
    """A cluster of one node on this machine; the tests that need it are skipped where Ray is not installed."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'crossdoc[ray]'")
    # Workers find the package and the tasks of these tests as this process does.
    paths = [str(HERE), str(HERE.parent.parent / "src"), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    sys.path.insert(0, str(HERE))
    ray.init(
        address="local", num_cpus=2, object_store_memory=100 * 2**20, include_dashboard=False,
        logging_level="ERROR", log_to_driver=False,
    )  # fmt: skip
    yield ray
    ray.shutdown()


@pytest.fixture(params=["local", "ray"])
def engine(request):
    """Each engine in turn."""
    if request.param == "local":
        with LocalEngine(2) as local:
            yield local
        return
    request.getfixturevalue("ray_cluster")
    from crossdoc.engine.ray_engine import RayEngine

    with RayEngine() as on_ray:
        yield on_ray
