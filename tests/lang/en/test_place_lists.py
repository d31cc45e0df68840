"""Places that are known by heart: their codes are in the gazetteer."""

import pytest

from crossdoc.lang.en import LANGUAGE
from crossdoc.lang.en.place_lists import ALSO_CALLED, ARTICLE, DIVISIONS_ABBREVIATED
from crossdoc.names.gazetteer import gazetteer


@pytest.mark.parametrize("table", [ALSO_CALLED, LANGUAGE.affiliations.demonyms, DIVISIONS_ABBREVIATED])
def test_every_code_is_a_place(table):
    assert {code for code in table.values() if code not in gazetteer().places} <= {
        "GB.ENG",
        "GB.NIR",
        "GB.SCT",
        "GB.WLS",
    }


def test_articles_and_possessives_are_no_part_of_a_name():
    assert [ARTICLE.sub("", name) for name in ("the Hague", "Boston's", "Theale")] == ["Hague", "Boston", "Theale"]
