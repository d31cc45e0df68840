"""Countries and international bodies by their names in several languages."""

from crossdoc.lang.bodies import CALLED


def test_a_name_stands_for_one_body_in_its_language():
    for language, named in CALLED.items():
        assert len({name for name, _ in named}) == len(named), language


def test_names_and_acronyms_are_listed_apart():
    assert {("UE", "European Union"), ("Unia Europejska", "European Union")} <= set(CALLED["pl"])
    assert all(name == name.strip() and ";" not in name for named in CALLED.values() for name, _ in named)
