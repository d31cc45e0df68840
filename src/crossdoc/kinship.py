"""Words for kin: which say the same, and what the other is to someone who is the other's wife or uncle."""

from __future__ import annotations

INVERSE_KIN = {
    "wife": ("husband", "wife", "spouse"),
    "child": ("father", "mother", "parent"),
    "parent": ("son", "daughter", "child"),
    "sibling": ("brother", "sister", "sibling"),
    "uncle": ("nephew", "niece", "nephew or niece"),
    "nephew": ("uncle", "aunt", "uncle or aunt"),
    "grandchild": ("grandfather", "grandmother", "grandparent"),
    "grandparent": ("grandson", "granddaughter", "grandchild"),
    "cousin": ("cousin", "cousin", "cousin"),
}
KIN_GROUPS = {
    "wife": "wife husband spouse widow widower",
    "child": "son daughter child",
    "parent": "father mother parent",
    "sibling": "brother sister sibling twin",
    "uncle": "uncle aunt",
    "nephew": "nephew niece",
    "grandchild": "grandson granddaughter grandchild",
    "grandparent": "grandfather grandmother grandparent",
    "cousin": "cousin",
}
KIN_GROUP = {kin: group for group, words in KIN_GROUPS.items() for kin in words.split()}


def inverse_kin(kin: str, gender: str) -> str:
    """What the other is to someone who is the other's `kin`; `gender` is the other's.

    >>> inverse_kin("wife", "m"), inverse_kin("former wife", ""), inverse_kin("son", "f")
    ('husband', 'former spouse', 'mother')
    """
    *adjectives, noun = kin.split()
    group = KIN_GROUP.get(noun)
    if group is None:
        return "relative"
    male, female, either = INVERSE_KIN[group]
    return " ".join([*(word for word in adjectives if word == "former"), {"m": male, "f": female}.get(gender, either)])
