"""What the tests of all rooms share."""

import gzip
import json
import lzma
import os
import shutil
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import settings
from joblib import parallel_config

import crossdoc
from crossdoc.cluster import methods
from crossdoc.engine import LocalEngine
from crossdoc.lang import pack
from crossdoc.model import Document, KnownEntry
from crossdoc.run import resolve as pipeline

# Experiments are imported by their own names, as they import each other; an sdist has none.
sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))

# The same examples each time: whoever has not touched a room must not be stopped by a rare case in it. And no deadline:
# a busy machine is no fault of the code.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

MEDIUM = (
    "tests/cli/test_app.py",
    "tests/cli/test_bad_input.py",
    "tests/cli/test_bad_profiles.py",
    "tests/cli/test_resolve_commands.py",
    "tests/cli/test_change_commands.py",
    "tests/cli/test_method_commands.py",
    "tests/cli/test_output_commands.py",
    "tests/cli/test_resolve_commands.py",
    "tests/cli/test_research_commands.py",
    "tests/cli/test_result_commands.py",
    "tests/cluster/contexts",
    "tests/cluster/correlation",
    "tests/cluster/fuzzy",
    "tests/cluster/sampling",
    "tests/cluster/bags",
    "tests/cluster/test_baselines.py::TestSubsquare",
    "tests/cluster/test_estimators.py",
    "tests/compare/specialists",
    "tests/compare/test_blocking.py::test_people_who_may",
    "tests/compare/test_context_vectors.py",
    "tests/compare/test_ensemble.py",
    "tests/compare/test_training.py",
    "tests/compare/test_vectors.py::test_several_processes",
    "tests/compare/test_vectors.py::test_stop_words_follow",
    "tests/compare/specialists/test_jiang_conrath.py::test_distances",
    "tests/crosslingual/test_detector.py",
    "tests/engine",
    "tests/extract/test_attributes.py::test_odd_text",
    "tests/extract/test_models.py",
    "tests/extract/test_extractor.py",
    "tests/extract/test_relations.py::test_odd_text",
    "tests/extract/test_text_extractor.py",
    "tests/read/test_docbin.py",
    "tests/experiments/test_wikipages.py",
    "tests/experiments/test_wikilinks.py",
    "tests/lang/test_fr.py",
    "tests/names/test_index.py",
    "tests/scoring/test_measures.py",
    "tests/store",
    "tests/test_docs.py",
    "tests/test_partition",
    "tests/run/test_resolve.py",
    "tests/run/test_revise.py",
    "tests/test_site.py",
    "tests/run/test_random_collections.py",
    "tests/run/test_removals.py",
    "tests/run/test_stages.py",
    "tests/run/test_affected.py",
    "tests/test_wheel.py",
    "tests/web",
)
"""How the ids of tests begin that take a second or more or compile much; what has become slow is added here."""
_CHECKS = "tests/cluster/test_estimators.py::test_what_scikit_learn_asks_of_an_estimator"
LONG_PAGES = ("correlation.md", "contexts.md", "crosslingual.md", "extending/specialist.md", "sampling.md")
"""Of the documentation: their blocks take more than ten seconds each."""
SLOW = (
    *(f"{_CHECKS}[{name}" for name in ("Sampling", "Correlation", "Context", "Scaled")),
    "tests/cluster/test_estimators.py::test_vectors_have_as_many_features_as_columns_and_may_be_empty[Sampling",
    "tests/cluster/sampling/test_sampling_clustering.py::test_without_labels",
    "tests/cluster/sampling/test_pair_moves.py::test_many_workers_have_the_same_distribution_as_one[near1",
    "tests/cli/test_bad_input.py::test_a_document_of_200_megabytes",
    "tests/cli/test_bad_input.py::test_a_full_disk_while_resolving",
    "tests/cli/test_bad_input.py::test_a_store_that_another_process_writes",
    "tests/cli/test_bad_input.py::test_ten_thousand_tiny_files",
    "tests/cli/test_bad_input.py::test_interrupted_and_resumed",
    "tests/cli/test_serve_commands.py::test_a_port_in_use",
    "tests/cli/test_serve_commands.py::test_the_browser_is_opened",
    "tests/experiments/test_defaults.py::test_a_cell_of_its_own",
    "tests/store/test_changes.py::test_two_processes_judge",
    "tests/store/test_crash.py::test_a_full_disk_leaves_the_old_result",
    "tests/store/test_crash.py::test_judgements_of_a_killed_judge",
    "tests/store/test_crash.py::test_killed",
    *(f"tests/test_docs.py::test_every_block_runs_and_prints_what_it_shows[docs/{page}" for page in LONG_PAGES),
    "tests/run/test_partitions.py::test_blocks_are_clustered_as_in_one_process[ray]",
    "tests/run/test_partitions.py::test_documents_are_compared_as_in_one_process",
    "tests/run/test_partitions.py::test_links_that_one_task_does_not_hold_are_clustered_by_bags_over_partitions[ray]",
    "tests/run/test_partitions.py::test_sampling_finds_the_same_on_each_engine[ray]",
    "tests/run/test_resolve.py::test_another_time_limit_is_the_same_run",
    "tests/test_wheel.py",
    "tests/web/pages/test_layout.py",
    *(f"tests/web/pages/test_{page}_page.py" for page in ("log", "overview", "review")),
    "tests/web/pages/test_text_pages.py",
    "tests/web/pages/test_correction_dialogs.py::test_a_terminal",
    "tests/web/pages/test_correction_dialogs.py::test_nothing_can_be_changed",
    "tests/web/pages/test_identity_page.py::test_old_ids",
    "tests/web/pages/test_search_page.py::test_a_change_elsewhere",
    "tests/web/test_api.py::test_adding_and_removing",
    "tests/web/test_changes.py::test_a_killed_server",
    "tests/web/test_changes.py::test_a_process_that_dies",
    "tests/web/test_worker.py::test_questions_are_of",
    "tests/web/test_changes.py::test_what_was_acknowledged",
    "tests/store/test_shared_file.py::test_commands_work_while_questions",
    "tests/web/test_guard.py::test_payloads",
    "tests/web/test_look.py",
    "tests/web/test_report_in_browser.py",
)
"""The same of what `make test` has no time for: `make test-all` runs it, and `make kills` more kills than these."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", action="store_true", help="Write the pictures of the explorer to docs/figures.")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(MEDIUM):
            item.add_marker(pytest.mark.medium)
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session", autouse=True)
def _in_one_process() -> Iterator[None]:
    """Processes of a pool would each load the packages and models again, on cores that other tests use."""
    with parallel_config(backend="sequential"):
        yield


@pytest.fixture
def processes() -> Iterator[None]:
    """Tasks run in processes of their own, as they do for users."""
    with parallel_config(backend="loky"):
        yield


@pytest.fixture
def corpus_folder() -> Callable[[str], Path]:
    """A benchmark corpus below CROSSDOC_DATA; the test is skipped where it is not to be had."""

    def find(name: str) -> Path:
        folder = Path(os.environ.get("CROSSDOC_DATA", "/nowhere")) / name
        if not folder.exists():
            pytest.skip(f"CROSSDOC_DATA has no {name}")
        return folder

    return find


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write text, bytes, or records by the file's ending (.jsonl, .csv or .parquet; .gz, .xz or .zst after it)."""

    def _write(name: str, content: str | bytes | list[dict]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = Path(name.removesuffix(".gz").removesuffix(".xz").removesuffix(".zst")).suffix
        if isinstance(content, list):
            content = _records(content, kind)
        elif isinstance(content, str):
            content = content.encode()
        path.write_bytes(_compressed(content, path.suffix))
        return path

    return _write


def _records(records: list[dict], kind: str) -> bytes:
    if kind == ".jsonl":
        return "".join(json.dumps(record) + "\n" for record in records).encode()
    table = pa.Table.from_pylist(records)
    sink = pa.BufferOutputStream()
    if kind == ".parquet":
        pq.write_table(table, sink)
    else:
        pa.csv.write_csv(table, sink)
    return sink.getvalue().to_pybytes()


def _compressed(content: bytes, ending: str) -> bytes:
    if ending == ".gz":
        return gzip.compress(content)
    if ending == ".xz":
        return lzma.compress(content)
    if ending == ".zst":
        return pa.compress(content, codec="zstd", asbytes=True)
    return content


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[dict[str, str], str], Path]]:
    """A package of others beside crossdoc: modules by name, and its entry points as they are in pyproject.toml."""
    folder = tmp_path / "site"
    caches = (methods._added, methods._loaded, pack)

    def _install(modules: dict[str, str], points: str) -> Path:
        info = folder / "theirs-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
        groups = tomllib.loads(points)["project"]["entry-points"]
        lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in groups.items()]
        (info / "entry_points.txt").write_text("\n".join(lines))
        for name, code in modules.items():
            (folder / f"{name}.py").write_text(code)
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.syspath_prepend(str(folder))
        for cached in caches:
            cached.cache_clear()
        return folder

    yield _install
    monkeypatch.undo()
    for cached in caches:
        cached.cache_clear()
    for name in [path.stem for path in folder.glob("*.py")]:
        sys.modules.pop(name, None)


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[Any]:
    """A Ray cluster of one node for all tests of a session, since starting one takes seconds; without Ray, a skip."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'crossdoc[ray]'")
    here = Path(__file__).parent
    # Workers find the package and the tasks of tests as this process does; other tests start processes without that.
    paths = [str(here / "engine"), str(here.parent / "src"), os.environ.get("PYTHONPATH", "")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
        ray.init(
            address="local", num_cpus=2, object_store_memory=100 * 2**20, include_dashboard=False,
            logging_level="ERROR", log_to_driver=False,
        )  # fmt: skip
    yield ray
    ray.shutdown()


@pytest.fixture(params=["local", "ray"])
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Each engine in turn."""
    if request.param == "local":
        with LocalEngine(2) as local:
            yield local
        return
    request.getfixturevalue("ray_cluster")
    from crossdoc.engine.ray_engine import RayEngine

    with RayEngine() as on_ray:
        yield on_ray


@pytest.fixture(scope="session")
def whole_result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result with documents, mentions, a known list, judgements and a history."""
    path = tmp_path_factory.mktemp("whole") / "a.crossdoc"
    texts = [Document(f"d{n}", f"Ann Lee raced in Paris, lap {n}.", date="1996-01-14") for n in range(6)]
    known = [KnownEntry("Q1", "Ann Lee", type="person")]
    with crossdoc.resolve(texts, name="Ann Lee", describe=False, known=known, output=path) as answer:
        answer.judge("d0", "d1", "different", why="seen both")
        answer.rename(answer.identities()[0].id, "Ann A. Lee")
        answer.undo()
        answer.add(Document("d9", "Ann Lee sang."))
        answer.remove("d3")
    return path


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus resolved, once for all processes that run tests."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    path = folder / "sample.crossdoc"
    try:
        os.close(os.open(folder / "sample.lock", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        until = time.monotonic() + 600
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.5)
        return path
    with resources.as_file(resources.files("crossdoc.sample").joinpath("documents.jsonl")) as documents:
        pipeline.resolve(documents, output=path).close()
    return path


@pytest.fixture
def answer(sample: Path, tmp_path: Path) -> Path:
    """The sample corpus resolved, in a copy that the test may change."""
    return Path(shutil.copy(sample, tmp_path / "sample.crossdoc"))
