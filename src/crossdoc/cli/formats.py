"""`crossdoc formats`: what crossdoc reads and writes, with examples, and the evidence that its specialists read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping

_FORMATS = """\
DOCUMENTS  (crossdoc resolve INPUT…)
  A folder of .txt, .md, .html or .htm files and office documents (ids are paths below the folder; a folder
  with none of these is read as plain text files; a note counts what is not read), an archive of them
  (.zip, .tar, .tar.gz …), `-` for standard input, or files of records:
    .jsonl  {"id": "a1", "text": "John Smith said …", "title": "…", "language": "en",
             "date": "1996-01-14", "source": "…",
             "mentions": [{"id": "m1", "start": 0, "end": 10, "type": "person", "chain": "c1"}]}
    .csv    id,text,title,language,date,source (or separated by ; or |, .tsv by tabs)
    .json   a list of such records
    .parquet  the same columns
    .spacy  a DocBin of documents that your own spaCy pipeline has annotated: their entities are the
            mentions; ids are doc.user_data["id"] (DocBin(store_user_data=True)) or running numbers
  Office documents: .pdf, .docx, .rtf, .odt, .epub, .eml, and .mbox, one document per message.
  All may be compressed: .gz, .xz, .bz2, .zst.
  Or annotations of other tools, whose names, types and chains are the mentions (--format NAME if the
  ending does not show it, as with .conll, .xml and .json):
    conll2012  .v4_gold_conll, .v4_auto_conll: OntoNotes' columns, with names and coreference
    conllu     .conllu: entities in the last column, Entity=(e1-person-1 … e1) (CorefUD) or NER=B-PER
    naf        .naf: NAF's layers of words, terms, entities and coreferences
    brat       .ann, with the .txt of the same name next to it
    cas        .xmi with TypeSystem.xml next to it, or JSON: UIMA's CAS (needs crossdoc[cas])
  `text` is required; rows without `id` get one from the file and the line. `mentions` (half-open code
  points of the text) replace crossdoc's own extraction (such profiles have a name and a context, but no
  attributes); mentions with the same chain are one profile; types: person, organisation, place (also as
  PER, ORG, GPE and the like); mentions of other types are left out.

PROFILES made by another extractor  (crossdoc resolve INPUT…)
    .jsonl or .parquet
    {"id": "p1", "document": "a1", "name": "John Smith", "type": "person", "context": "chairman of …",
     "language": "en", "attributes": {"descriptor": ["chairman"]},
     "relations": [{"type": "employment", "name": "General Motors", "profile": "p7"}]}
  `name` is required. Mentions without `id` get document:start:end if they have these columns, else one
  from the file and the line; each mention without `document` counts as a document of its own, so a table
  of names and contexts is enough.

{EVIDENCE}
KNOWN LISTS  (crossdoc resolve --known)
    .csv, .jsonl or .parquet
    id,name,aliases,type,description,attributes
    Q1,Jack Smith,John F. Smith | J. F. Smith,person,chairman of General Motors,"{""born"": ""1938""}"
  `id` and `name` are required; aliases and attributes of .jsonl and .parquet are lists and objects.
  Or OUT.crossdoc: the identities of another result.

ANSWERS and GOLD  (crossdoc score, crossdoc export)
    .csv, .jsonl or .parquet
    id,entity,membership,group
    a1:0:10,smith-gm,0.93,
  `id` and `entity` are required; several rows of one id are several memberships; `group` is what
  `--by group` averages over. An id missing from the answer counts as a singleton, one missing from
  the gold is left out; both are counted. `crossdoc export` has further columns, and writes identities as
  FollowTheMoney (.ftm), JSON-LD (.jsonld) or GraphML (.graphml).

EDGES  (crossdoc cluster)
    .csv, .jsonl or .parquet
    a,b,strength          strength in [0, 1]
    a,b,weight            signed: above 0 together, below 0 apart
  or a square, symmetric matrix: .csv with ids in the first row and column, or .npy.

CONTEXTS of an ambiguous name or word  (crossdoc contexts)
    .jsonl, .csv or .parquet
    {"id": "c1", "text": "he may lose , and that 's hard to do", "start": 26, "end": 30, "sense": "HARD1"}
  `text` is required; the target is marked by `start` and `end` or by <head>…</head> in the text; `sense`
  is gold. Or Senseval-2 XML (.xml, .sval2, .pos) with <instance id>, <answer senseid>, <context>, <head>.
  Or a matrix: .npy, .npz, or text as SenseClusters writes it: a first line `rows columns`, then one row
  per line; `rows columns entries`, then pairs of column (from 1) and value; `rows` for similarities.
  Or profiles (see above), or OUT.crossdoc with --name.

CONSTRAINTS  (--constraints)
    .csv, .jsonl or .parquet
    a,b,verdict,force,weight,who,why
    a1:0:10,a7:31:41,same,hard,,ada,"same photograph"
    a1:0:10,a9:5:15,different,soft,0.4,rule,"other middle initial"
  verdict: same or different; force: hard (the default; always respected) or soft (its weight is added
  to the strength). A CSV without a header is read in this order.

ARTICLE GROUPS  (crossdoc link)
    .jsonl (or .parquet, .csv)
    {"id": "g1", "language": "es", "titles": ["Airbus gana un pedido de Qatar Airways"],
     "texts": ["El fabricante de aviones …"]}
  Articles of one language on one event. `id` and a title or a text are required; `titles` and `texts`
  are lists, or one text. A missing `language` (ISO 639) is identified.

DICTIONARIES  (crossdoc link --translator de-en.tsv)
    .tsv    word <tab> translation, translation …      (lower case; lines that begin with # are skipped)
    .tei, or .dict.dz with its .index: FreeDict

Everything may be compressed: .gz, .xz or .zst after the ending.
"""


def text() -> str:
    """All formats; the types of evidence are those that the installed specialists declare."""
    return _FORMATS.replace("{EVIDENCE}", "\n".join(_evidence()))


def _evidence() -> Iterator[str]:
    from crossdoc.compare.specialists import all_specialists
    from crossdoc.compare.unread import types_read
    from crossdoc.names.evidence_types import SHOWN_ATTRIBUTES, SHOWN_RELATIONS

    specialists = all_specialists()
    yield "EVIDENCE in profiles  (what specialists compare, once `crossdoc train` has learned how much each counts)"
    for kind, shown in (("attribute", SHOWN_ATTRIBUTES), ("relation", SHOWN_RELATIONS)):
        read = types_read(kind, specialists)  # type: ignore[arg-type]
        yield f"  {kind}s, and the specialists that read them:"
        yield from _listed({type: f"{meaning}  [{', '.join(by)}]" for type, (meaning, by) in read.items()})
        yield f"  {kind}s that are kept but not compared:"
        yield from _listed({type: meaning for type, meaning in shown.items() if type not in read})
    yield "  In a type, upper and lower case, and space, - and _, are the same. A relation type may have a detail after"
    yield "  a colon. A type that no specialist reads gives a note and has no effect.\n"


def _listed(types: Mapping[str, str]) -> Iterator[str]:
    return (f"    {type:<18} {meaning}" for type, meaning in sorted(types.items()))


def formats() -> None:
    """Print the file formats with examples.

    Example:  crossdoc formats
    """
    from crossdoc.read.sources import added_formats

    added = ", ".join(sorted(added_formats()))
    sys.stdout.write(text() + (f"\nInstalled packages read documents from: {added}\n" if added else ""))
