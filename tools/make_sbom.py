"""What a wheel is made of (a bill of materials): a CycloneDX file beside it, NAME.whl.cdx.json.

    python tools/make_sbom.py dist/

The wheel with its hash, and what it requires, and what that requires, in the version and with the hashes of
requirements-ci.txt; what is in there beside, tests among it, is optional. Who requires whom the environment says that
this runs in.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
_LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def locked(text: str) -> dict[str, tuple[str, list[str]]]:
    """By name the version and hashes of a lock file.

    >>> locked("a_b==1.0 \\\\\\n    --hash=sha256:" + "0" * 64)
    {'a-b': ('1.0', ['0000000000000000000000000000000000000000000000000000000000000000'])}
    """
    return {plain(name): (version, _HASH.findall(rest)) for name, version, rest in _LOCKED.findall(text)}


def named(requirements: Iterable[str]) -> list[str]:
    """The packages that requirements are of, without those of extras and of other systems.

    >>> named(["Num_Py>=1", 'pytest; extra == "dev"', 'pywin32; sys_platform == "win32"'])
    ['num-py']
    """
    given = map(Requirement, requirements)
    return sorted({plain(each.name) for each in given if each.marker is None or each.marker.evaluate({"extra": ""})})


def required_by(name: str) -> list[str]:
    try:
        return named(metadata.requires(name) or [])
    except metadata.PackageNotFoundError:
        return []


def bill(wheel: Path, lock: str) -> dict[str, Any]:
    with zipfile.ZipFile(wheel) as packed:
        (about,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_bytes(packed.read(about))
    own = f"pkg:pypi/{plain(metadata['Name'])}@{metadata['Version']}"
    direct = named(metadata.get_all("Requires-Dist", []))
    needs: dict[str, list[str]] = {}
    open_ = list(direct)
    while open_:
        if (name := open_.pop()) not in needs:
            needs[name] = required_by(name)
            open_ += needs[name]
    versions = locked(lock)
    refs = {name: f"pkg:pypi/{name}@{version}" for name, (version, _) in versions.items()}
    parts = [
        {
            "type": "library", "name": name, "version": version, "bom-ref": refs[name], "purl": refs[name],
            "scope": "required" if name in needs else "optional",
            "hashes": [{"alg": "SHA-256", "content": each} for each in hashes],
        }
        for name, (version, hashes) in sorted(versions.items())
    ]  # fmt: skip
    depends = [{"ref": own, "dependsOn": [refs[each] for each in direct if each in refs]}]
    depends += [
        {"ref": refs[name], "dependsOn": [refs[each] for each in needed if each in refs]}
        for name, needed in sorted(needs.items())
        if name in refs
    ]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library", "name": metadata["Name"], "version": metadata["Version"],
                "bom-ref": own, "purl": own,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}],
            }
        },
        "components": parts,
        "dependencies": depends,
    }  # fmt: skip


def main() -> None:
    lock = (ROOT / "requirements-ci.txt").read_text() + (ROOT / "models.txt").read_text()
    given = [Path(each) for each in sys.argv[1:]]
    wheels = [wheel for each in given for wheel in (sorted(each.glob("*.whl")) if each.is_dir() else [each])]
    if not wheels:
        sys.exit(f"There is no wheel in {', '.join(sys.argv[1:]) or 'what was given: name a wheel or its folder'}.")
    for wheel in wheels:
        made = bill(wheel, lock)
        Path(f"{wheel}.cdx.json").write_text(json.dumps(made, indent=1) + "\n")
        print(f"{len(made['components'])} parts in {wheel}.cdx.json")


if __name__ == "__main__":
    main()
