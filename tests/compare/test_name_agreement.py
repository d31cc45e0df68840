import numpy as np
import pytest

from crossdoc.compare.name_agreement import NamesOfRows, agreement

EVIDENCE = {"similar": 0.05, "part": 0.1, "variant": 0.2, "same": 0.3}


@pytest.mark.parametrize(
    ("a", "b", "entity_type", "wanted"),
    [
        ("John Smith", "John Smith", "person", "same"),
        ("Bill Clinton", "William J. Clinton", "person", "variant"),
        ("R. J. Okafor", "Robert Okafor", "person", "variant"),
        ("Mr. Smith", "John Smith", "person", "part"),
        ("Nasser Hussein", "Nasser Hussain", "person", "similar"),
        ("U.S.", "United States", "place", "variant"),
        ("Ford", "Ford Motor", "organisation", "part"),
        ("George W. Bush", "George H. W. Bush", "person", "clash"),
        ("John Smith Jr.", "John Smith Sr.", "person", "clash"),
        ("Mr. Clinton", "Mrs. Clinton", "person", "clash"),
        ("John Smith", "John Jones", "person", "clash"),
        ("NCA", "National Cycling Association", "organisation", "variant"),
        ("General Motors Corp.", "General Motors", "organisation", "same"),
        ("Ford", "Fiat", "organisation", "clash"),
        ("Paris", "PARIS", "place", "same"),
    ],
)
def test_agreement(a, b, entity_type, wanted):
    assert agreement(a, b, entity_type) == wanted
    assert agreement(b, a, entity_type) == wanted


def test_worth_of_names_and_clashes():
    names = ["Bill Clinton", "William Clinton", "Clinton", "Hillary Clinton", "Bill Clinton", "Bill Klinton"]
    found = NamesOfRows(names, "person", EVIDENCE)
    worth, clashes = found.all_pairs()
    assert worth[0].tolist() == pytest.approx([0.3, 0.2, 0.1, 0, 0.3, 0.05])
    assert {tuple(pair) for pair in clashes.tolist()} == {(0, 3), (1, 3), (3, 4), (3, 5)}
    np.testing.assert_array_equal(worth, worth.T)
    pairs = np.argwhere(np.ones((6, 6))).astype(np.int32)
    np.testing.assert_array_equal(found.worth(pairs).reshape(6, 6), worth)


def test_each_pair_of_clashing_names_comes_once_and_no_name_clashes_with_itself():
    worth, clashes = NamesOfRows(["Ann Li", "Bob Li", "Ann Li"], "person", EVIDENCE).all_pairs()
    assert clashes.tolist() == [[0, 1], [1, 2]]
    assert worth[0, 2] == pytest.approx(0.3)
    worth, clashes = NamesOfRows(["Rome", "Rome", "Paris"], None, EVIDENCE).all_pairs()
    assert clashes.tolist() == [[0, 2], [1, 2]]
    assert worth[0, 1] == pytest.approx(0.3)
    assert NamesOfRows(["", ""], "place", EVIDENCE).all_pairs()[1].tolist() == [[0, 1]]
    none = NamesOfRows([], None, EVIDENCE).all_pairs()
    assert (none[0].shape, none[1].shape) == ((0, 0), (0, 2))


def test_two_thousand_names_are_looked_up():
    surnames = [f"{last}{number}" for last in ("Lee", "Orr", "Fox", "Kay", "Day") for number in range(100)]
    names = [f"{first} {last}" for first in ("Ann", "Bo", "Cy", "Di") for last in surnames]
    clashes = NamesOfRows(names, "person", EVIDENCE).all_pairs()[1]
    assert len(clashes) == 2000 * 1999 // 2
