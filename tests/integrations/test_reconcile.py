"""The reconciliation service, asked as OpenRefine asks: by POST and GET, from another origin, with bad requests.

The shapes are those of the specification's schemas for version 0.2, in our words.
"""

import json

import pytest

from crossdoc.web.reader import Reader

testclient = pytest.importorskip("starlette.testclient")
jsonschema = pytest.importorskip("jsonschema")

from crossdoc.integrations.reconcile import MOST_QUERIES, PROPERTIES, make_app  # noqa: E402

TEXT, NUMBER, WHOLE = {"type": "string"}, {"type": "number"}, {"type": "integer"}


def a(required: dict, **optional: dict) -> dict:
    return {"type": "object", "required": list(required), "properties": {**required, **optional}}


def some(item: dict) -> dict:
    return {"type": "array", "items": item}


NAMED = a({"id": TEXT}, name=TEXT)
FEATURE = a({"id": TEXT, "value": {"oneOf": [{"type": "boolean"}, NUMBER]}})
CANDIDATE = a({"id": TEXT, "name": TEXT, "score": NUMBER}, description=TEXT, match={"type": "boolean"},
              features=some(FEATURE), type=some({"oneOf": [NAMED, TEXT]}))  # fmt: skip
RESULTS = {"type": "object", "additionalProperties": a({"result": some(CANDIDATE)})}
TEMPLATE = {"type": "string", "pattern": r"\{\{id\}\}"}
SERVICE = a({"service_url": TEXT, "service_path": TEXT})
MANIFEST = a(
    {"versions": {"type": "array", "contains": {"const": "0.2"}}, "name": TEXT, "identifierSpace": TEXT,
     "schemaSpace": TEXT},
    view=a({"url": TEMPLATE}), preview=a({"url": TEMPLATE, "width": WHOLE, "height": WHOLE}),
    suggest={"type": "object", "additionalProperties": SERVICE}, extend=a({"propose_properties": SERVICE}),
    defaultTypes={**some(NAMED), "uniqueItems": True},
)  # fmt: skip
CELL = {"type": "object", "maxProperties": 1, "additionalProperties": False,
        "properties": {"str": TEXT, "float": NUMBER, "int": WHOLE}}  # fmt: skip
ROWS = {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": some(CELL)}}
EXTENDED = a({"meta": some(a({"id": TEXT, "name": TEXT})), "rows": ROWS})


@pytest.fixture(scope="module")
def client(sample):
    with Reader(sample) as reader:
        app, address = make_app(reader, "127.0.0.1", 8767, "secret")
        assert address == "http://127.0.0.1:8767/secret/"
        yield testclient.TestClient(app, base_url="http://127.0.0.1:8767/secret")


def ask(client, post=True, **queries):
    text = json.dumps(queries)
    found = client.post("/", data={"queries": text}) if post else client.get("/", params={"queries": text})
    assert found.status_code == 200, found.text
    jsonschema.validate(found.json(), RESULTS)
    return {key: each["result"] for key, each in found.json().items()}


def test_the_manifest(client):
    manifest = client.get("/").json()
    jsonschema.validate(manifest, MANIFEST)
    assert [each["id"] for each in manifest["defaultTypes"]] == ["person", "organisation", "place"]


@pytest.mark.parametrize("post", [True, False])
def test_a_batch_by_post_and_get(client, post):
    found = ask(
        client, post, q0={"query": "John Smith"}, q1={"query": "Nobody Atall"}, q2={"query": "smith", "limit": 2}
    )
    assert len(found["q0"]) > 2
    assert found["q1"] == []
    assert len(found["q2"]) == 2


def test_namesakes_are_candidates_and_none_of_them_a_match(client):
    found = ask(client, q0={"query": "John Smith", "type": "person"})["q0"]
    same = [each for each in found if each["name"] == "John Smith"]
    assert len(same) > 1
    assert not any(each["match"] for each in found)
    assert {each["id"] for each in same[0]["features"]} >= {"name_similarity", "certainty", "namesakes"}


def test_a_column_of_the_table_decides_between_namesakes(client):
    found = ask(client, q0={"query": "John Smith", "properties": [{"pid": "job", "v": "pastor"}]})["q0"]
    best = {each["id"]: each["value"] for each in found[0]["features"]}
    assert best["context:job"] is True
    assert found[0]["score"] > found[-1]["score"]


def test_a_name_of_one_entity_is_a_match(client):
    everyone = ask(client, q0={"query": "Halden Motors"})["q0"]
    assert everyone[0]["name"] == "Halden Motors"
    assert everyone[0]["match"] is True


def test_extend_suggest_and_preview(client):
    id = ask(client, q0={"query": "Halden Motors"})["q0"][0]["id"]
    asked = {"ids": [id, "nobody"], "properties": [{"id": each} for each in PROPERTIES]}
    extended = client.post("/", data={"extend": json.dumps(asked)}).json()
    jsonschema.validate(extended, EXTENDED)
    assert extended["rows"][id]["name"] == [{"str": "Halden Motors"}]
    assert extended["rows"]["nobody"]["name"] == []
    assert client.get("/suggest/entity", params={"prefix": "hald"}).json()["result"][0]["id"] == id
    assert client.get("/suggest/type", params={"prefix": "per"}).json()["result"] == [
        {"id": "person", "name": "Person"}
    ]
    assert [each["id"] for each in client.get("/properties").json()["properties"]] == list(PROPERTIES)
    page = client.get("/preview", params={"id": id})
    assert "Halden Motors" in page.text
    assert client.get("/preview", params={"id": "<script>"}).status_code == 404


def test_every_route_allows_other_origins(client):
    for path in ("/", "/suggest/entity?prefix=a", "/properties", "/preview?id=nobody"):
        answered = client.get(path, headers={"Origin": "http://127.0.0.1:3333"})
        assert answered.headers["access-control-allow-origin"] == "*", path
    asked = {"Origin": "http://127.0.0.1:3333", "Access-Control-Request-Method": "POST"}
    assert client.options("/", headers=asked).status_code == 200


def test_the_token_and_the_own_name_are_needed(client):
    assert client.get("http://127.0.0.1:8767/").status_code == 404
    assert client.get("http://127.0.0.1:8767/wrong/").status_code == 404
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 400


@pytest.mark.parametrize(
    ("queries", "status", "message"),
    [
        ("{", 400, "not JSON"),
        ("[]", 400, "object was expected"),
        ('{"q0": 7}', 400, "'q0' is not an object"),
        ('{"q0": {"query": " "}}', 400, "no text"),
        ('{"q0": {"query": "x", "type": "spaceship"}}', 400, "no type 'spaceship'"),
        (json.dumps({f"q{n}": {"query": "x"} for n in range(10 * MOST_QUERIES)}), 413, "10,000 queries"),
    ],
)
def test_a_bad_request_is_explained(client, queries, status, message):
    answered = client.post("/", data={"queries": queries})
    assert answered.status_code == status
    assert message in answered.json()["message"]
