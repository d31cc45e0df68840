"""The file of the pronoun weights: what is shipped is read whole, what is broken is refused with a message."""

import json

import pytest

from crossdoc.errors import InputError
from crossdoc.extract.pronoun_weights import FORMAT, LARGEST_WEIGHT, read_weights, shipped_weights, write_weights


def test_the_shipped_weights_are_those_of_features_that_there_are() -> None:
    weights = shipped_weights()
    assert 100 < len(weights) < 400
    assert {"nobody", "distance", "in_title", "subject_0_up"} <= weights.keys()
    assert min(weights["in_title"]) > 0
    assert weights["recency_0"] > weights["recency_4"]


def test_written_and_read_again() -> None:
    weights = {"b": (0.125, -1.0, 3.0), "a": (0.0, 0.5, -0.25)}
    assert read_weights(write_weights(weights), "here") == {"a": (0.0, 0.5, -0.25), "b": (0.12, -1.0, 3.0)}


@pytest.mark.parametrize(
    "content",
    [
        "not JSON",
        "[" * 100_000,
        "[]",
        json.dumps({"weights": {"a": [1, 2, 3]}}),
        json.dumps({"format": FORMAT + "0", "weights": {"a": [1, 2, 3]}}),
        json.dumps({"format": FORMAT}),
        json.dumps({"format": FORMAT, "weights": {}}),
        json.dumps({"format": FORMAT, "weights": {"a": [1, 2]}}),
        json.dumps({"format": FORMAT, "weights": {"a": [1, 2, "3"]}}),
        json.dumps({"format": FORMAT, "weights": {"a": [1, 2, True]}}),
        json.dumps({"format": FORMAT, "weights": {"a": [1, 2, float("nan")]}}),
        json.dumps({"format": FORMAT, "weights": {"a": [1, 2, LARGEST_WEIGHT + 1]}}),
        json.dumps({"format": FORMAT, "weights": {str(i): [1, 2, 3] for i in range(2001)}}),
    ],
)
def test_what_is_no_file_of_weights_is_refused(content: str) -> None:
    with pytest.raises(InputError, match="here"):
        read_weights(content, "here")
