"""The weights of the pronoun resolver: one number a feature and case of the pronoun, JSON in data/pronouns.json.

Fitted on GAP (Webster et al. 2018, aclanthology Q18-1042) by `experiments/gap_pronouns.py --fit`, which writes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from crossdoc import errors

Weights = Mapping[str, tuple[float, float, float]]

CASES = ("nominative", "accusative", "possessive")
FORMAT = "crossdoc pronoun weights 1"
MOST_FEATURES = 2_000
LARGEST_WEIGHT = 20.0
SHIPPED = "data/pronouns.json"


def read_weights(text: str, where: str) -> Weights:
    """Weights from JSON. Whatever is not what `write_weights` writes is refused with its place.

    >>> read_weights('{"format": "crossdoc pronoun weights 1", "weights": {"share": [0.5, 0.2, -1]}}', "a string")
    {'share': (0.5, 0.2, -1.0)}
    """
    try:
        content = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise errors.not_a_model(where, [f"it is not JSON ({error})"]) from error
    problems = list(_problems(content))
    if problems:
        raise errors.not_a_model(where, problems)
    return {name: (float(of[0]), float(of[1]), float(of[2])) for name, of in content["weights"].items()}


def _problems(content: Any) -> list[str]:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        return [f'"format" is not "{FORMAT}"']
    weights = content.get("weights")
    if not isinstance(weights, dict) or not 0 < len(weights) <= MOST_FEATURES:
        return [f'"weights" is not a table of 1 to {MOST_FEATURES:,} features']
    return [f"{name[:40]!r} has not {len(CASES)} numbers" for name, of in weights.items() if not _are_weights(of)]


def _are_weights(numbers: Any) -> bool:
    return isinstance(numbers, list) and len(numbers) == len(CASES) and all(map(_is_weight, numbers))


def _is_weight(number: Any) -> bool:
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return is_number and math.isfinite(number) and abs(number) <= LARGEST_WEIGHT


def write_weights(weights: Weights) -> str:
    """JSON with a feature a line, in the order of the names.

    >>> read_weights(write_weights({"share": (0.5, 0.25, -1.0)}), "a string")
    {'share': (0.5, 0.25, -1.0)}
    """
    rows = (f"{json.dumps(name)}: {json.dumps([round(w, 2) for w in weights[name]])}" for name in sorted(weights))
    return f'{{"format": "{FORMAT}", "weights": {{\n' + ",\n".join(rows) + "\n}}\n"


@cache
def shipped_weights() -> Weights:
    return read_weights((files("crossdoc") / SHIPPED).read_text(encoding="utf-8"), SHIPPED)
