"""Judgements about pairs of profiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass
from crossdoc import errors
from crossdoc.model.rows import VERDICTS, Verdict


@dataclass(frozen=True, slots=True)
class Judgement:
    """A statement that two profiles are the same entity or different ones.

    Judgements of people are hard, those of rules soft: a soft one adds its weight to the strength.

    Parameters
    ----------
    a : str
        The id of a profile.
    b : str
        The id of another.
    verdict : {"same", "different"}
        What they are.
    hard : bool, default True
        Whether it always holds, as a person's judgement does.
    weight : float, default 1.0
        For a soft judgement: what is added to the strength.
    who : str, default ""
        Who says so.
    why : str, default ""
        The reason.
    when : str, default ""
        When it was made.

    Examples
    --------
    >>> Judgement("a:0:10", "b:5:15", "same", who="Ada").hard
    True
    """

    a: str
    b: str
    verdict: Verdict
    hard: bool = True
    weight: float = 1.0
    who: str = ""
    why: str = ""
    when: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise errors.bad_judgement(f"the verdict is {self.verdict!r}, and must be 'same' or 'different'")
        if not self.a or not self.b:
            raise errors.bad_judgement("a profile's id is empty")
        if self.a == self.b:
            raise errors.bad_judgement(f"{self.a!r} is judged against itself")
        if not 0 <= self.weight < float("inf"):
            raise errors.bad_judgement(f"the weight is {self.weight}, and must be a finite number of at least 0")

    def __str__(self) -> str:
        word = "is the same as" if self.verdict == "same" else "is different from"
        by = f" ({self.who})" if self.who else ""
        return f"{self.a} {word} {self.b}{by}"
