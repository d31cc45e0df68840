"""Name conflation: several names of a corpus become one ambiguous name, and the original names are the gold.

Pedersen & Kulkarni 2006, section 1, after Gale, Church & Yarowsky 1992.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.context_files import Context

WORDS = 25
"""Words on each side of a name, as is usual for name conflation."""


class Conflation:
    """Replaces all mentions of some names by one pseudonym.

    Parameters
    ----------
    names : the names, each optionally with variants, as in ``Sonia Gandhi|Mrs. Gandhi|Gandhi``.
    pseudonym : the replacement; by default the names, joined.
    words : words of context on either side; None keeps the full document.
    once : use only the first mention of a document.

    >>> documents = [Document("d", "John met Mary in Rome.")]
    >>> for context in Conflation(["John", "Mary"], words=2).contexts(documents):
    ...     print(context.id, context.sense, context.text)
    d:0:4 John JohnMary met JohnMary
    d:9:13 Mary JohnMary met JohnMary in Rome.
    """

    def __init__(
        self, names: Sequence[str], *, pseudonym: str | None = None, words: int | None = WORDS, once: bool = False
    ) -> None:
        variants = [[" ".join(form.split()) for form in name.split("|") if form.strip()] for name in names]
        self.senses = {form: forms[0] for forms in variants for form in forms}
        self.names = [forms[0] for forms in variants if forms]
        repeated = len(set(self.names)) < len(names) or len(self.senses) < sum(map(len, variants))
        if len(self.names) < 2 or repeated:
            raise errors.names_to_conflate(names)
        self.pseudonym = pseudonym or "".join(re.sub(r"\W+", "", name) for name in self.names)
        self.words = words
        self.once = once
        longest_first = sorted(self.senses, key=len, reverse=True)
        # A name may be broken over two lines.
        written = [r"\s+".join(map(re.escape, form.split())) for form in longest_first]
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(written)})(?!\w)")

    def contexts(self, documents: Iterable[Document]) -> Iterator[Context]:
        """Yield one context per mention (or per document) with the id document:start:end."""
        for document in documents:
            yield from self._contexts_in(document)

    def _contexts_in(self, document: Document) -> Iterator[Context]:
        found = list(self._pattern.finditer(document.text))
        pieces, starts, at, length = [], [], 0, 0
        for match in found:
            before = document.text[at : match.start()]
            starts.append(length + len(before))
            pieces += [before, self.pseudonym]
            length += len(before) + len(self.pseudonym)
            at = match.end()
        text = "".join([*pieces, document.text[at:]])
        for match, start in zip(found[:1] if self.once else found, starts, strict=False):
            id = f"{document.id}:{match.start()}:{match.end()}"
            context = Context(id, text, start, start + len(self.pseudonym), self.senses[" ".join(match[0].split())])
            yield context if self.words is None else context.within(self.words)
