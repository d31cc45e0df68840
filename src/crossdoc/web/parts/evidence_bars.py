"""Cards of profiles with facts in plain words, and the evidence that two are one entity, in words and as bars."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from crossdoc.compare.ensemble import Opinion
from crossdoc.names.evidence_types import plain_type
from crossdoc.store.views import FactLine, ProfileView
from crossdoc.web.parts.basics import Text, bar, joined, link, marked, remark, tag, type_chip
from crossdoc.web.reader import Why
from crossdoc.web.session import identity_url, page_url

FACT_KINDS = {
    "descriptor": "Described as", "alternate name": "Also called", "title": "Titles", "born": "Born", "died": "Died",
    "age": "Age", "gender": "Gender", "nationality": "Nationality",
    "party": "Party", "state": "State", "religion": "Religion",
    "ethnicity": "Ethnicity", "email": "E-mail", "phone": "Telephone", "url": "Web address",
}  # fmt: skip
"""Attributes in the order in which they are shown."""
PLAIN_RELATIONS = {
    "employment": "works for", "ownership": "owns", "resident": "lives in", "location": "was in",
    "citizen": "citizen of", "education": "studied at",
    "religion": "is of", "ethnicity": "is of", "family": "related to",
    "list": "named with",
}  # fmt: skip
GENDERS = {"m": "male", "f": "female"}
RELATION_LINKS = {"employment": "at", "ownership": "of", "education": "of", "family": "", "location": "in"}
PLACE_RELATIONS = {"deathplace": "died in", "birthplace": "born in", "childhood": "grew up in"}


def kind_word(kind: str) -> str:
    """Return a kind of fact as it is shown.

    >>> kind_word("descriptor"), kind_word("shoe size")
    ('Described as', 'Shoe size')
    """
    plain = plain_type(kind)
    return FACT_KINDS.get(plain, plain.capitalize())


def relation_word(type: str) -> str:
    """Return a relation as words before the other's name; the detail of its type is after a colon.

    >>> [relation_word(each) for each in ("employment:chairman", "employment", "family:wife", "location:deathplace")]
    ['chairman at', 'works for', 'wife:', 'died in']
    """
    head, _, detail = plain_type(type).partition(":")
    if not detail:
        return PLAIN_RELATIONS.get(head, head)
    if head == "family":
        return f"{detail}:"
    if head == "location":
        return PLACE_RELATIONS.get(detail, f"{detail} in")
    return f"{detail} {RELATION_LINKS.get(head, 'of')}"


def in_order(facts: Iterable[FactLine]) -> list[tuple[str, list[FactLine]]]:
    """Group facts by kind, in the order of `FACT_KINDS`; values that differ only in case are one fact.

    >>> facts = [("age", "58", 1), ("descriptor", "Chairman", 1), ("descriptor", "chairman", 2)]
    >>> found = in_order(FactLine(kind, value, "", None, "p", n) for kind, value, n in facts)
    >>> [(kind, [(fact.value, fact.count) for fact in facts]) for kind, facts in found]
    [('descriptor', [('chairman', 3)]), ('age', [('58', 1)])]
    """
    found: dict[str, dict[str, list[FactLine]]] = {}
    for fact in facts:
        kind = plain_type(fact.kind)
        value = GENDERS.get(fact.value, fact.value) if kind == "gender" else fact.value
        found.setdefault(kind, {}).setdefault(value.casefold(), []).append(replace(fact, value=value))
    order = {kind: at for at, kind in enumerate(FACT_KINDS)}
    return [
        (kind, sorted(map(_one_fact, found[kind].values()), key=lambda fact: -fact.count))
        for kind in sorted(found, key=lambda kind: (order.get(kind, len(order)), kind))
    ]


def _one_fact(same: list[FactLine]) -> FactLine:
    return replace(max(same, key=lambda fact: fact.count), count=sum(fact.count for fact in same))


FIELD_NAMES = {
    "names": "The names", "name": "How common the name is", "context": "Words around the name",
    "document": "What the documents are about", "work": "Where they work", "beside": "Who and what is named with them",
    "family": "Family", "home": "Where they live", "person_name": "The names", "other_name": "The names",
    "acronym": "Short and long form of the name", "list_names": "Who is named with them",
    "family_names": "Names of the family", "employer_names": "Names of employers", "residence_names": "Where they live",
    "list_people": "People named with them", "list_organisations": "Organisations named with them",
    "list_places": "Places named with them", "list_others": "What else is named with them",
    "descriptor": "How they are described",
    "employment": "Employment", "ownership": "Ownership", "gazetteer": "Where the place is",
    "whereabouts": "Where they are", "party": "Party", "state": "State", "office": "Office",
    "life_dates": "Dates of birth and death", "contradiction": "What cannot both be true",
    "contact": "Addresses and numbers", "gender": "Gender",
}  # fmt: skip
"""Kinds of evidence in plain words."""
STRONG_WEIGHT, CLEAR_WEIGHT, SLIGHT_WEIGHT = 2.0, 0.5, 0.05
"""Log odds; from here evidence is called strong, clear or slight: the odds change by a factor of 7.4, 1.6 or 1.05."""
FULL_BAR = 4.0
"""Log odds that fill half of a bar."""
SHOWN_FACTS = 12
PARTS_OF_NAMES = {"first", "middle", "last", "suffix", "prefix", "gender confidence", "gender_confidence"}


def likely(strength: float) -> str:
    """Return the probability that two profiles are one entity in words.

    >>> [likely(strength) for strength in (0.97, 0.7, 0.5, 0.3, 0.02)]
    ['very likely one', 'probably one', 'hard to tell', 'probably two', 'very likely two']
    """
    words = ((0.9, "very likely one"), (0.6, "probably one"), (0.4, "hard to tell"), (0.1, "probably two"))
    return next((word for least, word in words if strength >= least), "very likely two")


def verdict(weight: float) -> str:
    """Return the weight of a kind of evidence in words.

    >>> [verdict(weight) for weight in (3.0, 1.0, 0.1, 0.0, -1.0, -3.0)]
    ['strongly for', 'for', 'slightly for', 'neither way', 'against', 'strongly against']
    """
    side = "for" if weight > 0 else "against"
    levels = ((STRONG_WEIGHT, f"strongly {side}"), (CLEAR_WEIGHT, side), (SLIGHT_WEIGHT, f"slightly {side}"))
    return next((words for least, words in levels if abs(weight) >= least), "neither way")


def profile_card(view: ProfileView, blind: bool = False, title: str = "") -> None:
    """Show what one document states about an entity; `blind` hides its identity."""
    with tag("section", classes="x-card x-stack", aria_label=title or view.name):
        with tag("div"):
            with tag("div", classes="x-line"):
                tag("h2", view.name, "x-heading x-name")
                type_chip(view.type)
            with tag("div", classes="x-line x-small x-soft"):
                read = page_url("document", id=view.document, identity=view.identity)
                link(view.title or view.document, read, "x-name")
                if view.date or view.source:
                    tag("span", joined(view.date, view.source), "x-name")
        with tag("div", classes="x-scroll", tabindex="0", role="region", aria_label=f"Text about {view.name}"):
            Text(marked(view.context, view.marked))
            if not view.context:
                tag("p", "No text is stored.", "x-soft")
        _facts(view)
        if not blind and view.identity:
            with tag("div", classes="x-line x-small"):
                tag("span", "Assigned to", "x-soft")
                link(view.identity_name or view.identity, identity_url(view.identity), "x-name")
        tag("div", view.id, "x-id")


def _facts(view: ProfileView) -> None:
    """Show the facts and relations of a profile, without the parts of its name."""
    given = [
        FactLine(kind, value, "", None, view.id)
        for kind, values in view.attributes.items()
        for value in values
        if kind not in PARTS_OF_NAMES
    ]
    lines = [(kind_word(kind), ", ".join(fact.value for fact in facts)) for kind, facts in in_order(given)]
    lines += [(relation_word(each.type).capitalize(), each.name) for each in view.relations if each.type != "list"]
    if lines:
        with tag("dl", classes="x-facts x-small"):
            for kind, value in list(dict.fromkeys(lines))[:SHOWN_FACTS]:
                tag("dt", kind)
                tag("dd", value, "x-name")


def percent(strength: float) -> str:
    """
    >>> percent(0.998), percent(0.5), percent(0.001)
    ('over 99%', '50%', 'under 1%')
    """
    return "over 99%" if strength > 0.99 else "under 1%" if strength < 0.01 else f"{strength:.0%}"


def evidence(found: Why) -> None:
    """Show the probability from all evidence together, and each kind of evidence with its weight."""
    explanation, sure = found.explanation, f"{percent(found.explanation.strength)} likely one"
    with tag("div", classes="x-line"):
        tag("strong", likely(explanation.strength).capitalize())
        with tag("span").style("width: 10rem"):
            bar(explanation.strength, sure, explanation.strength)
        tag("span", f"{sure}, all evidence together", "x-soft x-small")
    with tag("ul", classes="x-evidence"):
        for opinion in explanation.opinions:
            if opinion.score is not None:
                _opinion(opinion, opinion.score)
    if asleep := [name_of(opinion).lower() for opinion in explanation.opinions if opinion.score is None]:
        remark(f"Nothing to compare: {', '.join(dict.fromkeys(asleep))}.", "x-soft x-small")


def name_of(opinion: Opinion) -> str:
    return FIELD_NAMES.get(opinion.specialist, opinion.specialist.replace("_", " ").capitalize())


def _opinion(opinion: Opinion, score: float) -> None:
    words, side = verdict(opinion.weight), "x-for" if opinion.weight > 0 else "x-against"
    with tag("li"):
        with tag("div"):
            tag("div", name_of(opinion), "x-strong")
            tag("div", words, "x-small x-soft", title=f"{opinion.weight:+.2f} log odds")
        label = f"{words}; similarity: {score:.0%}; on its own {opinion.probability or 0:.0%} likely one"
        with tag("span", classes=f"x-weight {side}", role="img", aria_label=label, title=label):
            tag("i").style(f"width: {min(1.0, abs(opinion.weight) / FULL_BAR) * 50:.1f}%")
        with tag("div", classes="x-small"):
            tag("span", f"similarity: {score:.0%}", "x-soft")
            if opinion.evidence:
                tag("span", " · ", "x-soft")
                tag("span", opinion.evidence, "x-name")
