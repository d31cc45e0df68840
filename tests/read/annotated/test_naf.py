"""NAF: raw text and offsets, terms, entities with references, coreference; hostile and broken files are refused."""

import pytest

from crossdoc import Settings, errors, read_documents

WORDS = "".join(
    f'<wf id="w{n}" sent="{sentence}" offset="{offset}" length="{len(word)}">{word}</wf>\n'
    for n, (sentence, offset, word) in enumerate(
        [(1, 0, "Steve"), (1, 6, "Jobs"), (1, 11, "led"), (1, 15, "Apple"), (1, 20, "."), (2, 22, "He"),
         (2, 25, "left"), (2, 30, "Jobs")], 1
    )
)  # fmt: skip
LAYERS = """<terms>
<term id="t1" type="close"><span><target id="w1"/><target id="w2"/></span></term>
<term id="t2"><span><target id="w4"/></span></term>
<term id="t3"><span><target id="w6"/></span></term>
<term id="t4"><span><target id="w8"/></span></term>
</terms>
<entities>
<entity id="e1" type="PERSON"><references><span><target id="t1"/></span></references></entity>
<entity id="e2" type="ORGANIZATION"><references><span><target id="t2"/></span></references>
<externalReferences><externalRef resource="dbpedia" reference="http://dbpedia.org/Apple"/></externalReferences></entity>
<entity id="e3" type="MISC"><references><span><target id="t3"/></span></references></entity>
</entities>
<coreferences>
<coref id="co1" type="person"><span><target id="t1" head="yes"/></span><span><target id="t3"/></span></coref>
<coref id="co2" type="event"><span><target id="t1"/></span><span><target id="t2"/></span></coref>
</coreferences>"""
HEADER = """<nafHeader><fileDesc title="On Apple" creationtime="2011-10-05T00:00:00Z"/><public publicId="n1"/>
</nafHeader>"""
RAW = "<raw><![CDATA[Steve Jobs led Apple. He left Jobs]]></raw>"


def naf(raw=RAW, words=WORDS, layers=LAYERS, header=HEADER):
    opening = f'<?xml version="1.0" encoding="UTF-8"?>\n<NAF xml:lang="en" version="v3">{header}{raw}'
    return f"{opening}\n<text>\n{words}</text>\n{layers}</NAF>"


def test_layers(write):
    (document,) = read_documents(write("a.naf", naf()))
    assert (document.id, document.title, document.language, document.date) == ("n1", "On Apple", "en", "2011-10-05")
    assert document.text == "Steve Jobs led Apple. He left Jobs"
    assert [(m.text, m.start, m.type, m.kind, m.chain) for m in document.mentions] == [
        ("Steve Jobs", 0, "person", "name", "co1"),
        ("Apple", 15, "organisation", "name", "link:http://dbpedia.org/Apple"),
        ("He", 22, "person", "pronoun", "co1"),
    ]


def test_without_raw_text(write):
    (document,) = read_documents(write("a.xml", naf("", header="")), settings=Settings(format="naf"))
    assert document.id == "a.xml"
    assert document.text == "Steve Jobs led Apple .\nHe left Jobs"
    assert [m.text for m in document.mentions] == ["Steve Jobs", "Apple", "He"]
    assert all(document.text[m.start : m.end] == m.text for m in document.mentions)


ENTITIES = '<!ENTITY x SYSTEM "file:///etc/hostname"><!ENTITY y "&x;&x;">'
DOCTYPE = f'<?xml version="1.0"?>\n<!DOCTYPE NAF [{ENTITIES}]>\n<NAF>&y;</NAF>'


@pytest.mark.parametrize(
    ("content", "line", "why"),
    [
        (DOCTYPE, 2, "a document type"),
        ("<NAF>\n<text>", 2, "it is not XML"),
        ('<?xml version="1.0" encoding="utf-9"?><NAF/>', 1, "unknown encoding"),
        ('<?xml version="1.0" encoding="utf-7"?><NAF/>', 1, "encoding"),
        ("<html>\n</html>", 1, "the root is <html>"),
        (naf(words=""), 2, "there is no <text> with words"),
        (naf(words=WORDS.replace('offset="6"', 'offset="7"')), 6, "'Jobs' is not at 7"),
        (naf(words=WORDS.replace('offset="6"', 'offset="-6"')), 6, "no whole number as its offset"),
        (naf(words=WORDS.replace('id="w2"', "")), 6, "a word (<wf>) without an id"),
        (naf(layers='<terms>\n<term id="t1"/></terms>'), 15, "a <term> without an id"),
        (
            naf(layers='<entities>\n<entity type="PER"><span><target id="q"/></span></entity></entities>'),
            15,
            "'q' is neither",
        ),
        (naf(layers="<coreferences><coref>\n<span/></coref></coreferences>"), 15, "a <span> without a target"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write, content, line, why):
    with pytest.raises(errors.InputError, match=rf"a\.naf, line {line}: ") as told:
        read_documents(write("a.naf", content))
    assert why in told.value.what


def test_a_broken_file_of_a_folder_is_left_out(write):
    write("all/a.naf", naf())
    folder = write("all/b.naf", DOCTYPE).parent
    assert [d.id for d in read_documents(folder)] == ["n1"]
