"""Feed every reader damaged and crafted input: does it answer, or say what is wrong, within a second?

    python tools/fuzz_readers.py [--inputs 1000000] [--seed 0] [--only jsonl html …] [--keep FOLDER]

Each reader has small whole inputs, which are changed at random: bytes flipped, cut, doubled, spliced, and replaced by
what has done harm before (deep nesting, huge numbers, NaN, open brackets). A reader may give what it found or raise a
CrossdocError; anything else, and anything that takes more than a second of CPU, is a finding, kept with its input. Each
reader runs in a process of its own, so that a crash is a finding too. What was found is kept in tests/read/worst.
"""

# ruff: noqa: E501 - whole inputs are one line each
from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import random
import sys
import tarfile
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fastapi import FastAPI
from fastapi.testclient import TestClient

from crossdoc import errors
from crossdoc.compare.learned import LearnedModel
from crossdoc.extract.asked_name import full_names
from crossdoc.extract.attributes import stated_date
from crossdoc.extract.models import pieces
from crossdoc.extract.truecase import CaseCounts, truecased
from crossdoc.names import agreeing_names, parse_person, relate
from crossdoc.names.forms import in_one_form, without_cases
from crossdoc.names.texts import find_contacts, find_name
from crossdoc.read import (
    DocumentReader,
    find_sources,
    office_worker,
    read_answer,
    read_edges,
    read_judgements,
    read_known,
    read_profiles,
)  # fmt: skip
from crossdoc.read.clean_text import NotText, decode, html_to_text, identify_language
from crossdoc.read.context_files import read_contexts, read_matrix
from crossdoc.settings import Settings

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from corpora import CORPORA, corpus_errors

SECONDS = 1.0
LONGEST, USUAL = 8_000, 400
Reader = Callable[[bytes, Path], object]
HARM = [
    b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"NaN", b"1e999", b"-1", b"99999999999999999999", b"null", b"[" * 2000,
    b"{" * 2000, b'{"a":' * 2000, b"<div>" * 2000, b"<a " * 500, b"<!--" * 500, b"<title>" * 500, b"(" * 2000,
    b"[[" * 2000, b"{{" * 2000, b"{|" * 500, b" " * 5000, b"\n" * 2000, b"\t" * 2000, b'"' * 999, b"," * 2000, b";" * 2000,
    b"&" * 2000, b"&amp" * 500, b"<ref" * 500, b"a" * 8000, b"A. " * 2000, b"@" * 2000, b"a@" * 1000, b"1-" * 2000,
    b"\\u0000", b"\\ud800", b"=" * 2000, b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"]]>", b"\r", b"\xe2\x80\xa8", b"#" * 500,
    b"_ _ _ " * 500, b"http://" * 500, b"+1 (2) " * 500, b"O'" * 1000, b"-" * 4000, b"\\" * 2000, b"|" * 2000,
]  # fmt: skip


def document_file(ending: str, **more: Any) -> Reader:
    def read(content: bytes, folder: Path) -> object:
        path = folder / f"a{ending}"
        path.write_bytes(content)
        return [len(batch) for batch in DocumentReader(find_sources([path], **more), max_document_characters=1_000_000)]

    return read


def table_file(ending: str, reader: Callable[[Path], object]) -> Reader:
    def read(content: bytes, folder: Path) -> object:
        path = folder / f"a{ending}"
        path.write_bytes(content)
        return reader(path)

    return read


def corpus(name: str, place: str, beside: dict[str, bytes] | None = None) -> Reader:
    """A reader of a corpus, of which one file is changed."""

    def read(content: bytes, folder: Path) -> object:
        for where, what in {**(beside or {}), place: content}.items():
            (folder / where).parent.mkdir(parents=True, exist_ok=True)
            (folder / where).write_bytes(what)
        reader = CORPORA[name]
        whole = folder / place if name == "john-smith-serif" else folder
        with corpus_errors(name, whole):
            list(reader.profiles(whole) if hasattr(reader, "profiles") else reader.documents(whole))
            return reader.gold(whole) if hasattr(reader, "gold") else None

    return read


def text_rules(content: bytes, folder: Path) -> object:
    """Regular expressions over plain text: contact details, names, windows, the language."""
    text = content.decode("utf-8", errors="replace")
    name = text[:60]
    found = find_name(text, "John Smith"), find_name(text, name), list(find_contacts(text))
    return (
        found,
        parse_person(name),
        agreeing_names(["John Smith", name], entity_type="person"),
        identify_language(text),
    )


def written_rules(content: bytes, folder: Path) -> object:
    """What is read off words: dates as they are written, names in other languages and cases, headlines, full names."""
    text = content.decode("utf-8", errors="replace")
    language, _, body = text.partition("\n")
    names = [line[:200] for line in body.split("\n")[:6]] or [""]
    tongues: list[str | None] = [language if language in LANGUAGES else None] * len(names)
    counts = CaseCounts().update([body])
    for type_ in ("person", "organisation", "place"):
        types: list[str | None] = [type_] * len(names)
        in_one_form(without_cases(names, tongues, types), tongues, types)
        agreeing_names(names, entity_type=type_)
        relate(names[0], names[-1], type_)
    dates = [stated_date(line, date(1996, 1, 14), tongue or "en") for line, tongue in zip(names, tongues, strict=True)]
    return dates, full_names(body), truecased(body, counts), list(pieces(body))


def api(content: bytes, folder: Path) -> object:
    """Requests to the explorer's API: the first line is method and address, the rest the body. Nothing is written."""
    first, _, body = content.partition(b"\n")
    method, _, address = first.decode("latin-1").partition(" ")
    words = {"content-type": "application/json"}
    try:
        answer = _client().request(
            "GET" if method == "GET" else "POST", quote(address, "/?&=%"), content=body, headers=words
        )
    except httpx.InvalidURL:
        return None
    assert answer.status_code < 500, answer.text
    return answer.json()


@cache
def _client() -> Any:
    from crossdoc.web.api import router
    from crossdoc.web.reader import Reader
    from crossdoc.web.session import Session

    path = Path(tempfile.mkdtemp(), "a.crossdoc")
    path.write_bytes(_MADE["result"][2][0])
    app = FastAPI()
    app.include_router(router(Session(path, Reader(path), None)))
    return TestClient(app, base_url="http://localhost")


def office(ending: str) -> Reader:
    def read(content: bytes, folder: Path) -> object:
        try:
            return office_worker.OFFICE_READERS[ending](content)
        except (office_worker.OfficeProblem, MemoryError, RecursionError):
            return None
        except Exception as error:  # noqa: BLE001 - see below
            # The process that reads says this itself; a crash or a hang would be another thing.
            return type(error)

    return read


def stored(content: bytes, folder: Path) -> object:
    import crossdoc

    path = folder / "a.crossdoc"
    path.write_bytes(content)
    with crossdoc.open(path) as answer:
        return answer.identities(), answer.notes, answer.store.entries()


def archive(files: dict[str, bytes], kind: str) -> bytes:
    sink = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in files.items():
                packed.writestr(name, content)
        return sink.getvalue()
    with tarfile.open(fileobj=sink, mode="w") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return sink.getvalue()


def _parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"id": ["a"], "text": ["John Smith"]}), sink)
    return sink.getvalue()


def _npy(sparse_file: bool = False) -> bytes:
    sink = io.BytesIO()
    if sparse_file:
        from scipy import sparse

        sparse.save_npz(sink, sparse.eye(3, format="csr"))
    else:
        np.save(sink, np.eye(3))
    return sink.getvalue()


def _docbin() -> bytes:
    import spacy
    from spacy.tokens import DocBin, Span

    doc = spacy.blank("en")("John Smith met Ann Lee.")
    doc.ents = [Span(doc, 0, 2, "PERSON")]
    return DocBin(docs=[doc]).to_bytes()


def _result() -> bytes:
    import crossdoc
    from crossdoc.model import Profile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.crossdoc")
        crossdoc.resolve([Profile("a", "a", "Ann Lee", "person", "race")], output=path, method="string-match").close()
        return path.read_bytes()


PROFILE = b'{"id":"p","document":"d","name":"Ann Lee","type":"person","context":"x","attributes":{"born":["1931"]}}\n'
HTML = (
    b"<html><head><title>A</title></head><body><table><tr><td>John <b>Smith</b></td></tr></table><p>x</p></body></html>"
)
CONLL = b"#begin document (a); part 000\na 0 0 John NNP * - - - - (PERSON * (0\na 0 1 Smith NNP * - - - - *) * 0)\n\n#end document\n"
SGML = b'<REUTERS NEWID="1" OLDID="2"><DATE>26-FEB-1987 15:01:01.79</DATE><TEXT><TITLE>A</TITLE><BODY>John Smith &lt;x> said.&#3;</BODY></TEXT></REUTERS>'
SERIF = (
    b'{"gold_entity": "0", "doc": "1", "sentences": {"serif": [[["John", "NNP", 0, 1, 1, 0], ["Smith", "NNP", 0, 1, 1, 0]]]}, '
    b'"relations": {"serif": [[0, 1, "x", 1, 1]]}}\n'
)
MODEL = LearnedModel.default().model_dump_json().encode()


def readers() -> dict[str, tuple[int, Reader, list[bytes]]]:
    """By name: how many of a thousand inputs it gets, the reader, and whole inputs."""
    rows = b'{"id":"a","text":"John Smith spoke.","language":"en","date":"1996-01-14","mentions":[{"start":0,"end":10,"type":"PER"}]}\n'
    office_files = _office()
    return {
        "text": (4, lambda c, f: decode(c), ["Müller läuft.".encode("latin-1"), "Müller".encode("utf-16")]),
        "html": (4, lambda c, f: html_to_text(decode(c, html=True)), [HTML]),
        "text rules": (20, text_rules, [b"John Smith, j.smith@x.org, +1 212 555 0199, http://x.org/~js. Mr. John F. Smith Jr."]),
        "written": (4, written_rules, WRITTEN),
        "api": (1, api, REQUESTS),
        "jsonl": (8, document_file(".jsonl"), [rows * 2]),
        "json": (8, document_file(".json"), [b"[" + rows + b"]"]),
        "csv": (8, document_file(".csv"), [b'id,text,language\n1,"John ""S"" Smith",en\n', b"id;text;language\n1;x;en\n"]),
        "profiles": (40, table_file(".jsonl", lambda p: list(read_profiles(find_sources([p])))), [PROFILE * 2]),
        "profiles csv": (40, table_file(".csv", lambda p: list(read_profiles(find_sources([p])))), [b'name,context,attributes\nAnn,x,"{""born"": ""1931""}"\n']),
        "known": (60, table_file(".csv", read_known), [b"id,name,aliases,type\nQ1,Ann Lee,A. Lee | AL,PER\n"]),
        "answer": (8, table_file(".csv", read_answer), [b"id,entity,membership\na,b,0.5\n"]),
        "edges": (8, table_file(".csv", read_edges), [b"a,b,strength\nx,y,.5\n", b",x,y\nx,1,.5\ny,.5,1\n"]),
        "judgements": (90, table_file(".csv", read_judgements), [b"a,b,verdict,force,weight\nx,y,same,soft,2\n"]),
        "npy": (40, table_file(".npy", read_matrix), [_npy()]),
        "npz": (1, table_file(".npz", read_matrix), [_npy(True)]),
        "contexts": (60, table_file(".jsonl", read_contexts), [b'{"id":"1","text":"The <head>line</head> is","sense":"a"}\n']),
        "conll2012": (4, document_file(".v4_gold_conll"), [CONLL]),
        "parquet": (4, document_file(".parquet"), [_parquet()]),
        "gz": (4, document_file(".jsonl.gz"), [gzip.compress(rows)]),
        "zip": (2, document_file(".zip"), [archive({"a.txt": b"John", "b.html": HTML}, "zip")]),
        "tar": (2, document_file(".tar"), [archive({"a.txt": b"John", "b.html": HTML}, "tar")]),
        "docbin": (1, document_file(".spacy"), [_docbin()]),
        "reuters": (30, corpus("reuters", "reut2-000.sgm"), [SGML]),
        "weps": (2, corpus("weps", "web_pages/A_B/raw/001/index.html", WEPS), [HTML]),
        "weps gold": (4, corpus("weps", "truth_files/A_B.clust.xml", WEPS), list(WEPS.values())[:1]),
        "serif": (10, corpus("john-smith-serif", "a.jsonl"), [SERIF]),
        "bsnlp": (4, corpus("bsnlp", "t/annotated/pl/a.out", {"t/raw/pl/a.txt": b"1\npl\n2018-01-12\nx\nMay.\n"}), [b"1\nMay\tMay\tPER\tPER-May\n"]),
        "model": (8, table_file(".json", LearnedModel.load), [MODEL]),
        "settings": (4, table_file(".toml", Settings.load), [b'method = "karc"\nwindow = 300\n[karc]\nvariant = "paper"\n']),
        **{f"office {ending}": (1, office(ending), [content]) for ending, content in office_files.items()},
        "result": (1, stored, [_result()]),
    }  # fmt: skip


LANGUAGES = ("en", "de", "fr", "fi", "sv", "pl", "cs", "ru", "uk", "bg", "sl", "hr", "sk")
WRITTEN = [
    b"en\nborn on 14 January 1931 in Paris\nMr. John F. Smith Jr.\nSmith, John\nACME CORP. WINS\nU.S. Senate",
    "fr\nné le 1er mai 1931\nOrganisation des Nations unies\nM. Jean-Paul d'Estaing".encode(),
    b"de\nam 3. Oktober 1990\nAngela Merkels\nVereinte Nationen\nHamburgs",
    "ru\n14 января 1931 г.\nВладимиром Путиным\nПутина".encode(),
    b"pl\ndnia 3 maja 1791\nAndrzejowi Dudzie\nWarszawie",
    "fi\nHelsingin yliopistossa\nSuomen\nSauli Niinistön".encode(),
]
REQUESTS = [
    b"GET /api/search?q=ann&words=race&type=person&from_year=1990&least=1&surest=0.5&sort=name&limit=5\n",
    b"GET /api/identity?id=p0\n", b"GET /api/identity/members?id=p0&offset=1&limit=3\n", b"GET /api/why?a=p0&b=p1\n",
    b"GET /api/why/identity?profile=p0&identity=p1\n", b"GET /api/identity/timeline?id=p0\n", b"GET /api/network?top=3\n",
    b"GET /api/document?id=d0\n", b"GET /api/orders/1\n", b"GET /api/profile?id=p0\n",
    b'POST /api/judge\n{"a":"p0","b":"p1","verdict":"same","who":"x","why":"y","wait":true}',
    b'POST /api/split\n{"identity":"p0","profiles":["p0","p1"]}', b'POST /api/merge\n{"identities":["p0","p1"]}',
    b'POST /api/undo\n{"entry":1}', b'POST /api/rename\n{"identity":"p0","name":"Ann"}',
]  # fmt: skip
WEPS = {
    "truth_files/A_B.clust.xml": b"<clustering name='A B'><entity id='0'><doc rank='1'/></entity></clustering>",
    "web_pages/A_B/raw/001/index.html": HTML,
    "description_files/A_B.xml": b"<corpus><doc rank='1' title='A'><snippet>x</snippet></doc></corpus>",
}  # fmt: skip


def _office() -> dict[str, bytes]:
    sys.path.insert(0, str(Path(__file__).parent.parent))
    made: Any = import_module("tests.read.test_office")
    return {**{Path(name).suffix: content for name, content in made.WHOLE.items()}, ".eml": made.MAIL}


def changed(whole: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """A whole input with one to eight changes."""
    made = bytearray(whole)
    # One in a hundred is long: most faults need few bytes, and what takes the square of a length needs many.
    longest = LONGEST if chance.random() < 0.01 else max(USUAL, len(whole) + 100)
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        at = chance.randrange(len(made) + 1)
        act = chance.randrange(7)
        if act == 0 and made:
            made[min(at, len(made) - 1)] = chance.randrange(256)
        elif act == 1:
            del made[at : at + chance.choice((1, 4, 50))]
        elif act == 2:
            made[at:at] = chance.choice(HARM)[:longest]
        elif act == 3:
            made[at : at + chance.choice((1, 8))] = chance.choice(HARM)[:longest]
        elif act == 4:
            made[at:at] = made[at : at + 100] * chance.choice((1, 5, 50))
        elif act == 5:
            other = chance.choice(others)
            made[at:] = other[chance.randrange(len(other) + 1) :]
        else:
            made[at:at] = bytes(chance.randrange(256) for _ in range(4))
        del made[longest:]
    return bytes(made)


def tried(reader: Reader, wholes: list[bytes], inputs: int, seed: int, last: Path) -> Iterable[tuple[str, bytes]]:
    """What is found wrong with a reader, each kind once; the last item says how long the slowest took."""
    chance = random.Random(seed)
    seen: set[str] = set()
    slowest, worst = 0.0, b""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        for _ in range(inputs):
            given = changed(chance.choice(wholes), wholes, chance)
            last.write_bytes(given)
            began = time.process_time()
            try:
                reader(given, Path(folder))
            except (errors.CrossdocError, NotText):
                pass
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                where = traceback.extract_tb(error.__traceback__)[-1]
                kind = f"{type(error).__name__} in {Path(where.filename).name}:{where.lineno} ({str(error)[:80]})"
                if kind.partition("(")[0] not in seen:
                    seen.add(kind.partition("(")[0])
                    yield kind, given
            took = time.process_time() - began
            if took > slowest:
                slowest, worst = took, given
    yield f"slowest {slowest:.3f} s", worst


def fuzz(name: str, inputs: int, seed: int, keep: Path | None) -> dict[str, Any]:
    """One reader in a process of its own."""
    _, reader, wholes = readers()[name] if not _MADE else _MADE[name]
    report = Path(tempfile.mkstemp()[1])
    last = Path(tempfile.mkstemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)[1])
    began = time.monotonic()
    process = os.fork()
    if not process:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        report.write_text(
            json.dumps([(kind, given.hex()) for kind, given in tried(reader, wholes, inputs, seed, last)])
        )
        os._exit(0)
    status = os.waitpid(process, 0)[1]
    found = [(kind, bytes.fromhex(given)) for kind, given in json.loads(report.read_text() or "[]")]
    if status:
        found.append((f"ended by {status}", last.read_bytes()))
    slowest = next((float(kind.split()[1]) for kind, _ in found if kind.startswith("slowest")), float("nan"))
    wrong = [(kind, given) for kind, given in found if not kind.startswith("slowest") or slowest > SECONDS]
    for number, (_, given) in enumerate(wrong):
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{name.replace(' ', '_')}-{seed}-{number}").write_bytes(given)
    report.unlink()
    last.unlink()
    return {"reader": name, "inputs": inputs, "slowest": slowest, "seconds": round(time.monotonic() - began), "found": [kind for kind, _ in wrong]}  # fmt: skip


_MADE: dict[str, tuple[int, Reader, list[bytes]]] = {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    _MADE.update(readers())
    # Once, and not in each process.
    identify_language("This is a text that was written in English.")
    shares = {name: share for name, (share, _, _) in _MADE.items() if not given.only or name in given.only}
    total = 0
    for name, share in shares.items():
        inputs = -(-given.inputs * share // sum(shares.values()))
        report = fuzz(name, inputs, given.seed, given.keep)
        total += inputs
        print(f"{name}: {inputs:,} inputs, slowest {report['slowest']:.3f} s, {report['seconds']} s in all", flush=True)
        for kind in report["found"]:
            print(f"    FOUND {kind}", flush=True)
    print(f"{total:,} inputs over {len(shares)} readers")


if __name__ == "__main__":
    main()
