"""Model files: the one that comes along, users' own, and what is none."""

import json

import pytest

from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.seg import SEG
from crossdoc.errors import InputError, UsageError

GOOD = {"crossdoc_model": 1, "learned_on": {"threshold": "a test"}, "threshold": {"average-linkage": 0.4}}


def test_the_model_that_comes_along():
    model = LearnedModel.load(None)
    assert model == LearnedModel.default()
    assert set(model.threshold) == {"single-linkage", "complete-linkage", "karc"}, "average linkage joins at even odds"
    assert all(0 < value < 1 for value in model.threshold.values())


@pytest.mark.parametrize("with_ensemble", [False, True])
def test_saved_and_loaded(tmp_path, world, with_ensemble):
    ensemble = world.train(SEG()).to_file().model_dump() if with_ensemble else None
    model = LearnedModel.model_validate({**GOOD, "ensemble": ensemble})
    path = tmp_path / "model.json"
    model.save(path)
    assert LearnedModel.load(path) == model
    assert LearnedModel.load(str(path)) == model
    assert json.loads(path.read_text())["threshold"] == {"average-linkage": 0.4}
    assert path.read_text().count("\n") > 5
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "Expecting value"),
        ('{"crossdoc_model": 1,', "line 1"),
        ("[]", "file: "),
        ("[" * 100_000, "recursion"),
        (b"\xff\xfe\x00", "codec"),
        ({}, "threshold: Field required"),
        ({**GOOD, "crossdoc_model": 2}, "crossdoc_model: Input should be 1"),
        ({**GOOD, "threshold": {"average-linkage": "high"}}, "threshold.average-linkage: "),
        ({**GOOD, "learned_on": {}}, "what the threshold was learned on"),
        ({**GOOD, "surprise": 1}, "surprise: Extra inputs"),
        ({**GOOD, "ensemble": {"learner": "seg"}}, "ensemble.specialists: Field required"),
    ],
)
def test_what_is_no_model_is_named_with_its_problem(write, content, message):
    path = write("model.json", json.dumps(content) if isinstance(content, dict) else content)
    with pytest.raises(InputError, match="is not a crossdoc model") as caught:
        LearnedModel.load(path)
    assert message in caught.value.what
    assert str(path) in caught.value.what
    assert "--model" in caught.value.hint


def test_no_file(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(UsageError, match="no file"):
            LearnedModel.load(path)
