"""Words for kin: groups of the same meaning, and their inverses."""

from __future__ import annotations

from functools import cache

from crossdoc.lang import DEFAULT, pack


@cache
def kin_groups(language: str = DEFAULT) -> dict[str, str]:
    """The group of each word for kin: "wife" and "husband" are of one."""
    return {kin: group for group, words in pack(language).kinship.groups.items() for kin in words.split()}


def inverse_kin(kin: str, gender: str, language: str = DEFAULT) -> str:
    """The inverse of a word for kin: what the other, of that `gender`, is to the `kin`.

    >>> inverse_kin("wife", "m"), inverse_kin("former wife", ""), inverse_kin("son", "f")
    ('husband', 'former spouse', 'mother')
    """
    *adjectives, noun = kin.split()
    known = pack(language).kinship
    group = kin_groups(language).get(noun)
    if group is None:
        return known.relative
    male, female, either = known.inverse[group]
    kept = [word for word in adjectives if word in known.kept_adjectives]
    return " ".join([*kept, {"m": male, "f": female}.get(gender, either)])
