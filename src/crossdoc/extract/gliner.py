"""Mentions from a span tagger of the GLiNER kind (Zaratiana et al. 2024, https://aclanthology.org/2024.naacl-long.300).

`--set extractor=gliner:FOLDER` reads with the model in a folder (`crossdoc[gliner]`). Anything with GLiNER's
`predict_entities(text, labels, threshold=…)` can be given in its place. Nothing is ever fetched from elsewhere.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from crossdoc import errors
from crossdoc.extract.extractor import mention_of
from crossdoc.extract.given import GivenExtractor
from crossdoc.model import Document, Documents, Mention, Mentions, Profiles

LABELS = {"person": "person", "organization": "organisation", "location": "place"}
"""Labels that the tagger is asked for, and the entity type of each."""
PIECE_WORDS = 200
"""A longer text is tagged in pieces: GLiNER's models were made for 384 words, and leave out what is beyond."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
_WORDS = re.compile(r"\S+\s*")


class SpanTagger(Protocol):
    """A tagger returns spans of a text with `start`, `end` and `label`, each label one of those asked for."""

    def predict_entities(self, text: str, labels: list[str], *, threshold: float) -> list[dict[str, Any]]: ...


class GlinerExtractor:
    """Profiles from the spans of a tagger, chained by their names; documents that came with mentions keep those.

    >>> class Shouted:
    ...     def predict_entities(self, text, labels, *, threshold):
    ...         return [dict(start=m.start(), end=m.end(), label="person") for m in re.finditer("[A-Z]{2,}", text)]
    >>> GlinerExtractor(Shouted()).extract(Documents.of([Document("a", "It was ANN. Yes, ANN.")]))
    (<Mentions: 2>, <Profiles: 1>)
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | SpanTagger = "",
        labels: Mapping[str, str] = LABELS,
        threshold: float = 0.5,
        window: int = 300,
    ) -> None:
        self.tagger = load(Path(model)) if isinstance(model, str | os.PathLike) else model
        self.labels = dict(labels)
        self.threshold = threshold
        self._given = GivenExtractor(window)

    def extract(self, documents: Documents) -> tuple[Mentions, Profiles]:
        return self._given.extract(Documents.of(map(self._with_mentions, documents)))

    def _with_mentions(self, document: Document) -> Document:
        return document if document.mentions is not None else replace(document, mentions=tuple(self._tagged(document)))

    def _tagged(self, document: Document) -> Iterator[Mention]:
        asked = list(self.labels)
        for offset, piece in pieces(document.text):
            for span in self.tagger.predict_entities(piece, asked, threshold=self.threshold):
                start, end = offset + span["start"], offset + span["end"]
                yield mention_of(document, start, end, self.labels[span["label"]])


def load(folder: Path) -> SpanTagger:
    """The model in a folder, as GLiNER's `save_pretrained` leaves it there."""
    if not (folder / "gliner_config.json").is_file():
        raise errors.no_gliner_model(folder)
    try:
        from gliner import GLiNER
    except ImportError as error:
        raise errors.needs_extra("The extractor 'gliner'", "gliner", "gliner") from error
    model = GLiNER.from_pretrained(str(folder), local_files_only=True, load_tokenizer=True)
    model.eval()
    return model


def pieces(text: str) -> Iterator[tuple[int, str]]:
    """(start, piece) of a text: as many sentences as there is room for, and parts of one that is too long.

    >>> [(start, len(piece.split())) for start, piece in pieces("One two. " * 150)]
    [(0, 200), (900, 100)]
    """
    start = count = 0
    for at, sentence in _sentences(text):
        words = len(sentence.split())
        if count and count + words > PIECE_WORDS:
            yield start, text[start:at]
            start, count = at, 0
        count += words
    if count:
        yield start, text[start:]


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for end in (*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)):
        words = list(_WORDS.finditer(text, at, end))
        for first in range(0, len(words), PIECE_WORDS):
            last = words[min(first + PIECE_WORDS, len(words)) - 1]
            yield words[first].start(), text[words[first].start() : last.end()]
        at = end
