"""Words for kin: which say the same, and what the other is to someone who is the other's wife or uncle."""

from __future__ import annotations

from functools import cache

from crossdoc.lang import DEFAULT, pack


@cache
def kin_groups(language: str = DEFAULT) -> dict[str, str]:
    """The group of each word for kin: "wife" and "husband" are of one."""
    return {kin: group for group, words in pack(language).kinship.groups.items() for kin in words.split()}


def inverse_kin(kin: str, gender: str, language: str = DEFAULT) -> str:
    """What the other is to someone who is the other's `kin`; `gender` is the other's.

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
