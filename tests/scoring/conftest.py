"""Minimal readers for the two corpora whose published baselines the tests check."""

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from crossdoc.scoring import Assignment


def data_folder(name):
    root = os.environ.get("CROSSDOC_DATA")
    if root is None or not (Path(root) / name).is_dir():
        pytest.skip(f"CROSSDOC_DATA has no {name}")
    return Path(root) / name


@pytest.fixture(scope="session")
def weps_gold():
    """WePS-1 test, the official annotation: id NAME/RANK, entity NAME/ID, group NAME; discarded pages left out."""
    ids, entities, groups = [], [], []
    for path in sorted(data_folder("weps1").glob("test/truth_files/official_annotation/*.clust.xml")):
        name = path.name.removesuffix(".clust.xml")
        for entity in ET.parse(path).getroot().iter("entity"):
            for page in entity.iter("doc"):
                ids.append(f"{name}/{page.get('rank')}")
                entities.append(f"{name}/{entity.get('id')}")
                groups.append(name)
    return Assignment.from_rows(ids, entities, group=groups)


@pytest.fixture(scope="session")
def john_smith_gold():
    paths = [path for path in data_folder("john_smith").glob("*/*") if path.is_file()]
    return Assignment.from_rows([f"{p.parent.name}/{p.name}" for p in paths], [p.parent.name for p in paths])
