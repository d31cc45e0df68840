"""Linking to a known list: AIDA's articles against their Wikipedia titles, beside string match.

    CROSSDOC_DATA=… python experiments/known_titles.py

Gold mentions and gold chains within each article. A list has the titles of a part (or that half of them which their
hashes choose, so that *none* is the answer for the other half) and the titles of the other part, which nobody mentions
here. A title's name is what stands before a parenthesis, its description what stands in it; no types are told. For a
sample of titles that share a name, `SENTENCES` has a first sentence each, written for this experiment. String match
links a profile whose name is one title's alone. The threshold is chosen on `train` and judged on `testa`.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from common import data, table
from name_evidence import profiles_and_gold

import crossdoc
from crossdoc.compare.known import LINKED
from crossdoc.model import Documents, KnownEntry
from crossdoc.names import fold

THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9)
COLUMNS = ("precision", "recall", "F1", "none right", "all right")
TEAMS = {
    "football": "The soccer team that plays for {} in World Cup qualifying matches and European championship groups, "
    "with a goalkeeper, defenders, midfielders, forwards and a coach.",
    "cricket": "The cricket team that plays test matches and one-day internationals for {}, with batsmen, bowlers, "
    "wickets, overs, innings and a captain.",
    "country": "A country with a government, a president or prime minister, ministers, a parliament, an army, police, "
    "an economy, trade and a capital.",
}
"""What the sentences of national teams and countries are made of."""
COUNTRIES = (
    "Armenia Austria Belarus Belgium Brazil Bulgaria Cyprus Estonia Germany Israel Italy Latvia Liechtenstein "
    "Lithuania Moldova Netherlands Poland Portugal Romania Russia Scotland Slovakia Sweden Switzerland Ukraine England"
).split()
CRICKET = ("Australia", "England", "India", "Pakistan", "Zimbabwe", "Sri_Lanka", "South_Africa")
SENTENCES = {
    "Bill_Clinton": "The president of the United States, a Democrat in the White House who seeks re-election.",
    "Hillary_Rodham_Clinton": "The First Lady of the United States, a lawyer and wife of the president.",
    "Chelsea_Clinton": "The daughter of the president of the United States, a schoolgirl in Washington.",
    "Saddam_Hussein": "The president of Iraq, whose troops in Baghdad moved against the Kurds.",
    "Hussein_of_Jordan": "The king of Jordan, who rules in Amman and met Israeli leaders.",
    "Nasser_Hussain": "An English cricketer, a batsman of Essex who scored a test century.",
    "Alec_Stewart": "An English cricketer, a batsman and wicketkeeper of Surrey.",
    "Payne_Stewart": "An American golfer who won the U.S. Open and plays on the PGA tour.",
    "Jackie_Stewart": "A Scottish racing driver, three times Formula One champion, now with a team of his own.",
    "Glenn_McGrath": "An Australian cricketer, a fast bowler who takes wickets in test matches.",
    "Wigan_Warriors": "A rugby league club from Wigan that plays in the Super League with tries and scrums.",
    "Wigan_Athletic_F\\u002eC\\u002e": "A soccer club from Wigan that plays in English league division three.",
    "Cardiff_RFC": "A Welsh rugby union club from Cardiff that scores tries in the Heineken Cup.",
    "Cardiff_City_F\\u002eC\\u002e": "A Welsh soccer club from Cardiff that plays in English league division three.",
    "Swansea_RFC": "A Welsh rugby union club from Swansea that scores tries.",
    "Swansea_City_A\\u002eF\\u002eC\\u002e": "A Welsh soccer club from Swansea in English league division three.",
    "Northampton_Saints": "An English rugby union club from Northampton that scores tries.",
    "Northampton_Town_F\\u002eC\\u002e": "An English soccer club from Northampton in league division three.",
    "Rabobank_\\u0028cycling_team\\u0029": "A Dutch cycling team whose riders race for stages of the Tour de France.",
    "Rabobank": "A Dutch cooperative bank that lends money and issues bonds.",
    "KK_Partizan": "A basketball club from Belgrade that plays in the European cup.",
    "FK_Partizan": "A soccer club from Belgrade that plays in the Yugoslav league.",
    "Chicago_Cubs": "A baseball team in the National League with pitchers, innings and home runs.",
    "Chicago_White_Sox": "A baseball team in the American League with pitchers, innings and home runs.",
    "Chicago_Board_of_Trade": "An exchange in Chicago for futures on grain, corn, wheat, soybeans and bonds.",
    "Chicago_Mercantile_Exchange": "An exchange in Chicago for futures on cattle, hogs, currencies and indices.",
    "New_York_Yankees": "A baseball team in the American League with pitchers, innings and home runs.",
    "New_York_Mets": "A baseball team in the National League with pitchers, innings and home runs.",
    **{f"{name}_national_football_team": TEAMS["football"].format(name) for name in COUNTRIES},
    **{f"{name}_national_cricket_team": TEAMS["cricket"].format(name.replace("_", " ")) for name in CRICKET},
    "England_cricket_team": TEAMS["cricket"].format("England"),
    **dict.fromkeys({*COUNTRIES, *CRICKET}, TEAMS["country"]),
}
Answer = Mapping[str, str | None]


def share(title: str) -> float:
    return int.from_bytes(hashlib.sha256(title.encode()).digest()[:8], "big") / 2**64


def entry(title: str, sentences: Mapping[str, str]) -> KnownEntry:
    """
    >>> found = entry("Chris_Lewis_\\\\u0028cricketer\\\\u0029", {})
    >>> found.name, found.description
    ('Chris Lewis', 'cricketer')
    """
    plain = re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), title).replace("_", " ")
    name, _, description = plain.partition(" (")
    return KnownEntry(title, name, description=f"{description.rstrip(')')} {sentences.get(title, '')}".strip())


def score(answer: Answer, gold: Mapping[str, str], listed: Iterable[str]) -> list[float]:
    """Over profiles: precision, recall and F1 of links, the share of *none* that is right, and of all answers."""
    wanted = {id: title if title in listed else None for id, title in gold.items()}
    right = sum(answer[id] == title for id, title in wanted.items() if title)
    linked, linkable = sum(answer[id] is not None for id in wanted), sum(map(bool, wanted.values()))
    none = [answer[id] is None for id, title in wanted.items() if title is None]
    precision, recall = right / max(linked, 1), right / max(linkable, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    correct = float(np.mean([answer[id] == title for id, title in wanted.items()]))
    return [precision, recall, f1, float(np.mean(none)) if none else float("nan"), correct]


class Run:
    """A part of AIDA, resolved with a known list."""

    def __init__(self, documents: Documents, gold: Mapping[str, str], entries: list[KnownEntry]) -> None:
        self.listed = {each.id for each in entries}
        with crossdoc.resolve(documents, known=entries) as resolution:
            answer = resolution.partition.harden().table()
            self.entity = dict(zip(*(answer.column(name).to_pylist() for name in ("id", "entity")), strict=True))
            links = resolution.store.known_links(0.0)
            self.names = dict(zip(resolution.profiles.ids, resolution.profiles.column("name").to_pylist(), strict=True))
        columns = (links.column(name).to_pylist() for name in ("entity", "known", "probability"))
        self.links = {entity: (known, likely) for entity, known, likely in zip(*columns, strict=True)}
        self.gold = {id: title for id, title in gold.items() if id in self.entity}
        self.by_name: dict[str, list[str]] = defaultdict(list)
        for each in entries:
            self.by_name[fold(each.name)].append(each.id)

    def ours(self, least: float = LINKED) -> dict[str, str | None]:
        found = {id: self.links.get(entity, ("", 0.0)) for id, entity in self.entity.items()}
        return {id: known if known and likely >= least else None for id, (known, likely) in found.items()}

    def strings(self) -> dict[str, str | None]:
        found = {id: self.by_name.get(fold(name), []) for id, name in self.names.items()}
        return {id: titles[0] if len(titles) == 1 else None for id, titles in found.items()}

    def row(self, name: str, sample: Iterable[str] | None = None) -> list[list[object]]:
        kept = {id: title for id, title in self.gold.items() if sample is None or title in sample}
        methods = {"crossdoc": self.ours(), "string match": self.strings()}
        return [[name, method, len(kept), *score(answer, kept, self.listed)] for method, answer in methods.items()]


def learned_and_rows() -> tuple[list[list[object]], list[list[object]]]:
    """Thresholds tried on train; and lists, methods and their figures at the one that is shipped."""
    parts = {part: profiles_and_gold(data("aida"), part) for part in ("train", "testa")}
    titles = {part: set(gold.values()) for part, (_, gold) in parts.items()}

    def run(part: str, half: bool, sentences: Mapping[str, str], typed: Mapping[str, str | None] | None = None) -> Run:
        unmentioned = titles["testa" if part == "train" else "train"] - titles[part]
        listed = {title for title in titles[part] if not half or share(title) < 0.5} | unmentioned
        entries = [entry(title, sentences) for title in sorted(listed)]
        if typed is not None:
            entries = [replace(each, type=typed.get(each.id)) for each in entries]
        return Run(*parts[part], entries)

    learned = run("train", True, {})
    tried: list[list[object]] = [
        [least, *score(learned.ours(least), learned.gold, learned.listed)] for least in THRESHOLDS
    ]
    types = {
        mention.chain: mention.type
        for documents, _ in parts.values()
        for document in documents
        for mention in document.mentions or ()
        if mention.chain
    }
    with_sentences = run("testa", False, SENTENCES)
    bare = run("testa", False, {})
    return tried, [
        *learned.row("train, half withheld"),
        *run("testa", True, {}).row("testa, half withheld"),
        *run("testa", True, {}, types).row("testa, half withheld, types told")[:1],
        *bare.row("testa, all listed"),
        *bare.row("testa, the sample, titles alone", SENTENCES),
        *with_sentences.row("testa, the sample, with sentences", SENTENCES),
    ]


def main() -> None:
    tried, rows = learned_and_rows()
    print("Threshold, on train, half of the titles withheld\n" + table(["threshold", *COLUMNS], tried) + "\n")
    print(f"Links, at the threshold {LINKED}\n" + table(["list", "method", "profiles", *COLUMNS], rows))


if __name__ == "__main__":
    main()
