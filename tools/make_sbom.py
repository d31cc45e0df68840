"""What a wheel is made of (a bill of materials): a CycloneDX file beside it, NAME.whl.cdx.json.

    python tools/make_sbom.py dist/crossdoc-0.1.0-py3-none-any.whl

The wheel with its hash, and what it requires in the version and with the hashes of requirements-ci.txt.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Any

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


def bill(wheel: Path, lock: str) -> dict[str, Any]:
    with zipfile.ZipFile(wheel) as packed:
        (about,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        told = message_from_bytes(packed.read(about))
    own = f"pkg:pypi/{plain(told['Name'])}@{told['Version']}"
    required = {plain(re.split(r"[ ;<>=!~\[(]", each)[0]) for each in told.get_all("Requires-Dist", [])}
    parts = [
        {
            "type": "library", "name": name, "version": version, "bom-ref": f"pkg:pypi/{name}@{version}",
            "purl": f"pkg:pypi/{name}@{version}", "scope": "required" if name in required else "optional",
            "hashes": [{"alg": "SHA-256", "content": each} for each in hashes],
        }
        for name, (version, hashes) in sorted(locked(lock).items())
    ]  # fmt: skip
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library", "name": told["Name"], "version": told["Version"], "bom-ref": own, "purl": own,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}],
            }
        },
        "components": parts,
        "dependencies": [{"ref": own, "dependsOn": [p["bom-ref"] for p in parts if p["scope"] == "required"]}],
    }  # fmt: skip


def main() -> None:
    lock = (ROOT / "requirements-ci.txt").read_text() + (ROOT / "models.txt").read_text()
    for given in sys.argv[1:]:
        made = bill(Path(given), lock)
        Path(f"{given}.cdx.json").write_text(json.dumps(made, indent=1) + "\n")
        print(f"{len(made['components'])} parts in {given}.cdx.json")


if __name__ == "__main__":
    main()
