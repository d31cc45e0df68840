"""Views serialise to JSON with all their fields."""

import json
from dataclasses import fields, is_dataclass

import pytest
from pydantic import TypeAdapter

from crossdoc.store import views

KINDS = [each for each in vars(views).values() if is_dataclass(each) and each.__module__ == views.__name__]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_view_has_a_json_schema_with_its_fields(kind):
    described = TypeAdapter(kind).json_schema()
    assert list(described["properties"]) == [field.name for field in fields(kind)]


def test_a_line_and_back():
    line = views.Line("a", "Ann", "", None, 1, 2, None, 1998, 0.5)
    written = TypeAdapter(views.Line).dump_json(line)
    assert json.loads(written)["last_year"] == 1998
    assert TypeAdapter(views.Line).validate_json(written) == line


def test_views_cannot_be_changed():
    line = views.Line("a", "Ann", "", None, 1, 2, None, None, 0.5)
    with pytest.raises(AttributeError):
        line.name = "Bo"
