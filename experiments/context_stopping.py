"""How many senses, or people, are there? PK1, PK2, PK3, the Gap, KXBI and the silhouette against the truth.

    CROSSDOC_DATA=… python experiments/context_stopping.py cases | senseval | arnetminer
    CROSSDOC_DATA=… python experiments/context_stopping.py conflation reuters|aida [--deltas] [--without-gap]

cases: the released program's own test cases, and matrices made to test its Gap. conflation: sets of 1 to 4 names made
one; vectors, criterion and deltaK's delta were chosen on Reuters-21578; the default rule was chosen with all of them in
view. "even" takes its cosine from the corpus itself, without labels. B³ is of the clusters at the k that a rule gives.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from common import data, table
from corpora import aida, arnetminer, reuters
from corpora.senseclusters import Conflation, map_senses, read_vectors, senseval_contexts
from sklearn.metrics import silhouette_score

from crossdoc.cluster.contexts import stopping
from crossdoc.cluster.contexts.context_clustering import EVEN_COSINE, IDLE_CLUSTERS, ContextClustering
from crossdoc.cluster.contexts.criteria import CODES
from crossdoc.cluster.contexts.partitioning import Clusters, Search, clusterings
from crossdoc.cluster.contexts.spaces import ContextMatrix, parts
from crossdoc.cluster.fuzzy.karc import KARC
from crossdoc.compare.background import adapted, measure_background
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.extract.asked_name import other_people
from crossdoc.extract.extractor import MASKED
from crossdoc.model import Document, Documents, Profile, Profiles, Vectors
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.scoring import Assignment, score_assignments
from crossdoc.settings import Settings

REUTERS = (
    "James Baker|Baker, Yasuhiro Nakasone|Nakasone, Paul Volcker|Volcker, Kiichi Miyazawa|Miyazawa, "
    "Clayton Yeutter|Yeutter, Dilson Funaro|Funaro, Margaret Thatcher|Thatcher, Nigel Lawson|Lawson, "
    "Edouard Balladur|Balladur, Richard Lyng|Lyng, Caspar Weinberger|Weinberger, Jose Sarney|Sarney, "
    "Gerhard Stoltenberg|Stoltenberg, Corazon Aquino|Aquino, Marlin Fitzwater|Fitzwater, Karl Otto Poehl|Poehl, "
    "Satoshi Sumita|Sumita, Alan Greenspan|Greenspan, Jacques Chirac|Chirac, Helmut Kohl|Kohl, "
    "Mikhail Gorbachev|Gorbachev, Dan Rostenkowski|Rostenkowski"
).split(", ")
AIDA = (
    "Pakistan, Israel, China, Russia, South Africa, Japan, Iraq, Brazil, Bill Clinton|Clinton, Chechnya, "
    "Boris Yeltsin|Yeltsin, Yasser Arafat|Arafat, Alexander Lebed|Lebed, Wasim Akram|Akram, Ajax Amsterdam|Ajax, "
    "European Union|EU, Taiwan, Germany, Sri Lanka, Mexico, Hong Kong, United Nations|U.N., "
    "Benjamin Netanyahu|Netanyahu, Czech Republic, Indonesia, Ukraine"
).split(", ")
SETS_OF_EACH_SIZE, MOST_OF_A_NAME, WORDS, MOST_CLUSTERS = 8, 100, 50, 100
RULES: dict[str, Callable[..., stopping.Decision]] = {
    "PK1": stopping.pk1,
    "PK2": stopping.pk2,
    "PK3": stopping.pk3,
}


class Solved:
    """One data set, clustered for every k up to deltaK, and what each rule says."""

    def __init__(
        self,
        vectors: Vectors,
        gold: Sequence[str],
        *,
        even: float = EVEN_COSINE,
        references: int = 0,
        others: bool = True,
    ) -> None:
        self.gold = [str(each) for each in gold]
        self.true_k = len(set(self.gold))
        given = ContextMatrix.of(vectors)
        n = given.unit.shape[0]
        everything = given.space(np.ones(n), Constraints.none(n))
        self.filled = np.flatnonzero(everything.itself > 0)
        search = Search(CODES["i2"], restarts=3)
        space = everything.subset(self.filled)
        self.curve: list[Clusters] = []
        agreement: list[float] = []
        last: int | None = None
        # The rule "even" may look further than deltaK, so that the curve goes on until both have come to their end.
        for found in islice(clusterings(space, "rbr", search), MOST_CLUSTERS):
            self.curve.append(found)
            size, square, _ = parts(space, found.labels.astype(np.int64), found.k)
            agreement.append(float((square - even * size**2).sum()))
            if last is None and len(self.curve) > 1 and stopping.hardly_improved(self.curve[-2].value, found.value):
                last = len(self.curve)
            if last is not None and len(agreement) - 1 - int(np.argmax(agreement)) >= IDLE_CLUSTERS:
                break
        self.until_delta = self.curve[:last]
        values = [found.value for found in self.until_delta]
        self.chosen = {name: rule(values).k for name, rule in RULES.items()}
        self.chosen["even (ours)"] = self.curve[int(np.argmax(agreement))].k
        if references:
            drawn = stopping.reference_values(given, np.ones(n), "rbr", search, 1, len(values), references)
            self.chosen["Gap"] = stopping.gap(values, drawn).k
        if others:
            cosines = Vectors(given.unit).cosine(self.filled).astype(np.float64)
            self.chosen["KXBI (KARC)"] = KARC(variant="paper").fit(cosines).validity_.chosen
            self.chosen["silhouette"] = self._silhouette(1 - np.clip(cosines, 0, 1))
        self.chosen |= {"always 1": 1, "always 2": 2, "always 3": 3, "the true k": self.true_k}

    def _silhouette(self, distances: np.ndarray) -> int:
        np.fill_diagonal(distances, 0)
        scores = {
            found.k: silhouette_score(distances, found.labels, metric="precomputed")
            for found in self.until_delta
            if 1 < found.k < len(self.filled)
        }
        return max(scores, key=lambda k: scores[k]) if scores else 1

    def labels(self, k: int) -> np.ndarray:
        """Contexts without a word go to the largest cluster, as in ContextClustering."""
        found = self.curve[min(k, len(self.curve)) - 1].labels
        labels = np.full(len(self.gold), np.bincount(found).argmax())
        labels[self.filled] = found
        return labels

    def b3(self, k: int) -> float:
        ids = [str(row) for row in range(len(self.gold))]
        answer = Assignment.of(dict(zip(ids, map(str, self.labels(k)), strict=True)))
        scores = score_assignments(answer, Assignment.of(dict(zip(ids, self.gold, strict=True))))
        return scores.values["b3"]["f1"]


def summary(solved: Sequence[Solved]) -> str:
    sizes = sorted({each.true_k for each in solved}) if len({each.true_k for each in solved}) < 6 else []
    rows = []
    for rule in solved[0].chosen:
        k = np.array([each.chosen[rule] for each in solved])
        true = np.array([each.true_k for each in solved])
        by_size = [f"{(k[true == size] == size).sum()}/{(true == size).sum()}" for size in sizes]
        b3 = float(np.mean([each.b3(each.chosen[rule]) for each in solved]))
        rows.append([rule, *by_size, f"{(k == true).sum()}/{len(k)}", float(np.abs(k - true).mean()), b3])
    return table(["rule", *(f"k = {size} found" for size in sizes), "found", "mean abs. error of k", "B³ F1"], rows)


def conflated(corpus: str) -> Iterator[tuple[list[str], Vectors, list[str], float]]:
    """(names, vectors, which name it was, even) of sets of 1 to 4 names; IDF and even from the whole corpus."""
    reader, names = (reuters, REUTERS) if corpus == "reuters" else (aida, AIDA)
    documents: list[Document] = list(reader.documents(data("reuters21578" if corpus == "reuters" else "aida")))
    vectoriser = ContextVectoriser().fit([[document.text for document in documents]])
    by_id = {document.id: document for document in documents}

    def fetch(ids: Sequence[str]) -> Documents:
        return Documents.of(by_id[id] for id in ids)

    people = Profiles.of(other_people(documents, fetch, "", Settings().window, MASKED))
    shipped = LearnedModel.default()
    texts = {id: document.text for id, document in by_id.items()}
    backgrounds = measure_background(shipped.fields, people, lambda ids: {id: texts[id] for id in ids}, vectoriser)
    model, _ = adapted(shipped, backgrounds)
    even = model.fields["context"].cosine_at(0.0)
    print(f"{corpus}: even at a cosine of {even:.4f}, {model.learned_on['background']}", flush=True)
    random = np.random.default_rng(7)
    for size in (1, 2, 3, 4):
        for _ in range(SETS_OF_EACH_SIZE):
            chosen = [names[i] for i in sorted(random.choice(len(names), size, replace=False))]
            # A conflation takes two names or more; the second of a single name's set is nowhere to be found.
            both = chosen if size > 1 else [*chosen, "no such name"]
            found = Conflation(both, pseudonym="Pseudonym", words=WORDS, once=True).contexts(documents)
            kept = list(_at_most(found, MOST_OF_A_NAME))
            profiles = Profiles.of(context.profile() for context in kept)
            yield chosen, vectoriser.transform(profiles), [str(context.sense) for context in kept], even


def _at_most(contexts: Iterable[Any], most: int) -> Iterator[Any]:
    seen: dict[str, int] = defaultdict(int)
    for context in contexts:
        seen[context.sense] += 1
        if seen[context.sense] <= most:
            yield context


def conflation(corpus: str, references: int, deltas: bool) -> None:
    solved = []
    for names, vectors, gold, even in conflated(corpus):
        solved.append(Solved(vectors, gold, even=even, references=references))
        listed = ", ".join(f"{rule} {k}" for rule, k in solved[-1].chosen.items())
        print(f"{' + '.join(name.split('|')[0] for name in names)} ({len(gold)}): {listed}", flush=True)
    print(f"\n{corpus}: {len(solved)} conflations\n\n{summary(solved)}", flush=True)
    if deltas:
        rows = []
        for delta in (0.02, 0.03, 0.05, 0.08):
            for name, rule in RULES.items():
                k = []
                for each in solved:
                    values = [found.value for found in each.until_delta]
                    k.append(rule(values[: stopping.delta_k(values, delta)]).k)
                off = np.abs(np.array(k) - [each.true_k for each in solved])
                b3 = float(np.mean([each.b3(one) for each, one in zip(solved, k, strict=True)]))
                rows.append([delta, name, int((off == 0).sum()), float(off.mean()), b3])
        print("\n" + table(["delta", "rule", "found", "mean abs. error of k", "B³ F1"], rows))


def senseval() -> None:
    rows = []
    for word in ("hard", "interest", "line"):
        contexts = list(senseval_contexts(data("senseval", f"{word}.pos")))
        profiles = Profiles.of(context.profile() for context in contexts)
        senses = [context.sense for context in contexts]
        vectors = ContextVectoriser().fit([profiles.column("context").to_pylist()]).transform(profiles)
        solved = Solved(vectors, [str(sense) for sense in senses], others=False)
        mapped = {rule: map_senses(solved.labels(k), senses) for rule, k in solved.chosen.items()}
        for rule, k in solved.chosen.items():
            rows.append([word, rule, k, mapped[rule].recall, mapped[rule].f, solved.b3(k)])
        print(word, "deltaK", len(solved.curve), flush=True)
    print("\n" + table(["word", "rule", "k", "accuracy", "F (SenseClusters)", "B³ F1"], rows))


def authors() -> None:
    """Each name's papers: words of title and venue, and each co-author and organisation as one word."""
    by_name: dict[str, list[Profile]] = defaultdict(list)
    for profile in arnetminer.profiles(data("arnetminer")):
        by_name[profile.name].append(profile)
    gold = {row["id"]: row["entity"] for row in arnetminer.gold(data("arnetminer")).to_pylist()}
    texts = {
        profile.id: " ".join([profile.context, *(re.sub(r"\W|\d", "", each.name) for each in profile.relations)])
        for profiles in by_name.values()
        for profile in profiles
    }
    vectoriser = ContextVectoriser().fit([texts.values()])
    everybody = Profiles.of(replace(p, context=texts[p.id]) for profiles in by_name.values() for p in profiles)
    shipped = LearnedModel.default()
    own, _ = adapted(shipped, measure_background(shipped.fields, everybody, None, vectoriser))
    even = own.fields["context"].cosine_at(0.0)
    print(f"even at a cosine of {even:.4f}")
    solved = []
    for profiles in by_name.values():
        contexts = Profiles.of(Profile(p.id, p.id, "", context=texts[p.id], language="en") for p in profiles)
        solved.append(Solved(vectoriser.transform(contexts), [gold[p.id] for p in profiles], even=even))
    print(f"\nArnetMiner: {len(solved)} names, {np.mean([each.true_k for each in solved]):.1f} authors a name\n")
    print(summary(solved))


def cases() -> None:
    rows: list[list[object]] = []
    for case in ("A6", "A8"):
        folder = data("senseclusters")
        printed = sorted(folder.glob(f"test{case}.reqd*"))[0].read_text().split()
        matrix = read_vectors(folder / f"test{case}.vectors")
        for method in ("rb", "direct"):
            rows.append([case, method, *_chosen(matrix, method), " ".join(printed)])
    for name, senses in (("2_senses", 2), ("3_senses", 3), ("8_senses", 8), ("mix", "?")):
        matrix = read_vectors(data("gap", name))
        rows.append([name, "direct", *_chosen(matrix, "direct"), f"{senses} senses"])
    print(table(["case", "method", "PK1", "PK2", "PK3", "Gap", "deltaK", "I2", "expected"], rows))


def _chosen(matrix: Any, method: Any) -> list[object]:
    found = ContextClustering(stop="all", method=method, references=10, n_init=10).fit(matrix)
    numbers = [found.stopping_[rule].k for rule in ("pk1", "pk2", "pk3", "gap")]
    return [*numbers, found.delta_k_, " ".join(f"{value:.3g}" for value in found.criterion_[:6])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["cases", "conflation", "senseval", "arnetminer"])
    parser.add_argument("corpus", nargs="?", choices=["reuters", "aida"], default="reuters")
    parser.add_argument("--deltas", action="store_true", help="also try other deltas for deltaK")
    parser.add_argument("--without-gap", action="store_true", help="leave the Gap out, which takes most of the time")
    given = parser.parse_args()
    if given.part == "conflation":
        conflation(given.corpus, 0 if given.without_gap else 3, given.deltas)
    else:
        {"cases": cases, "senseval": senseval, "arnetminer": authors}[given.part]()


if __name__ == "__main__":
    main()
