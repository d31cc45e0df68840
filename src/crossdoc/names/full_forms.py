"""People's names written out: a collection tells which names are inflected or abbreviated forms of others.

"Saltens" is Salten's genitive in a German diary and another surname in English newswire. Which it is, is estimated
from how many names of the collection occur with and without the ending. An abbreviation with a full stop ("Gustav
Schw.", "Rich.") stands for the name of the collection that it abbreviates, if one is far more frequent than others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from scipy.special import betaln, expit, logit

from crossdoc.lang.en.name_lists import SUFFIXES, TITLES
from crossdoc.names.words import fold

PLAIN, INFLECTED = (1.0, 80.0), (2.0, 6.0)
"""Beta distributions of the share of surnames that also occur with an ending, where names are not inflected and where
they are. Their means are .012 and .25: on AIDA CoNLL and six volumes of FRUS the share is 0 to .012, in two years of a
German diary .25."""
PRIOR_INFLECTED = 0.02
"""Prior probability that the names of a collection are inflected. Set by hand; only collections of few names change."""
LEAST_OFTEN, SHORTEST_BASE = 3, 4
"""Mentions and letters. A rarer or shorter surname does not count in the estimate."""
FAR_MORE = 4.0
"""Ratio. An abbreviation is written out if so many times more mentions have one of the names it may stand for than all
others together. 2 to 8 differ by .001 in B³ on two years of a German diary."""


def full_forms(names: Mapping[str, int]) -> dict[str, str]:
    """Return by name the form that it stands for, for names that are forms of others; `names` has their frequencies.

    >>> sorted(full_forms({"Gustav Schwarzkopf": 9, "Gustav Schw.": 2, "Rich.": 1, "Richard": 3}).items())
    [('Gustav Schw.', 'Gustav Schwarzkopf'), ('Rich.', 'Richard')]
    """
    abbreviated = _Abbreviations(names)
    plain = {name: abbreviated.written_out(name) or name for name in names}
    lasts = Counter[str]()
    for name, n in names.items():
        lasts[plain[name].rpartition(" ")[2]] += n
    base_of = _inflected(lasts)
    found = {}
    for name, written in plain.items():
        before, space, last = written.rpartition(" ")
        form = f"{before}{space}{base_of.get(last, last)}"
        if form != name:
            found[name] = form
    return found


def probability_inflected(both: int, surnames: int) -> float:
    """Return the probability that names of a collection are inflected, if so many surnames occur in both forms.

    A beta-binomial Bayes factor, as for :func:`crossdoc.compare.name_prior.probability_chosen`.

    >>> [round(probability_inflected(*counts), 2) for counts in ((0, 100), (1, 19), (9, 18), (50, 200), (0, 0))]
    [0.0, 0.01, 1.0, 1.0, 0.02]
    """
    likelihood = [betaln(a + both, b + surnames - both) - betaln(a, b) for a, b in (INFLECTED, PLAIN)]
    return float(expit(logit(PRIOR_INFLECTED) + likelihood[0] - likelihood[1]))


def _inflected(counts: Mapping[str, int]) -> dict[str, str]:
    """Return by last word its base, if last words of the collection are inflected and the base occurs in it."""
    frequent = [word for word, n in counts.items() if n >= LEAST_OFTEN and len(word) >= SHORTEST_BASE]
    both = sum(word + _ending(word) in counts for word in frequent)
    if probability_inflected(both, len(frequent)) <= 0.5:
        return {}
    return {inflected: word for word in counts if len(word) > 1 and (inflected := word + _ending(word)) in counts}


def _ending(word: str) -> str:
    return "ens" if word[-1] in "sxzß" else "s"


class _Abbreviations:
    """Names by the words that an abbreviation may stand for."""

    def __init__(self, names: Mapping[str, int]) -> None:
        self._full: dict[tuple[int, str, str], Counter[str]] = defaultdict(Counter)
        for name, n in names.items():
            words = _bare(name)
            if words and not any(map(_is_abbreviation, words)):
                first, last = fold(words[0]), fold(words[-1])
                for start in {first, first[:1]}:
                    self._full[len(words), start, last[:1]][" ".join(words)] += n

    def written_out(self, name: str) -> str | None:
        """Return the name that an abbreviated one stands for, or None."""
        words = _bare(name)
        short = [_is_abbreviation(word) for word in words]
        # "J. Smith" is compared by its initial; one letter alone may be anybody.
        if not any(short) or (not short[-1] and all(len(fold(w)) == 1 for w, s in zip(words, short, strict=True) if s)):
            return None
        if len(words) == 1 and len(fold(words[0])) == 1:
            return None
        first, last = fold(words[0]), fold(words[-1])
        found = self._full.get((len(words), first[:1] if short[0] else first, last[:1]), Counter())
        fits = Counter({full: n for full, n in found.items() if _fits(words, short, full.split())})
        if not fits:
            return None
        best, n = min(fits.most_common(), key=lambda item: (-item[1], item[0]))
        return best if n >= FAR_MORE * (fits.total() - n) else None


def _bare(name: str) -> list[str]:
    """Return the words of a name, the surname last, without the titles before and the suffixes after it.

    >>> _bare("Dr. Fanny M. Jr."), _bare("Miller, R.")
    (['Fanny', 'M.'], ['R.', 'Miller'])
    """
    surname, _, rest = name.partition(",")
    words = [*rest.split(), *surname.split()]
    while len(words) > 1 and fold(words[0]) in TITLES:
        del words[0]
    while len(words) > 1 and fold(words[-1]) in SUFFIXES:
        del words[-1]
    return words


def _is_abbreviation(word: str) -> bool:
    return word.endswith(".") and word[:-1].isalpha() and word[0].isupper()


def _fits(words: list[str], short: list[bool], full: list[str]) -> bool:
    """Return whether each word is one of a full name, or abbreviates it.

    >>> _fits(["Gustav", "Schw."], [False, True], ["Gustav", "Schwarzkopf"])
    True
    """
    pairs = zip(map(fold, words), short, map(fold, full), strict=True)
    return all(other.startswith(word) if is_short else other == word for word, is_short, other in pairs)
