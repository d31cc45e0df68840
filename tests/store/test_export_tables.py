"""All tables of an answer: rows for every key, and the log in the words of nomenklatura."""

import crossdoc
from crossdoc.store.export_tables import export_tables, judgement_table


def test_tables_of_a_result(whole_result):
    with crossdoc.open(whole_result) as answer:
        tables = export_tables(answer.store)
        sizes = answer.store.sizes()
    assert tables["identities"].num_rows == sizes["identities"]
    assert tables["profiles"].num_rows == sizes["profiles"]
    assert set(tables["profiles"]["document"].to_pylist()) <= set(tables["documents"]["id"].to_pylist())
    assert set(tables["profiles"]["identity"].to_pylist()) <= set(tables["identities"]["id"].to_pylist())
    assert min(tables["names"]["profiles"].to_pylist()) >= 1


def test_a_document_without_text_has_a_row():
    with crossdoc.resolve([crossdoc.Profile("p", "d", "Ann Lee", "person", "x")]) as answer:
        assert export_tables(answer.store)["documents"].select(["id", "text"]).to_pylist() == [
            {"id": "d", "text": None}
        ]


def test_judgements_are_in_the_words_of_nomenklatura(answer):
    with crossdoc.open(answer) as opened:
        a, b = (identity.id for identity in opened.find("John Smith")[:2])
        opened.judge(a, b, "different", who="Ada", why="seen both")
        opened.judge(a, b, "different", who="Bob")
        opened.undo()
        rows = judgement_table(opened.store).to_pylist()
        standing = judgement_table(opened.store, standing=True).to_pylist()
    assert [(row["judgement"], row["in_force"]) for row in rows] == [("negative", True), ("no_judgement", False)]
    assert [row["who"] for row in standing] == ["Ada"]
