"""The extractor of one name, and tables made of profiles a few at a time."""

from crossdoc.extract import NameExtractor
from crossdoc.extract.extractor import PROFILES_AT_ONCE, mention_of, tables_of
from crossdoc.model import Document, Documents, Profile


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


def test_tables_keep_the_order_of_profiles_over_several_batches():
    document = Document("a", "Ann  Lee")
    ids = [f"p{n}" for n in range(2 * PROFILES_AT_ONCE + 1)]
    mentions, profiles = tables_of(([mention_of(document, 0, 8, "person")], Profile(id, "a", "Ann Lee")) for id in ids)
    assert profiles.ids.tolist() == ids
    assert (len(mentions), mentions[-1].text) == (len(ids), "Ann Lee")
    assert [len(table) for table in tables_of([])] == [0, 0]
