"""When documents were written, as extraction hands it on to profiles."""

from crossdoc.extract.corrections import dated
from crossdoc.model import Document, Documents, Profile, Profiles
from crossdoc.stages import extract_profiles

DATED = [Document("a", "Ann Lee spoke.", date="1990-05-01"), Document("b", "Ann Lee left.")]


def test_each_profile_has_the_date_of_its_own_document() -> None:
    found = extract_profiles(DATED, name="Ann Lee").profiles
    assert {p.document: p.attributes.get("written") for p in found} == {"a": ["1990-05-01"], "b": None}


def test_what_a_profile_says_itself_and_all_else_of_it_stays() -> None:
    own = Profile("p", "a", "Ann", "person", "spoke", "en", {"written": ["1871"], "party": ["GOP"]})
    other = Profile("q", "a", "Bo", attributes={"party": ["GOP"]})
    found = dated(Profiles.of([own, other]), Documents.of(DATED))
    assert list(found) == [own, Profile("q", "a", "Bo", attributes={"party": ["GOP"], "written": ["1990-05-01"]})]
    assert dated(found, Documents.of(DATED[1:])) is found
