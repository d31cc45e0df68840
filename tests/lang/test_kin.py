"""What the other is to someone's kin."""

import pytest

from crossdoc.lang import pack
from crossdoc.lang.kin import inverse_kin, kin_groups


@pytest.mark.parametrize(
    ("kin", "gender", "expected"),
    [
        ("wife", "m", "husband"),
        ("brother", "f", "sister"),
        ("nephew", "", "uncle or aunt"),
        ("godson", "m", "relative"),
    ],
)
def test_inverse_kin(kin: str, gender: str, expected: str) -> None:
    assert inverse_kin(kin, gender) == expected


def test_whoever_is_kin_has_kin_back():
    """Of a known gender, the inverse of the inverse is in the first one's group."""
    groups = kin_groups()
    for kin, group in groups.items():
        for gender in "mf":
            assert groups[inverse_kin(inverse_kin(kin, gender), "m")] == group
    assert set(pack("en").kinship.inverse) == set(groups.values())
