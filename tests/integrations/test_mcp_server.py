"""An answer as tools: asked through the package's own client, in memory, over stdio and over HTTP."""

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import anyio
import pytest

mcp = pytest.importorskip("mcp")
if not hasattr(mcp, "Client"):
    pytest.skip("mcp 1.x has no client of this kind", allow_module_level=True)

import httpx2  # noqa: E402 - it comes with mcp
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

from crossdoc.integrations.mcp_server import READS, WRITES, AnswerTools, make_server  # noqa: E402


@pytest.fixture(scope="module")
def reading(sample):
    with AnswerTools(sample) as tools:
        yield tools


def ask(tools, *calls):
    """The structured content of each call, or the text of its error."""

    async def run():
        found = []
        async with mcp.Client(make_server(tools)) as client:
            for name, arguments in calls:
                result = await client.call_tool(name, arguments)
                found.append(result.content[0].text if result.is_error else result.structured_content)
        return found

    return anyio.run(run)


def one(tools, tool, /, **arguments):
    (found,) = ask(tools, (tool, arguments))
    return found


def test_tools_are_typed_and_read_only_without_write(reading, answer):
    async def listed(tools):
        async with mcp.Client(make_server(tools)) as client:
            return (await client.list_tools()).tools

    tools = anyio.run(listed, reading)
    assert [tool.name for tool in tools] == list(READS)
    assert all(tool.output_schema and tool.annotations.read_only_hint for tool in tools)
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
    with AnswerTools(answer, write=True) as writing:
        writers = [tool for tool in anyio.run(listed, writing) if not tool.annotations.read_only_hint]
    assert [tool.name for tool in writers] == list(WRITES)
    assert all({"who", "why"} <= set(tool.input_schema["required"]) for tool in writers)


def test_a_name_its_card_its_quotes_and_the_passage_round_one(reading):
    page = one(reading, "find", name="smith", type="person", limit=2)
    assert page["total"] > 2
    assert len(page["rows"]) == 2
    id = page["rows"][0]["id"]
    card = one(reading, "identity", id=id)
    assert card["line"]["name"] == page["rows"][0]["name"]
    quote = one(reading, "quotes", id=id, limit=1)["result"][0]
    passage = one(
        reading, "passage", document=quote["document"], start=quote["start"], length=quote["end"] - quote["start"]
    )
    assert passage["text"] in card["line"]["name"] or passage["text"] in dict(card["variants"])
    assert len(quote["snippet"]) < 200


def test_pages_follow_each_other_and_end(reading):
    first, second = (one(reading, "find", offset=offset, limit=3)["rows"] for offset in (0, 3))
    assert not {row["id"] for row in first} & {row["id"] for row in second}
    assert "no page at 100,000" in one(reading, "find", offset=100_000)
    assert "no page at 1,000" in one(reading, "quotes", id=first[0]["id"], offset=1000)
    assert "no page at 9,999" in one(reading, "history", offset=9999)


def test_why_gives_reasons(reading):
    id = one(reading, "find", name="smith", type="person")["rows"][0]["id"]
    a, b = (quote["profile"] for quote in one(reading, "quotes", id=id, limit=2)["result"])
    found = one(reading, "why", a=a, b=b)
    assert 0 <= found["strength"] <= 1
    assert all(reason["about"] for reason in found["reasons"])
    assert found["a"]["id"] == a


def test_a_path_leads_over_common_documents(reading):
    start = one(reading, "find", limit=1)["rows"][0]["id"]
    near = one(reading, "related", id=start)["result"]
    steps = one(reading, "path", a=start, b=near[0]["line"]["id"])["result"]
    assert [step["line"]["id"] for step in steps] == [start, near[0]["line"]["id"]]
    known = {start, *(each["line"]["id"] for each in near)}
    further = [each["line"]["id"] for each in one(reading, "related", id=near[0]["line"]["id"])["result"]]
    two_away = next(id for id in further if id not in known)
    assert len(one(reading, "path", a=start, b=two_away)["result"]) <= 3


def test_uncertain_pairs(reading):
    pairs = one(reading, "uncertain", limit=3)["result"]
    assert len(pairs) == 3
    assert pairs[0]["worth"] >= pairs[1]["worth"]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("find", {"nmae": "Smith"}, "nmae"),
        ("find", {"limit": 100_000}, "less than or equal to 100"),
        ("identity", {"id": "nobody"}, "'nobody'"),
        ("passage", {"document": "nothing"}, "nothing"),
        ("why", {"a": "x", "b": "y"}, "x"),
        ("merge", {"a": "x", "b": "y", "who": "A", "why": "b"}, "merge"),
    ],
)
def test_a_wrong_call_is_explained(reading, name, arguments, message):
    assert message in one(reading, name, **arguments)


def test_changes_are_logged_with_who_and_why_and_undone(answer):
    with AnswerTools(answer, write=True) as tools:
        rows = one(tools, "find", name="smith", type="person", limit=2)["rows"]
        a, b = (row["id"] for row in rows)
        changed = one(tools, "merge", a=a, b=b, who="agent 7", why="one birthday")
        assert changed["entry"] == 1
        assert one(tools, "identity", id=b)["line"]["id"] == one(tools, "identity", id=a)["line"]["id"]
        assert one(tools, "history", limit=1)["result"][0]["what"] == "merged"
        entry = tools.reader.log()[0].entry
        assert (entry.who, entry.why) == ("agent 7", "one birthday")
        one(tools, "undo", who="Ada", why="no")
        assert one(tools, "identity", id=b)["line"]["id"] == b
        assert "who" in one(tools, "judge", a=a, b=b, verdict="same", why="x")
        profiles = [each["profile"] for each in one(tools, "quotes", id=a)["result"]]
        assert one(tools, "split", id=a, profiles=profiles[:1], who="Ada", why="x")["events"]
        assert "Name some, but not all" in one(tools, "split", id=b, profiles=[], who="Ada", why="x")


def test_over_stdio(sample):
    run = StdioServerParameters(
        command=sys.executable, args=["-m", "crossdoc", "mcp", str(sample)], env=dict(os.environ)
    )

    async def talk():
        async with mcp.Client(stdio_client(run)) as client:
            return (await client.call_tool("find", {"name": "smith"})).structured_content["total"]

    assert anyio.run(talk) > 1


@contextmanager
def served(sample, *options):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "crossdoc", "mcp", str(sample), "--http", "--port", str(port), *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        said = process.stderr.readline() + ("" if options else process.stderr.readline())
        for _ in range(200):
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp", said
    finally:
        process.terminate()
        process.wait(20)


def test_over_http_with_a_token(sample):
    async def talk(address, token):
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            mcp.Client(streamable_http_client(address, http_client=http)) as client,
        ):
            return (await client.call_tool("find", {"name": "smith"})).structured_content["total"]

    with served(sample) as (address, said):
        token = re.search(r"Bearer (\S+)", said)[1]
        assert httpx2.post(address, json={}).status_code == 403
        assert httpx2.post(address, json={}, headers={"Authorization": "Bearer x"}).status_code == 403
        good = {"Authorization": f"Bearer {token}"}
        assert httpx2.post(address, json={}, headers={**good, "Host": "evil.example"}).status_code == 421
        assert httpx2.post(address, json={}, headers={**good, "Origin": "http://evil.example"}).status_code == 403
        assert anyio.run(talk, address, token) > 1


def test_over_http_without_a_token_if_asked(sample):
    async def talk(address):
        async with mcp.Client(address) as client:
            return (await client.call_tool("find", {"name": "smith"})).structured_content["total"]

    with served(sample, "--no-token") as (address, said):
        assert "Bearer" not in said
        assert anyio.run(talk, address) > 1
