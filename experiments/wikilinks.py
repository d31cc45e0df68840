"""Links to Wikipedia as a corpus for cross-document coreference: Singh et al. 2011, section 5.2.

    python experiments/wikilinks.py enwiki-pages-articles.xml.bz2 -o links.parquet [--development apart.parquet]

An anchor is a mention, the block around it its context, and the title of the target page its entity. The paper names
its filters but few of their values: 36 words, 6 links and 5% are the paper's. It leaves open how far an anchor may be
from the title and which pages are about concepts; `LinkFilters` describes the choices made here.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from rapidfuzz.distance import Levenshtein
from wikipages import PageReader, find_files
from wikitext import without_bracket

from crossdoc import errors
from crossdoc.lang import pack
from crossdoc.names import fold
from crossdoc.progress import Progress, Quiet

Split = Literal["development", "test"]
MENTIONS = pa.schema(
    [(name, pa.string()) for name in ("id", "document", "name", "context")]
    + [("start", pa.int32()), ("end", pa.int32()), ("entity", pa.string()), ("split", pa.string())]
)
"""`start` and `end` are offsets in `context`; `crossdoc resolve` uses the first four columns only."""
BATCH = 10_000
"""Rows."""
LOWER_SHARE = 0.25
"""Share of a page's anchors within sentences. If more are in lower case, the page is about a concept. After Bunescu &
Paşca 2006, section 3, who require capitals in three quarters of the occurrences of a title."""
_SMALL_WORDS = frozenset(
    "a al an and as at by da das de del della der des di do dos du e el en et for from ibn in into la las le les los "
    "of on or over per the to und under upon van vom von vs with y zu".split()
)
_LIST = re.compile(r"^(?:lists? of|index of|outline of|glossary of|timeline of)\b", re.IGNORECASE)
_MONTHS = "|".join(pack("en").dates.months)
_DATE = re.compile(
    rf"^(?:(?:{_MONTHS})(?: \d{{1,4}})?|(?:\d{{1,2}} )?(?:{_MONTHS})(?: \d{{1,4}})?|\d+s?(?: bce?| ad)?|"
    r"\d+(?:st|nd|rd|th) (?:century|millennium)(?: bce?)?)$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?:;•–—\"“(]\s*$")


@dataclass(frozen=True, slots=True)
class LinkFilters:
    """Conditions for a link to become a mention.

    Parameters
    ----------
    least_words : minimum number of words of its block, the anchor included.
    most_distance : maximum edit distance between anchor and title, divided by the length of the longer one, without
        case, accents, spaces and a bracket at the end of the title. For a link through a redirect the nearer of both
        titles counts, since a redirect is a name of its page. 0.75 keeps "Bush" for "George W. Bush" (0.64), and drops
        "here".
    concepts : keep pages about concepts. A page is about a concept if a word of its title after the first is in lower
        case ("Political philosophy"; not "of", "the" and the like), if more than a quarter of its anchors within
        sentences are, or if it is a list, a year, a date or a disambiguation page.
    least_links : minimum number of links to an entity after the other filters.
    development : share of entities that is set apart for choosing parameters.
    seed : seed of the choice of these entities.
    """

    least_words: int = 36
    most_distance: float = 0.75
    concepts: bool = False
    least_links: int = 6
    development: float = 0.05
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("most_distance", "development"):
            if not 0 <= getattr(self, name) <= 1:
                raise errors.bad_parameter(name, getattr(self, name), "a number from 0 to 1")
        for name in ("least_words", "least_links"):
            if getattr(self, name) < 0:
                raise errors.bad_parameter(name, getattr(self, name), "a whole number of 0 or more")


@lru_cache(maxsize=100_000)
def anchor_distance(anchor: str, title: str) -> float:
    """Return the edit distance divided by the length of the longer text.

    >>> anchor_distance("Mercury", "Mercury (planet)"), round(anchor_distance("Bush", "George W. Bush"), 2)
    (0.0, 0.64)
    """
    return float(Levenshtein.normalized_distance(fold(anchor), fold(without_bracket(title))))


def title_of_concept(title: str) -> bool:
    """Return whether a title shows that its page is not about a person, a place, an organisation or a work.

    >>> [title_of_concept(title) for title in ("Political philosophy", "Ministry of Defence", "1984", "List of kings")]
    [True, False, True, True]
    """
    name = without_bracket(title)
    if _LIST.match(title) or _DATE.match(name) or title.lower().endswith("(disambiguation)"):
        return True
    # "iPod" and "al-Qaeda" have a capital, "4th" has no small letter to begin with.
    words = [word for word in name.split()[1:] if word[0].isalpha() and word.lower() not in _SMALL_WORDS]
    return any(word == word.lower() != word.upper() for word in words)


@dataclass
class _TitleFacts:
    """Facts about titles, collected from all pages. Memory grows with distinct titles, not with text."""

    redirects: dict[str, str] = field(default_factory=dict)
    disambiguations: set[str] = field(default_factory=set)
    small: Counter[str] = field(default_factory=Counter)
    """Anchors within sentences in lower case, and all anchors with letters that have case, by the linked title."""
    cased: Counter[str] = field(default_factory=Counter)

    def page(self, title: str) -> str:
        """Follow the redirects from a title; those that form a circle are one page."""
        visited = {title}
        while (following := self.redirects.get(title)) is not None:
            if following in visited:
                return min(visited)
            visited.add(following)
            title = following
        return title


class LinkCorpus:
    """Mentions from links. Files are read and filtered once; the mentions can then be iterated repeatedly.

    Blocks are kept in a temporary file, since the number of links of an entity and the target of a redirect are known
    only at the end. Use it in a ``with`` statement, which removes that file.

    `counts` has the number of links that each filter removed, `entities` the links of each remaining entity.
    """

    def __init__(
        self,
        filters: LinkFilters | None = None,
        *,
        language: str = "en",
        partial: bool = False,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.filters = filters or LinkFilters()
        self.progress = progress or Quiet()
        self.counts: Counter[str] = Counter()
        self.entities: dict[str, int] = {}
        self.development: frozenset[str] = frozenset()
        self._folder = folder
        self._pages = PageReader(language, partial, self.progress, self.counts)
        self._blocks: IO[bytes] | None = None

    def __enter__(self) -> LinkCorpus:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        if self._blocks is not None:
            self._blocks.close()
            self._blocks = None

    def read(self, paths: Iterable[str | os.PathLike[str]]) -> LinkCorpus:
        """Read all files below the paths and filter what is in them."""
        files = find_files(paths)
        self.close()
        self.counts.clear()
        with tempfile.TemporaryFile(dir=self._folder) as found:
            seen = _TitleFacts()
            blocks = self._collect(files, found, seen)
            found.seek(0)
            self._blocks = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed by `close`
            self._filter(found, blocks, seen)
        by_links = Counter(self.entities)
        self.entities = {title: n for title, n in sorted(by_links.items()) if n >= self.filters.least_links}
        self.counts["links of entities with too few"] = by_links.total() - sum(self.entities.values())
        self.counts["mentions"] = sum(self.entities.values())
        self.development = self._development()
        if not self.entities:
            raise errors.InputError(
                "No link to Wikipedia is left. What was found:\n" + "\n".join(self.counts_in_words()),
                "Loosen the filter that removed most.",
            )
        return self

    def counts_in_words(self) -> list[str]:
        """Return the counts as lines of text."""
        return [f"{what}: {count:,}" for what, count in self.counts.items()]

    def mentions(self, split: Split | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the mentions in input order, as batches of `MENTIONS`: all, or those of one split."""
        if self._blocks is None:
            return
        self._blocks.seek(0)
        rows: list[tuple[Any, ...]] = []
        for line in self._blocks:
            rows.extend(self._rows(json.loads(line), split))
            if len(rows) >= BATCH:
                yield _batch(rows)
                rows = []
        if rows:
            yield _batch(rows)

    def _rows(self, block: dict[str, Any], split: Split | None) -> Iterator[tuple[Any, ...]]:
        document, text, offset = block["document"], block["text"], block["offset"]
        for start, end, title in block["links"]:
            if title not in self.entities:
                continue
            part = "development" if title in self.development else "test"
            if split is None or split == part:
                id = f"{document}:{offset + start}:{offset + end}"
                yield id, document, text[start:end], text, start, end, title, part

    def _collect(self, files: Any, found: IO[bytes], seen: _TitleFacts) -> int:
        """Write the blocks that are long enough and have links; return their number."""
        blocks = 0
        for page in self._pages.pages(files):
            if page.redirect is not None:
                seen.redirects[page.id] = page.redirect
            elif page.disambiguation:
                seen.disambiguations.add(page.id)
            offset = 0
            for block in page.blocks:
                self.counts["links"] += len(block.links)
                for start, end, title in block.links:
                    self._note_case(seen, block.text, start, end, title)
                if len(block.text.split()) < self.filters.least_words:
                    self.counts["links in short blocks"] += len(block.links)
                elif block.links:
                    blocks += 1
                    _write(found, {"document": page.id, "offset": offset, "text": block.text, "links": block.links})
                offset += len(block.text) + 1
        return blocks

    def _note_case(self, seen: _TitleFacts, text: str, start: int, end: int, title: str) -> None:
        """Count an anchor that names the page within a sentence, where capitals are informative."""
        anchor = text[start:end]
        cased = anchor.lower() != anchor.upper()
        within = start > 0 and not _SENTENCE_END.search(text, max(0, start - 3), start)
        if cased and within and anchor_distance(anchor, title) <= self.filters.most_distance:
            seen.cased[title] += 1
            seen.small[title] += anchor == anchor.lower()

    def _filter(self, found: IO[bytes], blocks: int, seen: _TitleFacts) -> None:
        """Follow redirects; drop links by anchor and by page; count what is left of each entity."""
        concepts = set() if self.filters.concepts else _concepts(seen)
        self.progress.start("filtering blocks", blocks)
        assert self._blocks is not None
        entities: Counter[str] = Counter()
        for line in found:
            block = json.loads(line)
            kept = []
            for start, end, linked in block["links"]:
                title, anchor = seen.page(linked), block["text"][start:end]
                if min(anchor_distance(anchor, name) for name in {linked, title}) > self.filters.most_distance:
                    self.counts["links with an anchor far from the title"] += 1
                elif not self.filters.concepts and (title in concepts or title_of_concept(title)):
                    self.counts["links to concepts"] += 1
                else:
                    kept.append((start, end, title))
                    entities[title] += 1
            if kept:
                _write(self._blocks, {**block, "links": kept})
            self.progress.advance()
        self.entities = dict(entities)

    def _development(self) -> frozenset[str]:
        """Return the entities with the smallest hashes, so that one more entity hardly changes the choice."""
        salt = self.filters.seed.to_bytes(8, "little", signed=True)
        order = sorted(self.entities, key=lambda title: blake2b(title.encode(), digest_size=8, salt=salt).digest())
        return frozenset(order[: round(self.filters.development * len(order))])


def _concepts(seen: _TitleFacts) -> set[str]:
    cased: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for title, count in seen.cased.items():
        page = seen.page(title)
        cased[page] += count
        small[page] += seen.small[title]
    return {title for title in cased if small[title] > LOWER_SHARE * cased[title]} | seen.disambiguations


def _write(stream: IO[bytes], block: dict[str, Any]) -> None:
    stream.write(json.dumps(block, ensure_ascii=False).encode() + b"\n")


def _batch(rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    return pa.record_batch([pa.array(c, f.type) for c, f in zip(columns, MENTIONS, strict=True)], schema=MENTIONS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "inputs", nargs="+", metavar="INPUT", help="HTML pages, WARC archives, MediaWiki dumps, folders"
    )
    parser.add_argument("-o", "--output", required=True, type=Path, help="mentions as Parquet, also gold for `score`")
    parser.add_argument("--development", type=Path, help="mentions of the development entities apart, as Parquet")
    parser.add_argument("--language", default="en", help="on web pages, count links to the Wikipedia in this language")
    parser.add_argument("--partial", action="store_true", help="use what can be read of a truncated file")
    parser.add_argument("--least-words", type=int, default=36)
    parser.add_argument("--most-distance", type=float, default=0.75)
    parser.add_argument("--concepts", action="store_true")
    parser.add_argument("--least-links", type=int, default=6)
    parser.add_argument("--development-share", type=float, default=0.05)
    given = parser.parse_args()
    filters = LinkFilters(
        given.least_words, given.most_distance, given.concepts, given.least_links, given.development_share
    )
    outputs: dict[Path, Split | None] = {given.output: None}
    if given.development:
        outputs = {given.output: "test", given.development: "development"}
    with LinkCorpus(filters, language=given.language, partial=given.partial) as corpus:
        corpus.read(given.inputs)
        print("\n".join(corpus.counts_in_words()))
        for path, split in outputs.items():
            with pq.ParquetWriter(path, MENTIONS) as writer:
                for batch in corpus.mentions(split):
                    writer.write_batch(batch)


if __name__ == "__main__":
    main()
