"""Build src/crossdoc/compare/data/wordnet.npz: WordNet's nouns as plain arrays, without their glosses.

Source: WordNet 3.0, Princeton University (Fellbaum 1998), as Debian's `wordnet-base` ships it; its notice goes beside
the table. Usage: apt-get install wordnet-base && python tools/build_wordnet.py [--check]
"""

import argparse
import re
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

DATA = Path(__file__).parents[1] / "src" / "crossdoc" / "compare" / "data"
TABLE, NOTICE = DATA / "wordnet.npz", DATA / "WORDNET-LICENSE.txt"
SOURCE = Path("/usr/share/wordnet")
COPYRIGHT = Path("/usr/share/doc/wordnet-base/copyright")
NOUN = "1"
MOST_LOST = 0.02

Arrays = dict[str, npt.NDArray[np.generic]]
SenseKey = tuple[str, int, int]
"""Lemma, number of the lexicographer's file, number within it."""


def read_lines(path: Path) -> list[str]:
    # Lines that begin with a space are the licence at the head of each file.
    return [line for line in path.read_text(encoding="ascii").splitlines() if not line.startswith(" ")]


def read_synsets(path: Path) -> tuple[dict[int, int], list[int], list[list[int]], dict[SenseKey, int]]:
    """The number of each synset offset; by number the lexicographer's file and the hypernyms; the synset of each sense.

    Hypernyms are those of kinds ("@") and of instances ("@i").
    """
    number: dict[int, int] = {}
    files: list[int] = []
    offsets: list[list[int]] = []
    synset_of: dict[SenseKey, int] = {}
    for line in read_lines(path):
        fields = line.partition(" | ")[0].split()
        words = 2 * int(fields[3], 16)
        for word, lexical_id in zip(fields[4 : 4 + words : 2], fields[5 : 4 + words : 2], strict=True):
            synset_of[word.lower(), int(fields[1]), int(lexical_id, 16)] = len(number)
        number[int(fields[0])] = len(number)
        files.append(int(fields[1]))
        pointers = fields[4 + words + 1 :]
        links = zip(pointers[::4], pointers[1::4], strict=True)
        offsets.append([int(offset) for symbol, offset in links if symbol in {"@", "@i"}])
    return number, files, [[number[offset] for offset in parents] for parents in offsets], synset_of


def read_counts(path: Path, synset_of: dict[SenseKey, int]) -> dict[tuple[str, int], int]:
    """How often a sense is tagged in the concordance: (lemma, synset) → count.

    By the sense's key, since cntlist.rev is older than the rest: 153 of its sense numbers are other ones in index.noun,
    and 265 of its senses (1.2% of the tags) are gone, and are left out.
    """
    counts = {}
    tags = lost = 0
    for line in read_lines(path):
        key, _, count = line.split()
        lemma, _, detail = key.partition("%")
        kind, file, lexical_id, *_ = detail.split(":")
        if kind != NOUN:
            continue
        tags += int(count)
        synset = synset_of.get((lemma, int(file), int(lexical_id)))
        if synset is None:
            lost += int(count)
        else:
            counts[lemma, synset] = int(count)
    if lost > MOST_LOST * tags:
        raise ValueError(f"{path} does not belong to this WordNet: {lost:,} of its {tags:,} tags have no sense")
    return counts


def text_array(lines: list[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode("ascii"), dtype=np.uint8)


def build(source: Path) -> Arrays:
    number, files, hypernyms, synset_of = read_synsets(source / "data.noun")
    counts = read_counts(source / "cntlist.rev", synset_of)
    lemmas: list[str] = []
    senses: list[list[int]] = []
    tagged: list[int] = []
    for line in read_lines(source / "index.noun"):
        fields = line.split()
        lemmas.append(fields[0])
        synsets = [number[int(offset)] for offset in fields[-int(fields[2]) :]]
        # Most often tagged first; the sort is stable, so that the rest keep the order of the index.
        synsets.sort(key=lambda synset: -counts.get((fields[0], synset), 0))
        senses.append(synsets)
        tagged += [counts.pop((fields[0], synset), 0) for synset in synsets]
    if counts:
        raise ValueError(f"cntlist.rev counts senses that index.noun lacks, such as {next(iter(counts))}")
    exceptions = sorted({" ".join(line.split()[:2]) for line in read_lines(source / "noun.exc")})
    return {
        "lemmas": text_array(lemmas),
        "sense_counts": np.array([len(row) for row in senses], dtype=np.uint8),
        "senses": np.array([synset for row in senses for synset in row], dtype=np.int32),
        "tagged": np.array(tagged, dtype=np.uint16),
        "files": np.array(files, dtype=np.uint8),
        "hypernym_counts": np.array([len(row) for row in hypernyms], dtype=np.uint8),
        # Relative to the synset itself, which compresses better.
        "hypernym_steps": np.array([p - i for i, row in enumerate(hypernyms) for p in row], dtype=np.int32),
        "exceptions": text_array(exceptions),
    }


def notice(copyright_file: Path) -> str:
    """Princeton's notice out of Debian's copyright file."""
    text = copyright_file.read_text(encoding="utf-8")
    stated = re.search(r"Copyright: ([^\n]*Princeton[^\n]*)\nLicense: WordNet3\.0\n((?: .*\n)+)", text)
    if stated is None:
        raise ValueError(f"{copyright_file} does not hold the notice of WordNet")
    body = [line[1:] for line in stated[2].splitlines()]
    kept = "\n".join("" if line == "." else line for line in body)
    changes = "wordnet.npz beside this file is derived from WordNet 3.0: the nouns, without glosses, as arrays."
    return f"{changes}\n\nCopyright: {stated[1]}\n\n{kept}\n"


def is_current(arrays: Arrays) -> bool:
    with np.load(TABLE, allow_pickle=False) as stored:
        return set(stored.files) == set(arrays) and all(np.array_equal(stored[key], arrays[key]) for key in arrays)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=SOURCE, help="folder with data.noun")
    parser.add_argument("--copyright", type=Path, default=COPYRIGHT, help="Debian's copyright file of wordnet-base")
    parser.add_argument("--check", action="store_true", help="only say whether the stored table is what would be built")
    given = parser.parse_args()
    if given.check and not (given.source / "data.noun").exists():
        print("skipped: wordnet-base is not installed")
        return
    arrays, text = build(given.source), notice(given.copyright)
    if given.check:
        if not is_current(arrays) or NOTICE.read_text(encoding="utf-8") != text:
            sys.exit(f"{TABLE} or its notice is not what this tool builds; run it without --check")
        print("current")
        return
    DATA.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(TABLE, allow_pickle=False, **arrays)
    NOTICE.write_text(text, encoding="utf-8")
    print(f"{len(arrays['hypernym_counts']):,} synsets, {TABLE.stat().st_size:,} bytes written to {TABLE}")


if __name__ == "__main__":
    main()
