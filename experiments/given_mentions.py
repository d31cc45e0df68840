"""Who is who among given mentions: HIPE-2022 (old newspapers in five languages) and ECB+ (news, development part).

    CROSSDOC_DATA=… python experiments/given_mentions.py [hipe] [ecbplus]

Twice each: with the gold chains within documents given, B³ over profiles; and with mentions alone, B³ over mentions.
Mentions without gold (HIPE's NIL) are resolved too, but not scored. Nothing here chose anything.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from common import data, table
from result_pages import Rows, Value

import crossdoc
from crossdoc import Assignment, Document, Settings
from crossdoc.read.corpora import ecbplus, hipe
from crossdoc.score import align, b_cubed

SETS = {
    "hipe2020": ("en", "fr", "de"),
    "newseye": ("de", "fr", "fi", "sv"),
    "sonar": ("de",),
    "topres19th": ("en",),
}
DEFAULT, STRINGS, HEADS = "default", "string match", "head match"
METHODS = {DEFAULT: Settings().method, STRINGS: "string-match"}


def unchained(documents: Sequence[Document]) -> list[Document]:
    """The same documents, but nothing is known of who is who within them."""
    return [replace(d, mentions=tuple(replace(m, chain=None) for m in d.mentions or ())) for d in documents]


def truth_of(documents: Sequence[Document], level: str) -> dict[str, str]:
    """Gold by mention, or by profile: the first mention of each chain."""
    found: dict[str, str] = {}
    for document in documents:
        seen = set()
        for mention in document.mentions or ():
            if mention.chain is not None and (level == "mention" or mention.chain not in seen):
                found[mention.id] = mention.chain
                seen.add(mention.chain)
    return found


def head(name: str) -> str:
    """The last word, in lower case.

    >>> head("the San Diego Chargers'")
    'chargers'
    """
    return (re.findall(r"\w+", name) or [name])[-1].lower()


def heads_of(documents: Sequence[Document], level: str) -> dict[str, str]:
    """By mention its head, or by profile that of its fullest name."""
    if level == "mention":
        return {m.id: head(m.text) for d in documents for m in d.mentions or ()}
    found = crossdoc.extract_profiles(crossdoc.Documents.of(documents))
    return {profile.id: head(profile.name) for profile in found.profiles}


def f1(answer: Mapping[str, str], truth: Mapping[str, str]) -> float:
    return float(b_cubed(align(Assignment.of(dict(answer)), Assignment.of(dict(truth)))).f1)


def scores(documents: Sequence[Document], systems: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    """(system, level, B³ F1)."""
    for level, given in (("profile", list(documents)), ("mention", unchained(documents))):
        truth = truth_of(documents, level)
        for system in systems:
            if system == HEADS:
                answer = heads_of(documents, level)
            else:
                with crossdoc.resolve(given, method=METHODS[system]) as found:
                    rows = found.answer(level)
                answer = dict(zip(rows["id"].to_pylist(), rows["entity"].to_pylist(), strict=True))
            yield system, level, f1(answer, truth)


def hipe_rows() -> Iterator[tuple[str, dict[str, Value]]]:
    """A set and language: sizes, and B³ F1 by system and level."""
    for part, languages in SETS.items():
        for language in languages:
            documents = list(hipe.documents(data("hipe2022"), language, part))
            truth = truth_of(documents, "profile")
            row: dict[str, Value] = {
                "documents": len(documents),
                "profiles": len(truth),
                "entities": len(set(truth.values())),
            }
            row |= {f"{level}s: {system}": value for system, level, value in scores(documents, (DEFAULT, STRINGS))}
            yield f"{part} {language}", row


def ecbplus_rows() -> Rows:
    """A system: B³ F1 by level."""
    documents = list(ecbplus.documents(data("ecbplus"), "dev"))
    rows: Rows = {}
    for system, level, value in scores(documents, (DEFAULT, STRINGS, HEADS)):
        rows.setdefault(system, {})[f"{level}s"] = value
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=["hipe", "ecbplus"], default=["hipe", "ecbplus"])
    for part in parser.parse_args().parts:
        rows = dict(hipe_rows()) if part == "hipe" else ecbplus_rows()
        columns = list(next(iter(rows.values())))
        print(f"\n### {part}\n")
        print(table([part, *columns], [[name, *row.values()] for name, row in rows.items()]))


if __name__ == "__main__":
    main()
