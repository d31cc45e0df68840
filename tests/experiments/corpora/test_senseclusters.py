"""What SenseClusters reads and prints: Senseval-2 XML, matrices, conflated names, the best mapping."""

import itertools

import numpy as np
import pytest
from corpora.senseclusters import Conflation, SenseContext, map_senses, read_vectors, senseval_contexts
from hypothesis import given
from hypothesis import strategies as st

from crossdoc import errors
from crossdoc.model import Document

SENSEVAL = """<?xml version="1.0"?>
<corpus lang="en">
<lexelt item="line-n">
<instance id="l1"><answer instance="l1" senseid="cord"/>
<context> <s>tie the <head>line</head> &amp; pull</s> AT&T </context></instance>
<instance id="l2"><context><wf pos="DT">the</wf> <head> <wf pos="NNS">lines</wf></head> <wf>were</wf></context>
</instance>
<instance id="l3"><context></context></instance>
</lexelt>
</corpus>
"""


def test_senseval_with_heads_senses_and_bare_ampersands(write):
    for name in ("line.xml", "line.sval2.gz"):
        found = list(senseval_contexts(write(name, SENSEVAL)))
        first, second, empty = found
        assert first == SenseContext("l1", "tie the line & pull AT&T", 8, 12, "cord")
        assert (second.text, second.target, second.sense) == ("the lines were", "lines", None)
        assert (empty.text, empty.target) == ("", "")
    assert found[1].profile().name == "lines"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<corpus>\n<instance>\n<context>a</contxt></instance></corpus>", "bad.xml, line 3"),
        ("<corpus>\n", "line 2"),
        ("<corpus><instance id='x'/></corpus>", "instance x has no <context>"),
        ("\x00\x01", "zero bytes"),
    ],
)
def test_malformed_xml_names_file_and_line(write, text, message):
    with pytest.raises(errors.InputError, match=message):
        list(senseval_contexts(write("bad.xml", text)))


def test_the_programs_matrices(write):
    dense = read_vectors(write("a.vectors", "2 3\n1 0 2\n0\t1  0.5\n\n"))
    assert dense.toarray().tolist() == [[1, 0, 2], [0, 1, 0.5]]
    thin = read_vectors(write("b.vectors", "3 4 3\n1 2.5 4 1\n\n3 7\n"))
    assert thin.toarray().tolist() == [[2.5, 0, 0, 1], [0] * 4, [0, 0, 7, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 3\n1 0 2\n", "line 1: 2 rows were announced and there are 1"),
        ("2 3\n1 0 2\n1 0\n", "line 3: 2 values for 3 columns"),
        ("1 2\n1 x\n", "line 2"),
        ("1 2\n1 nan\n", "line 2: a number is not finite"),
        ("1 4 1\n5 1\n", "line 2: a column is not a whole number from 1 to 4"),
        ("1 4 1\n1.5 1\n", "line 2: a column"),
        ("1 4 1\n1\n", "line 2: a column without a value"),
        ("1 4 2\n1 1\n", "line 1: 2 entries were announced and there are 1"),
        ("rows\n1 2\n", "line 1"),
        ("2\n1 0.5\n0.5 1\n", "line 1: these are similarities"),
        ("3 5\n1 1 2 0.5\n1 0.5 2 1\n3 1\n", "line 1: these are similarities"),
        ("", "line 1"),
    ],
)
def test_broken_matrices_name_the_line(write, text, message):
    with pytest.raises(errors.InputError, match=message):
        read_vectors(write("a.vectors", text))


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


def most_right(labels, senses):
    """The best mapping by trying all."""
    clusters, names = sorted(set(labels)), sorted(set(senses))
    slots = [*names, *[None] * len(clusters)]
    return max(
        sum(mapped[clusters.index(label)] == sense for label, sense in zip(labels, senses, strict=True))
        for mapped in itertools.permutations(slots, len(clusters))
    )


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc")), min_size=1, max_size=12))
def test_the_mapping_is_the_best_of_all(pairs):
    labels, senses = zip(*pairs, strict=True)
    found = map_senses(np.array(labels), senses)
    assert found.right == most_right(labels, senses)
    assert found.confusion.sum() == len(pairs)
    assert found.recall == pytest.approx(found.right / len(pairs))
    assert found.precision >= found.recall
    assert found.majority == max(senses.count(sense) for sense in senses) / len(senses)


def test_one_cluster_reaches_the_majority_and_unknown_senses_are_left_out():
    found = map_senses(np.zeros(4, dtype=int), ["a", "a", "b", None])
    assert (found.recall, found.majority) == (2 / 3, 2 / 3)
    with pytest.raises(errors.ScoreError, match="sense"):
        map_senses(np.zeros(2, dtype=int), [None, None])
