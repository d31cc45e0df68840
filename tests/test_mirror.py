"""Tests mirror the source: every module has a test file of its name. Kernels are tested through their callers."""

from pathlib import Path

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "crossdoc"
NO_LOGIC = ("__init__.py", "__main__.py", "version.py")


def test_every_module_has_a_test_file_of_its_name():
    modules = [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.name not in NO_LOGIC]
    assert len(modules) > 100
    missing = [m.as_posix() for m in modules if not (TESTS / m.parent / f"test_{m.name}").exists()]
    assert [module for module in missing if not module.endswith("kernels.py")] == []
