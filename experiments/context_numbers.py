"""How many names are these contexts of? Every stopping rule on sets of 1 to 4 names made one, and on ArnetMiner.

    CROSSDOC_DATA=… python experiments/context_numbers.py [--on build choose rest arnetminer] [--without-gap]

People and organisations of Reuters-21578 (editors' labels) and AIDA (gold mentions) with contexts in eight articles or
more fall by a hash of their name into build, choose and rest; a set has names of one part alone, which share at most a
fifth of their articles (none of those is taken), with 5 to 60 contexts each, ±50 words round the first mention, all
mentions and the words of the names hidden. The cosine and the least size of the rule "calibrated" were chosen on build,
and preferred to a longer rule on choose, not on the rest.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from common import data, table
from corpora import aida, arnetminer, reuters
from sklearn.metrics import silhouette_score

from crossdoc.cluster.contexts.context_clustering import ContextClustering
from crossdoc.compare.context_vectors import ContextVectors
from crossdoc.model import Profile, Profiles, Vectors
from crossdoc.names.words import first_names
from crossdoc.read.context_files import Context
from crossdoc.read.sources import open_binary

CORPORA = ("reuters", "aida")
PARTS = {"build": 20, "choose": 15, "rest": 15}
"""Sets of each corpus and number of names."""
SIZES = (5, 8, 12, 20, 35, 60)
FEWEST, MOST_SHARED, WORDS, MOST_CLUSTERS = 8, 0.2, 50, 8
BYLINE = "Reuters"


@dataclass(frozen=True)
class Article:
    id: str
    text: str
    mentions: tuple[tuple[int, int], ...]

    def hidden(self) -> Context:
        """The words round the first mention, every mention hidden."""
        pieces, starts, at = [], [], 0
        for start, end in self.mentions:
            pieces += [self.text[at:start], "Pseudonym"]
            starts.append(sum(map(len, pieces[:-1])))
            at = end
        text = "".join([*pieces, self.text[at:]])
        return Context(self.id, text, starts[0], starts[0] + len("Pseudonym")).within(WORDS)


Names = dict[str, list[Article]]
"""By type|name."""


def reuters_names() -> Names:
    """The articles of each label whose surname (a person's), or acronym (an organisation's), is in the text."""
    folder, labels = data("reuters21578"), {}
    for path in sorted(folder.glob("reut2-*.sgm*")):
        with open_binary(path) as stream:
            content = stream.read().decode("latin-1")
        for story in re.finditer(r'<REUTERS\b[^>]*NEWID="(\d+)"[^>]*>(.*?)</REUTERS>', content, re.DOTALL):
            labels[story[1]] = [
                (tag, label)
                for tag in ("PEOPLE", "ORGS")
                for listed in re.findall(rf"<{tag}>(.*?)</{tag}>", story[2], re.DOTALL)
                for label in re.findall(r"<D>(.*?)</D>", listed)
            ]
    names: Names = defaultdict(list)
    for document in reuters.documents(folder):
        for tag, label in labels.get(document.id, ()):
            person = tag == "PEOPLE"
            written = f"(?i:{re.escape(label.split('-')[-1])})" if person else re.escape(label.split("-")[0].upper())
            spans = [match.span() for match in re.finditer(rf"(?<!\w){written}(?!\w)", document.text)]
            if person:
                spans = [(_with_first_name(document.text, start), end) for start, end in spans]
            if spans:
                kind = "person" if person else "organisation"
                names[f"{kind}|{label}"].append(Article(document.id, document.text, tuple(spans)))
    return names


def _with_first_name(text: str, start: int) -> int:
    before = re.search(r"([A-Z][a-z]+)(?:\s+[A-Z]\.)?\s+$", text[:start])
    return before.start() if before and before[1].lower() in first_names() else start


def aida_names() -> Names:
    names: Names = defaultdict(list)
    for document in aida.documents(data("aida")):
        spans: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for mention in document.mentions or ():
            if mention.chain not in (None, BYLINE) and mention.type in ("person", "organisation"):
                spans[f"{mention.type}|{mention.chain}"].append((mention.start, mention.end))
        for page, held in spans.items():
            names[page].append(Article(document.id, document.text, tuple(held)))
    return names


def part_of(corpus: str, name: str) -> str:
    """The third that a name belongs to.

    >>> part_of("reuters", "person|volcker") in PARTS
    True
    """
    return list(PARTS)[int(hashlib.sha256(f"{corpus}|{name}".encode()).hexdigest(), 16) % len(PARTS)]


def sets(corpus: str, part: str) -> Iterator[tuple[Profiles, int]]:
    """Contexts of 1 to 4 names, and how many names."""
    found = reuters_names() if corpus == "reuters" else aida_names()
    names = {n: a for n, a in sorted(found.items()) if len(a) >= FEWEST and part_of(corpus, n) == part}
    rng = np.random.default_rng([*CORPORA].index(corpus) + 10 * [*PARTS].index(part))
    for size in (1, 2, 3, 4):
        for _ in range(PARTS[part]):
            yield _conflated(_chosen(names, size, rng), names, rng), size


def _chosen(names: Names, size: int, rng: np.random.Generator) -> list[str]:
    listed = list(names)
    while True:
        chosen = [listed[i] for i in rng.choice(len(listed), size, replace=False)]
        ids = [{article.id for article in names[name]} for name in chosen]
        pairs = [(a, b) for number, a in enumerate(ids) for b in ids[:number]]
        if all(len(a & b) <= MOST_SHARED * min(len(a), len(b)) for a, b in pairs):
            return chosen


def _conflated(chosen: Sequence[str], names: Names, rng: np.random.Generator) -> Profiles:
    held = [article.id for name in chosen for article in names[name]]
    hidden = {word.lower() for name in chosen for word in re.findall(r"[^\W\d_]{3,}", name.split("|")[1])}
    profiles: list[Profile] = []
    for name in chosen:
        own = [article for article in names[name] if held.count(article.id) == 1]
        for at in sorted(rng.choice(len(own), min(len(own), int(rng.choice(SIZES))), replace=False)):
            words = own[at].hidden().text.split()
            text = " ".join(word for word in words if re.sub(r"\W|'s$", "", word.lower()) not in hidden)
            profiles.append(Profile(str(len(profiles)), own[at].id, "Pseudonym", context=text, language="en"))
    return Profiles.of(profiles)


def answers(profiles: Profiles, references: int) -> dict[str, int]:
    """What each rule says of one set."""
    own, weighted = ContextVectors("tfidf").of(profiles), ContextVectors("background").of(profiles)
    rules = ContextClustering(stop="all", references=references) if references else ContextClustering()
    numbers = {f"{rule}, tfidf": decision.k for rule, decision in rules.fit(own).stopping_.items()}
    numbers["silhouette, tfidf"] = silhouette(own)
    numbers["even, tfidf"] = ContextClustering(stop="even").fit(own).n_clusters_
    decisions = ContextClustering(stop="calibrated").fit(weighted).stopping_
    numbers |= {f"{rule}, background": decisions[rule].k for rule in ("pk1", "pk2", "pk3", "calibrated")}
    return numbers | {"always 1": 1, "always 2": 2}


def silhouette(vectors: Vectors) -> int:
    distance = np.clip(1 - vectors.cosine(), 0, None)
    np.fill_diagonal(distance, 0)
    scores = {}
    for k in range(2, min(MOST_CLUSTERS, len(distance) - 1) + 1):
        labels = ContextClustering(k, n_init=3).fit(vectors).labels_
        scores[k] = silhouette_score(distance, labels, metric="precomputed")
    return max(scores, key=lambda k: scores[k])


def summary(answered: Sequence[dict[str, int]], truth: Sequence[int]) -> str:
    true = np.array(truth)
    sizes = sorted(set(truth)) if len(set(truth)) < 5 else []
    rows = []
    for rule in answered[0]:
        k = np.array([each[rule] for each in answered])
        by_size = [f"{(k[true == size] == size).sum()}/{(true == size).sum()}" for size in sizes]
        rows.append([rule, *by_size, f"{(k == true).mean():.0%}", float(np.abs(k - true).mean())])
    return table(["rule", *(f"k = {size}" for size in sizes), "exact", "mean error of k"], rows)


def authors() -> tuple[list[dict[str, int]], list[int]]:
    """Each name's papers: words of title and venue, and each co-author and organisation as one word."""
    by_name: dict[str, list[Profile]] = defaultdict(list)
    for profile in arnetminer.profiles(data("arnetminer")):
        by_name[profile.name].append(profile)
    gold = {row["id"]: row["entity"] for row in arnetminer.gold(data("arnetminer")).to_pylist()}
    answered, truth = [], []
    for profiles in by_name.values():
        texts = [" ".join([p.context, *(re.sub(r"\W|\d", "", r.name) for r in p.relations)]) for p in profiles]
        contexts = [
            Profile(p.id, p.id, "", context=text, language="en") for p, text in zip(profiles, texts, strict=True)
        ]
        answered.append(answers(Profiles.of(contexts), 0))
        truth.append(len({gold[p.id] for p in profiles}))
    return answered, truth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", nargs="+", choices=[*PARTS, "arnetminer"], default=[])
    parser.add_argument("--without-gap", action="store_true", help="leave the Gap out, which takes most of the time")
    given = parser.parse_args()
    for what in given.on:
        if what == "arnetminer":
            print(f"\n{what}\n\n{summary(*authors())}", flush=True)
            continue
        for corpus in CORPORA:
            drawn = [(answers(profiles, 0 if given.without_gap else 3), k) for profiles, k in sets(corpus, what)]
            print(f"\n{corpus}, {what}\n\n{summary(*zip(*drawn, strict=True))}", flush=True)


if __name__ == "__main__":
    main()
