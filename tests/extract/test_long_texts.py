"""Long texts in pieces: evidence of all pieces is kept, and what chaining kept apart stays apart."""

from __future__ import annotations

import random
import re
import time
import weakref

import pytest

from crossdoc.extract import Options, TextExtractor, models, text_extractor
from crossdoc.extract.attributes import MOST_DESCRIPTORS
from crossdoc.extract.models import LONGEST_RUN, pieces, without_runs
from crossdoc.extract.text_extractor import join_pieces, read_texts
from crossdoc.model import Document, Documents, Mention, Profile, Relation
from crossdoc.names.texts import ContactPolicy, window

OFF = ContactPolicy("off")
PIECE = 2_000
FILLER = "Nothing much happened on that quiet day, and nobody had anything to say of it.\n\n" * (PIECE // 80 + 1)


@pytest.fixture(autouse=True)
def short_pieces(monkeypatch):
    for limit in ("LONG_TEXT", "PIECE_CHARACTERS"):
        monkeypatch.setattr(models, limit, PIECE)


def read(*parts: str) -> list[Profile]:
    """The profiles of a text in which each part stands in a piece of its own."""
    options = Options(("person", "organisation", "place"), 100, None, OFF)
    text = FILLER.join(f"{part}\n\n" for part in parts)
    mentions, profiles = TextExtractor(options, 1).extract(Documents.of([Document("d", text, language="en")]))
    assert {m.chain for m in mentions} == set(profiles.ids)
    assert all(text[m.start : m.end].split() == m.text.split() for m in mentions)
    assert all(link.profile in {*profiles.ids, None} and link.profile != p.id for p in profiles for link in p.relations)
    return list(profiles)


def test_later_pieces_add_their_evidence():
    first, second = (
        "John Smith is a lawyer in Detroit.",
        "John Smith, the chairman of General Motors, married Mary Jones.",
    )
    (smith,) = [profile for profile in read(first, second) if profile.name == "John Smith"]
    assert sorted(smith.attributes["descriptor"]) == ["chairman of General Motors", "lawyer in Detroit"]
    told = {(link.type, link.name) for link in smith.relations}
    assert {("employment:chairman", "General Motors"), ("family:spouse", "Mary Jones")} <= told
    assert smith.context.index("is a lawyer") < smith.context.index(" … ") < smith.context.index("the chairman of")


def test_a_married_couple_stays_two():
    couple = "Mr. Smith met Mrs. Smith in Paris. Mr. Smith said he was late. Mrs. Smith said she was tired."
    for parts in ([couple], [couple, couple]):
        found = [profile for profile in read(*parts) if profile.name == "Smith"]
        assert [profile.attributes["gender"] for profile in found] == [["m"], ["f"]]
        assert [profile.attributes["title"] for profile in found] == [["mr"], ["mrs"]]


def test_father_and_son_stay_two():
    family = "George Bush Sr. was president of the United States. His son George Bush Jr. was governor of Texas."
    later = "George Bush Jr. spoke in Dallas. George Bush Jr. is a baseball fan."
    found = {p.name: p for p in read(family, later) if p.name.startswith("George")}
    assert set(found) == {"George Bush Sr.", "George Bush Jr."}
    assert "Dallas" in found["George Bush Jr."].context
    assert "Dallas" not in found["George Bush Sr."].context


# -- the joining alone ---------------------------------------------------------------------------------------------

TEXT = "word " * 200


def piece(number: int, *people: str | Profile) -> list[tuple[list[Mention], Profile]]:
    found = []
    for place, person in enumerate(people):
        start = 100 * number + 10 * place
        id = f"d:{start}:{start + 5}"
        given = person if isinstance(person, Profile) else profile(person)
        own = Profile(id, "d", given.name, given.type, "", None, given.attributes, given.relations)
        found.append(([Mention(id, "d", start, start + 5, own.name, own.type, "name", id)], own))
    return found


def profile(name: str, type: str = "person", **attributes: list[str]) -> Profile:
    return Profile("p", "d", name, type, attributes=attributes)


def joined(*pieces: list[tuple[list[Mention], Profile]]) -> list[list[int]]:
    """The pieces that have a mention of each entity."""
    found = list(join_pieces(Document("d", TEXT), pieces, 5, OFF))
    assert all({m.chain for m in mentions} == {own.id} for mentions, own in found)
    return [[m.start // 100 for m in mentions] for mentions, _ in found]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("John Smith", "JOHN SMITH"),
        ("John Smith", "Smith"),
        ("Smith", "John Smith"),
        ("Bill Clinton", "William J. Clinton"),
        (profile("IBM", "organisation"), profile("International Business Machines", "organisation")),
        ("George Bush Jr.", "George Bush, Jr"),
        ("John Smith", "John Smith MD"),
    ],
)
def test_one_over_two_pieces(first, second):
    assert joined(piece(0, first), piece(1, second)) == [[0, 1]]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("John Smith", "Jane Smith"),
        (profile("Paris", "person"), profile("Paris", "place")),
        (profile("Washington", "organisation"), profile("Washington", "place")),
        ("George Bush", "George Bush Jr."),
        ("George Bush Sr.", "George Bush Jr."),
        (profile("Smith", gender=["m"]), profile("Smith", gender=["f"])),
    ],
)
def test_two_over_two_pieces(first, second):
    assert joined(piece(0, first), piece(1, second)) == [[0], [1]]
    assert joined(piece(0, second), piece(1, first)) == [[0], [1]]


def test_what_chaining_kept_apart_stays_apart():
    assert joined(piece(0, "John Smith", "John Smith")) == [[0], [0]]
    assert joined(piece(0, "John Smith", "John Smith"), piece(1, "John Smith")) == [[0], [0], [1]]
    assert joined(piece(0, "John Smith"), piece(1, "John Smith", "John Smith")) == [[0], [1], [1]]
    assert joined(piece(0, "John Smith"), piece(1, "John Smith", "Smith")) == [[0, 1], [1]]


def test_who_could_be_either_is_neither():
    assert joined(piece(0, "Bill Clinton", "Hillary Clinton"), piece(1, "Clinton")) == [[0], [0], [1]]
    assert joined(piece(0, "Clinton"), piece(1, "Bill Clinton", "Hillary Clinton")) == [[0], [1], [1]]
    assert joined(piece(0, "Bill Clinton"), piece(1, "Hillary Clinton"), piece(2, "Clinton")) == [[0], [1], [2]]


def test_the_very_name_goes_before_one_that_agrees():
    assert joined(piece(0, "John Smith", "John A. Smith"), piece(1, "John A. Smith")) == [[0], [0, 1]]
    assert joined(piece(0, "John Smith"), piece(1, "John A. Smith", "John Smith")) == [[0, 1], [1]]


def test_all_names_of_an_entity_have_to_agree():
    """John Smith takes Smith, which might as well have been Jane; the entity is John's from then on."""
    assert joined(piece(0, "Smith"), piece(1, "John Smith"), piece(2, "Jane Smith")) == [[0, 1], [2]]


def test_values_are_merged():
    clues = [
        profile("Smith", gender=["m"], gender_confidence=["0.80"], descriptor=["lawyer"], age=["40"]),
        profile("John Smith", gender=["m"], gender_confidence=["0.99"], descriptor=["tax lawyer"], age=["40", "41"]),
    ]
    ((mentions, smith),) = join_pieces(Document("d", TEXT), [piece(n, p) for n, p in enumerate(clues)], 5, OFF)
    assert (smith.id, smith.name) == ("d:0:5", "John Smith")
    assert smith.attributes == {
        "gender": ["m"],
        "gender_confidence": ["0.99"],
        "descriptor": ["tax lawyer"],
        "age": ["40", "41"],
    }
    assert [m.start for m in mentions] == [0, 100]
    assert smith.context == "word word … word word word"


def test_descriptors_do_not_pile_up():
    pieces = [piece(n, profile("John Smith", descriptor=[f"trade{n} {i}" for i in range(5)])) for n in range(5)]
    ((_, smith),) = join_pieces(Document("d", TEXT), pieces, 5, OFF)
    assert len(smith.attributes["descriptor"]) == MOST_DESCRIPTORS


def test_relations_lead_to_profiles_that_are_there():
    def linked(name: str, *links: Relation) -> Profile:
        return Profile("p", "d", name, "person", relations=links)

    pieces = [
        piece(0, linked("Ann Wu", Relation("list", "Bo Li", "d:10:15", "Here.")), "Bo Li"),
        piece(1, linked("Ann Wu", Relation("list", "Bo Li", "d:110:115", "There."), Relation("family", "Cy", "d:9:9")),
              "Bo Li"),
    ]  # fmt: skip
    (_, ann), _ = join_pieces(Document("d", TEXT), pieces, 5, OFF)
    assert ann.relations == (Relation("list", "Bo Li", "d:10:15", "Here."), Relation("family", "Cy", None, None))
    ((_, alone),) = join_pieces(
        Document("d", TEXT), [piece(0, linked("Ann Wu", Relation("list", "Bo", "gone")))], 5, OFF
    )
    assert alone.relations == (Relation("list", "Bo"),)


def test_contact_details_are_masked_in_the_joined_context():
    text = "John Smith (jsmith@example.org). John Smith."
    found = [([Mention("m", "d", at, at + 10, "John Smith", "person", "name", f"d:{at}")],
              Profile(f"d:{at}", "d", "John Smith", "person")) for at in (0, 33)]  # fmt: skip
    ((_, smith),) = join_pieces(Document("d", text), [[found[0]], [found[1]]], 100, OFF)
    assert smith.context == "John Smith ([…]). John Smith."


def test_no_two_profiles_of_a_piece_are_ever_one():
    names = ["John Smith", "Smith", "J. Smith", "John A. Smith", "Jane Smith", "George Bush", "Bush", "George Bush Jr."]
    chance = random.Random(0)
    for _ in range(200):
        drawn = [piece(n, *chance.choices(names, k=chance.randint(0, 6))) for n in range(4)]
        found = joined(*drawn)
        assert all(len(set(own)) == len(own) for own in found)
        assert sum(map(len, found)) == sum(map(len, drawn))


def test_a_text_in_which_no_sentence_ends_is_cut_all_the_same():
    for text in ("word John Smith, " * 60_000, "a" * 100_000, "Ann Lee. " + "x " * 20_000 + ". Then. " * 3000):
        found = list(pieces(text))
        assert "".join(piece for _, piece in found) == text
        assert all(text.startswith(piece, start) for start, piece in found)
        longest = max(len(part) for _, piece in found for part in re.split(r"(?<=[.!?;:])\s|\n", piece))
        assert longest <= 5_000


@pytest.mark.parametrize("unit", ["<", "=", "_", "()", "\U0001f600", "'s", "aB1-"])
def test_long_runs_are_blanked_in_place(unit):
    run = unit * (LONGEST_RUN // len(unit))
    assert without_runs(f"Ann Lee {run} Bob") == f"Ann Lee {' ' * len(run)} Bob"
    assert without_runs(f"Ann{run[len(unit) :]} Lee") == f"Ann{run[len(unit) :]} Lee"


@pytest.mark.parametrize(
    "word", ["http://a.org/" + "".join(map(str, range(300))), "\u4e2d\u6587\u5b57\u3002" * 3 + "x" * 400]
)
def test_other_long_words_stay(word):
    assert without_runs(f"see {word} there") == f"see {word} there"


def test_a_run_of_marks_does_not_take_the_square_of_its_length(monkeypatch):
    for limit in ("LONG_TEXT", "PIECE_CHARACTERS"):
        monkeypatch.setattr(models, limit, 100_000)
    options = Options(("person",), 100, None, OFF)

    def seconds(marks: int) -> float:
        taken = []
        for _ in range(2):
            begun = time.process_time()
            read_texts([Document("d", f"Ann Lee left. {'=' * marks} Bob Ray came.", language="en")], options)
            taken.append(time.process_time() - begun)
        return min(taken)

    seconds(10)
    assert seconds(4_000) < 2 * seconds(2_000) + 0.3


class Told:
    """Progress that is remembered."""

    def __init__(self):
        self.stages, self.steps = [], []

    def start(self, stage, total=None):
        self.stages.append((stage, total))

    def advance(self, steps=1):
        self.steps.append(steps)

    def note(self, message):
        pass


def test_a_long_document_is_read_piece_by_piece_and_says_how_far_it_is(monkeypatch):
    """Of a long document one piece is parsed at a time, others are parsed together as ever."""
    at_once, kept = [], models.parses

    def counted(nlp, texts):
        listed = list(texts)
        at_once.append(len(listed))
        return kept(nlp, listed)

    monkeypatch.setattr(models, "parses", counted)
    long = Document(
        "long", FILLER.join(["Ann Lee left.\n\n", "Lee came back.\n\n", "Ann Lee spoke.\n\n"]), language="en"
    )
    short = [Document(str(n), f"Bob Ray spoke of day {n}.", language="en") for n in range(3)]
    progress, options = Told(), Options(("person",), 100, None, OFF)
    mentions, profiles = read_texts([short[0], long, *short[1:]], options, progress=progress)
    number = len(list(pieces(long.text)))
    assert number > 1
    assert at_once == [3, *[1] * number]
    assert progress.stages == [("reading long documents: characters", len(long.text))]
    assert len(progress.steps) == number
    assert sum(progress.steps) == len(long.text)
    assert [profile.document for profile in profiles] == ["0", "long", "1", "2"]
    own = [mention for mention in mentions if mention.document == "long" and mention.kind == "name"]
    assert [long.text[mention.start : mention.end] for mention in own] == ["Ann Lee", "Lee", "Ann Lee"]
    assert len({mention.chain for mention in own}) == 1


def test_no_parse_of_an_earlier_piece_is_kept_while_the_next_one_is_read(monkeypatch):
    alive, kept = [], models.parses

    def watched(nlp, texts):
        assert [parse for parse in alive if parse() is not None] == []
        for doc in kept(nlp, texts):
            alive.append(weakref.ref(doc))
            yield doc
            del doc

    monkeypatch.setattr(models, "parses", watched)
    long = Document("long", FILLER.join(["Ann Lee left Rome.\n\n", "She is an actress.\n\n"] * 2), language="en")
    mentions, _ = read_texts([long], Options(("person", "place"), 100, None, OFF))
    assert len(alive) == len(list(pieces(long.text))) > 2
    assert {mention.text for mention in mentions} >= {"Ann Lee", "Rome"}


def test_contexts_are_made_once_when_the_pieces_are_joined(monkeypatch):
    made = []

    def counted(text, spans, reach):
        made.append(list(spans))
        return window(text, made[-1], reach)

    monkeypatch.setattr(text_extractor, "window", counted)
    long = Document("long", FILLER.join(["Ann Lee left.\n\n", "Ann Lee came back.\n\n"]), language="en")
    mentions, (ann,) = read_texts([long], Options(("person",), 10, None, OFF))
    assert made == [[(mention.start, mention.end) for mention in mentions]]
    assert len(made[0]) == 2
    assert ann.context.count("Ann Lee") == 2


def test_a_long_text_is_cut_into_pieces_shorter_than_the_longest_text_that_is_not(monkeypatch):
    monkeypatch.setattr(models, "LONG_TEXT", 2 * PIECE)
    text = "word. " * (2 * PIECE // 6)
    assert [len(piece) for _, piece in pieces(text)] == [len(text)]
    assert {len(piece) <= PIECE for _, piece in pieces(text + "More words.")} == {True}
