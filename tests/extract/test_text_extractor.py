"""Plain text to profiles."""

from crossdoc.extract import TextExtractor, models
from crossdoc.extract.models import pieces
from crossdoc.extract.text_extractor import PARALLEL_FROM, Options
from crossdoc.model import Document, Documents, Mention
from crossdoc.names.texts import ContactPolicy
from crossdoc.run.stages import extract_profiles

SMITH = "John Smith is the chairman of General Motors. Smith lives in Detroit with his wife, Mary Jones."


def _text_extractor(processes=1, **changed):
    options = {"types": ("person", "organisation", "place"), "reach": 300, "language_model": None}
    return TextExtractor(Options(**{**options, **changed}, contacts=ContactPolicy("off")), processes)


def _mention(start, end, text, type="person", chain=None, kind="name"):
    return Mention(f"d:{start}:{end}", "d", start, end, text, type, kind, chain)


# -- whole text ----------------------------------------------------------------------------------------------------


def test_text_becomes_profiles_with_mentions_attributes_and_relations():
    mentions, profiles = _text_extractor().extract(Documents.of([Document("d", SMITH, language="en")]))
    smith = next(profile for profile in profiles if profile.name == "John Smith")
    assert smith.id == "d:0:10"
    assert {"Smith", "John Smith"} <= {m.text for m in mentions if m.chain == smith.id}
    assert smith.attributes["last"] == ["smith"]
    motors = next(profile for profile in profiles if "General Motors" in profile.name)
    assert ("employment:chairman", motors.id) in {(link.type, link.profile) for link in smith.relations}
    for mention in mentions:
        assert " ".join(SMITH[mention.start : mention.end].split()) == mention.text
        assert mention.chain in set(profiles.ids)


def test_only_the_types_asked_for_are_given():
    mentions, profiles = _text_extractor(types=("place",)).extract(Documents.of([Document("d", SMITH, language="en")]))
    assert set(profiles.column("type").to_pylist()) == set(mentions.column("type").to_pylist()) == {"place"}


def test_a_document_that_came_with_mentions_keeps_those():
    given = Document("d", SMITH, language="en", mentions=(_mention(78, 83, "wife,"),))
    mentions, profiles = _text_extractor().extract(Documents.of([given, Document("e", SMITH, language="en")]))
    assert [m.text for m in mentions if m.document == "d"] == ["wife,"]
    assert [p.name for p in profiles if p.document == "d"] == ["wife,"]
    assert any(p.name == "John Smith" for p in profiles if p.document == "e")


def test_a_long_text_is_read_in_pieces_with_offsets_of_the_whole(monkeypatch):
    size = 4_000
    for limit in ("LONG_TEXT", "PIECE_CHARACTERS"):
        monkeypatch.setattr(models, limit, size)
    filler = "Nothing much happened on that quiet day.\n" * (size // 41)
    text = f"{SMITH}\n{filler}{filler}\n{SMITH}"
    parts = list(pieces(text))
    assert len(parts) > 2
    assert "".join(piece for _, piece in parts) == text
    assert all(text.startswith(piece, start) and len(piece) <= size for start, piece in parts)
    mentions, profiles = _text_extractor().extract(Documents.of([Document("d", text, language="en")]))
    (smith,) = [profile for profile in profiles if profile.name == "John Smith"]
    own = [m for m in mentions if m.chain == smith.id]
    assert min(m.start for m in own) == 0
    assert max(m.start for m in own) > 2 * size - 1000
    assert all(text[m.start : m.end] == m.text for m in own)
    ids = set(profiles.ids)
    assert all(link.profile in ids for profile in profiles for link in profile.relations if link.profile)


def test_two_processes_give_the_same_as_one(processes):
    names = ["John Smith", "Mary Jones", "Peter Brown"]
    documents = Documents.of(
        Document(f"d{n}", f"{names[n % 3]} met Ann Lee in Paris. {names[n % 3].split()[1]} left.", language="en")
        for n in range(PARALLEL_FROM)
    )
    one, two = (_text_extractor(number).extract(documents) for number in (1, 2))
    assert one[0].arrow.equals(two[0].arrow)
    assert one[1].arrow.equals(two[1].arrow)
    assert len(one[1]) >= 2 * PARALLEL_FROM


def test_words_of_earlier_texts_are_forgotten():
    extractor = _text_extractor()
    strings = models.load(models.model_for("en")).vocab.strings
    extractor.extract(Documents.of([Document("a", SMITH, language="en")]))
    before = len(strings)
    odd = " ".join(f"Xq{n}zv met Yq{n}zv." for n in range(200))
    for _ in range(2):
        extractor.extract(Documents.of([Document("b", odd, language="en")]))
    assert "Xq7zv" not in strings
    assert len(strings) - before < 50


def test_headlines_are_read_in_small_letters_and_mentions_stay_where_they_are():
    told = [
        "The Bank of Velmont raised its rates on Monday. The Bank of Velmont said why.",
        "VELMONT BANK RAISES RATES AGAIN, SAYS MARY CLARK",
    ]
    told += ["Mary Clark again said that the bank raises rates, and Mary Clark left."]
    documents = Documents.of(Document(f"d{n}", text, language="en") for n, text in enumerate(told))
    found = extract_profiles(documents)
    assert all(told[int(m.document[1:])][m.start : m.end] == m.text for m in found.mentions)
    (clark,) = [p for p in found.profiles if p.document == "d1" and p.type == "person"]
    assert clark.name == "Mary Clark"
    assert [m.text for m in found.mentions if m.chain == clark.id] == ["MARY CLARK"]


def test_models_are_freed_after_a_long_text_and_kept_after_short_ones(monkeypatch):
    extractor = _text_extractor()
    extractor.extract(Documents.of([Document("a", SMITH, language="en")]))
    extractor.finish()
    assert models.load.cache_info().currsize > 0
    monkeypatch.setattr(models, "LONG_TEXT", len(SMITH) - 1)
    extractor.extract(Documents.of([Document("b", SMITH, language="en")]))
    extractor.finish()
    assert models.load.cache_info().currsize == 0
    assert len(extractor.extract(Documents.of([Document("c", SMITH, language="en")]))[1]) > 0
