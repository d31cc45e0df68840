"""Profiles of one asked-for name, and full names of other people in the same documents."""

from crossdoc.extract.asked_name import NameExtractor, full_names, other_people
from crossdoc.extract.extractor import MASKED
from crossdoc.model import Document, Documents


def people(texts: list[str], asked: str = "John Smith") -> list[tuple[str, str]]:
    documents = Documents.of(Document(str(i), text) for i, text in enumerate(texts))

    def fetch(ids: list[str]) -> Documents:
        return Documents.of(document for document in documents if document.id in ids)

    return [(profile.name, profile.document) for profile in other_people(documents, fetch, asked, 50, MASKED)]


def test_names_with_initials_particles_and_capitals_inside() -> None:
    found = full_names("Ronald McDonald met Neil O'Brien, Mary Smith-Jones and George H. Bush in Will Street.")
    assert list(found) == ["Ronald McDonald", "Neil O'Brien", "Mary Smith-Jones", "George Bush", "Will Street"]


def test_a_title_is_no_surname_and_lower_case_no_name() -> None:
    assert full_names("Art President spoke. mary poe and Mary went.") == {}


def test_each_name_once_a_document() -> None:
    assert people(["Mary Poe left, Mary Poe said.", "Mary Poe came back.", "Bob Roe stayed."]) == [
        ("Mary Poe", "0"),
        ("Mary Poe", "1"),
        ("Bob Roe", "2"),
    ]


def test_the_asked_for_surname_and_shared_surnames_are_left_out() -> None:
    assert people(["Adam Smith wrote.", "Adam Smith died."]) == []
    assert people(["Mary Poe left.", "Mary Poe came.", "Edgar Poe wrote."]) == []


def test_a_name_is_one_profile_a_document():
    extractor = NameExtractor("John Smith", 10)
    text = "Here John\nSmith stands, and there, far away from him, John F. Smith."
    mentions, profiles = extractor.extract(Documents.of([Document("a", text), Document("b", "Nobody.")]))
    assert [(m.text, m.chain) for m in mentions] == [("John Smith", "a"), ("John F. Smith", "a")]
    assert [(p.id, p.name, p.type) for p in profiles] == [("a", "John Smith", "person"), ("b", "John Smith", "person")]
    assert profiles[0].context == "Here John\nSmith stands, … from him, John F. Smith."


def test_a_document_without_the_name_is_its_whole_text_and_is_listed():
    extractor = NameExtractor("John Smith", 10)
    mentions, profiles = extractor.extract(Documents.of([Document("b", "Nobody of that name is here.")]))
    assert len(mentions) == 0
    assert profiles[0].context == "Nobody of that name is here."
    assert extractor.without_name == ["b"]
