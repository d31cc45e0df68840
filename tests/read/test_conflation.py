"""Name conflation."""

import pytest

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.conflation import Conflation


def test_conflation_hides_every_mention_and_keeps_the_gold():
    text = "Mrs. Gandhi met Leonid\nKuchma; Gandhi spoke. Kuchmanov and Gandhis are others."
    names = ["Sonia Gandhi|Mrs. Gandhi|Gandhi", "Leonid Kuchma|Kuchma"]
    found = list(Conflation(names, words=None).contexts([Document("d", text)]))
    assert [context.sense for context in found] == ["Sonia Gandhi", "Leonid Kuchma", "Sonia Gandhi"]
    assert all(context.target == "SoniaGandhiLeonidKuchma" for context in found)
    hidden = "SoniaGandhiLeonidKuchma"
    wanted = f"{hidden} met {hidden}; {hidden} spoke. Kuchmanov and Gandhis are others."
    assert {context.text for context in found} == {wanted}
    for context in found:
        start, end = map(int, context.id.split(":")[1:])
        assert " ".join(text[start:end].split()) in ("Mrs. Gandhi", "Leonid Kuchma", "Gandhi")
    once = Conflation(names, words=1, once=True, pseudonym="X").contexts([Document("d", text), Document("e", "no one")])
    assert [context.text for context in once] == ["X met"]


@pytest.mark.parametrize("names", [[], ["A"], ["A", "A"], ["A", " | "], ["A|B", "B"]])
def test_names_that_cannot_be_conflated(names):
    with pytest.raises(errors.UsageError, match="conflate"):
        Conflation(names)
