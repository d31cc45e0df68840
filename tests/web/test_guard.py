"""Who is let in, and that nothing that somebody wrote into a document is run: as an attacker asks, and in a browser."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from crossdoc.run import resolve as pipeline
from crossdoc.run.resolution import Resolution
from crossdoc.web.guard import Guard, content_policy

SCRIPT = "window.hacked=1"
PAYLOADS = [
    f"<script>{SCRIPT}</script>",
    f"</script><script>{SCRIPT}</script>",
    f"<img src=x onerror={SCRIPT}>",
    f"<svg onload={SCRIPT}>",
    f"<svg><script>{SCRIPT}</script></svg>",
    f"<body onload={SCRIPT}>",
    f"<iframe src='javascript:parent.{SCRIPT}'></iframe>",
    f"<iframe srcdoc='<script>parent.{SCRIPT}</script>'></iframe>",
    f"<object data='javascript:{SCRIPT}'></object>",
    f"<embed src='data:text/html,<script>{SCRIPT}</script>'>",
    f"<a href='javascript:{SCRIPT}'>click</a>",
    f"javascript:{SCRIPT}",
    f'"><script>{SCRIPT}</script>',
    f"'><script>{SCRIPT}</script>",
    f'" onmouseover="{SCRIPT}" x="',
    f"' onfocus='{SCRIPT}' autofocus='",
    f"`;{SCRIPT};`",
    f"${{{SCRIPT}}}",
    f"{{{{constructor.constructor('{SCRIPT}')()}}}}",
    f"{{{{ _openBlock.constructor('{SCRIPT}')() }}}}",
    f"<div v-html=\"'<img src=x onerror={SCRIPT}>'\"></div>",
    f"<component :is=\"'script'\">{SCRIPT}</component>",
    f"<style>@import 'javascript:{SCRIPT}';</style>",
    "<style>body{display:none}</style>",
    "<link rel=stylesheet href=//evil.example/a.css>",
    "<img src=//evil.example/track.png>",
    "<base href=//evil.example/>",
    f"<meta http-equiv=refresh content='0;url=javascript:{SCRIPT}'>",
    "<form action=//evil.example/><input name=a></form>",
    f"<math><mtext></mtext><mglyph><style></math><img src onerror={SCRIPT}>",
    f"<noscript><p title='</noscript><img src=x onerror={SCRIPT}>'>",
    f"&lt;script&gt;{SCRIPT}&lt;/script&gt;",
    f"&#60;img src=x onerror={SCRIPT}&#62;",
    f"\\u003cscript\\u003e{SCRIPT}\\u003c/script\\u003e",
    f"]]><script>{SCRIPT}</script>",
    f"--><script>{SCRIPT}</script><!--",
    "\u202egnp.exe\u202c \u2066abc\u2069 \u200f",
    "مرحبا <b>bold</b> שלום",
    '=HYPERLINK("http://evil.example")',
    "../../../../etc/passwd",
    "Robert'); DROP TABLE identities;--",
    "%3Cscript%3Ewindow.hacked=1%3C/script%3E",
]
NAMES = [f"Zed{number} {payload}" for number, payload in enumerate(PAYLOADS)]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An answer in which all that comes from outside is an attack: ids, titles, sources, names and texts."""
    folder = tmp_path_factory.mktemp("hostile")
    records = [
        {
            "id": f"{payload}/{number}.txt",
            "title": f"Title {payload}",
            "source": f"Source {payload}",
            "date": "2001-02-03",
            "language": "en",
            "text": f"{name} met Ann Lee. Then {payload} said so.",
            "mentions": [
                {"start": 0, "end": len(name), "type": "person"},
                {"start": len(name) + 5, "end": len(name) + 12, "type": "person"},
            ],
        }
        for number, (name, payload) in enumerate(zip(NAMES, PAYLOADS, strict=True))
    ]
    documents = folder / "documents.jsonl"
    documents.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    path = folder / "hostile.crossdoc"
    pipeline.resolve(documents, output=path).close()
    with Resolution.open(path) as resolution:
        mine = [identity.members[0].profile for identity in resolution.identities() if identity.name.startswith("Zed")]
        resolution.judge(mine[0], mine[1], "different", who=PAYLOADS[0], why=PAYLOADS[2])
        resolution.rename(resolution.identities(find="Ann Lee")[0].id, PAYLOADS[3], who=PAYLOADS[1], why=PAYLOADS[19])
    return path


def shown(text: str) -> str:
    """As the browser gives what it shows: with single spaces."""
    return " ".join(text.split())


def test_payloads_are_shown_as_text(hostile, explore, visit):
    """In lists, on every identity and document, in the log, the overview: as it was written, and nothing of it runs."""
    running = explore("--read-only", path=hostile)
    page = visit(running, "/?q=zed")
    assert len(PAYLOADS) >= 30
    with Resolution.open(hostile) as resolution:
        identities = {each.name: each.id for each in resolution.identities() if each.name.startswith("Zed")}
        documents = [row["id"] for row in resolution.store.document_facts()]
    assert len(identities) >= 30
    listed = {shown(each) for each in page.locator(".x-lines .x-name").all_text_contents()}
    assert {shown(name) for name in identities} <= listed
    titles = {f"/identity?id={quote(id, safe='')}": name for name, id in identities.items()}
    titles |= {f"/document?id={quote(id, safe='')}": f"Title {id.rpartition('/')[0]}" for id in documents}
    for path in [
        *titles,
        "/overview",
        "/corrections",
        f"/?q={quote(PAYLOADS[0])}",
        f"/?words={quote(PAYLOADS[2])}",
        f"/{quote(PAYLOADS[0])}",
    ]:
        if path == f"/{quote(PAYLOADS[0])}":
            page.watched.allowed.append("status of 404")
        page.goto(running.at(path))
        page.wait_for_function("() => window.did_handshake === true")
        page.wait_for_function("() => !document.querySelector('.x-skeleton')")
        assert page.evaluate("window.hacked") is None, path
        assert path not in titles or shown(page.locator("h1").text_content()) == shown(titles[path])
        assert page.locator("iframe, object, embed, base, .x-main style, .x-main script, .x-main link").count() == 0, (
            path
        )
        assert page.locator("[onerror], [onload], [onmouseover], [onfocus], a[href^='javascript' i]").count() == 0, path


def test_a_table_that_is_downloaded_holds_no_formula(hostile, explore):
    running = explore("--read-only", path=hostile)
    status, _, body = ask(running, "/search.csv", cookie(running))
    assert status == 200
    cells = re.findall(r'(?:^|,)"?(.)', body.decode(), re.MULTILINE)
    assert not {"=", "+", "@", "\t"} & set(cells)


# -- as an attacker asks ---------------------------------------------------------------------------------------------


def ask(
    running: Any, path: str, headers: dict[str, str] | None = None, method: str = "GET", body: bytes | None = None
) -> Any:
    connection = HTTPConnection("127.0.0.1", running.port, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    for key, value in {"Host": f"127.0.0.1:{running.port}", **(headers or {})}.items():
        connection.putheader(key, value)
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    return answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read()


def cookie(running: Any) -> dict[str, str]:
    return {"Cookie": f"crossdoc-{running.port}={running.token}"}


PATHS = ["/", "/overview", "/identity?id=x", "/search.csv", "/api/openapi.json", "/look.css",
         "/_nicegui/3.18.0/static/nicegui.js", "/_nicegui_ws/socket.io/?EIO=4&transport=polling", "/nix"]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_given_without_the_token(explorer, path):
    for headers in ({}, {"Cookie": f"crossdoc-{explorer.port}=wrong"}, {"Cookie": f"crossdoc={explorer.token}"},
                    {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {explorer.token}"}):  # fmt: skip
        status, answered, body = ask(explorer, path, headers)
        assert status == 403
        assert explorer.token not in body.decode() + str(answered)
    glue = "&" if "?" in path else "?"
    assert ask(explorer, f"{path}{glue}token=wrong")[0] == 403


def test_the_token_becomes_a_cookie_and_leaves_the_address(explorer):
    status, headers, _ = ask(explorer, f"/identity?id=a%2Fb&token={explorer.token}")
    assert status == 303
    assert headers["location"] == "/identity?id=a%2Fb"
    assert headers["set-cookie"].lower().split("; ")[1:] == ["httponly", "path=/", "samesite=strict"]
    assert headers["set-cookie"].startswith(f"crossdoc-{explorer.port}={explorer.token};")
    status, headers, _ = ask(explorer, f"//evil.example/?token={explorer.token}")
    assert headers["location"].startswith("/evil.example")


def test_programs_bring_the_token_in_a_header(explorer):
    status, _, body = ask(explorer, "/search.csv?q=smith", {"Authorization": f"Bearer {explorer.token}"})
    assert status == 200
    assert b"Smith" in body


HOSTS = ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "169.254.169.254:{port}"]
HOSTS += ["", "localhost.evil.example", "[::1", "127.0.0.1@evil.example"]


@pytest.mark.parametrize("host", HOSTS)
def test_names_of_others_that_point_here_are_refused(explorer, host):
    """DNS rebinding: the browser believes that it talks to evil.example, and the address is ours."""
    status, _, body = ask(explorer, "/", {**cookie(explorer), "Host": host.format(port=explorer.port)})
    assert status == 421
    assert b"Smith" not in body


@pytest.mark.parametrize("host", ["localhost:{port}", "127.0.0.1:{port}", "[::1]:{port}", "localhost:9999"])
def test_own_names_are_taken(explorer, host):
    assert ask(explorer, "/search.csv", {**cookie(explorer), "Host": host.format(port=explorer.port)})[0] == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1.evil.example", "file://"]
)
def test_other_origins_are_refused_whatever_they_bring(explorer, origin):
    for path, method in (
        ("/", "GET"),
        ("/api/judge", "POST"),
        ("/_nicegui_ws/socket.io/?EIO=4&transport=polling", "POST"),
    ):
        status, headers, _ = ask(
            explorer, path, {**cookie(explorer), "Origin": origin}, method, b"" if method == "POST" else None
        )
        assert status == 403
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_page_embeds_is_refused(explorer, site):
    embedded = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    assert ask(explorer, "/search.csv", {**cookie(explorer), **embedded})[0] == 403
    framed = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert ask(explorer, "/", {**cookie(explorer), **framed})[0] == 403
    gone_to = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert ask(explorer, "/search.csv", {**cookie(explorer), **gone_to})[0] == 200


def upgraded(running: Any, headers: dict[str, str]) -> int:
    """The status of asking for a WebSocket: 101 is one."""
    asked = {
        "Host": f"127.0.0.1:{running.port}", "Upgrade": "websocket", "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", **headers,
    }  # fmt: skip
    lines = "".join(f"{key}: {value}\r\n" for key, value in asked.items())
    with socket.create_connection(("127.0.0.1", running.port), timeout=60) as connection:
        connection.sendall(f"GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\n{lines}\r\n".encode())
        return int(connection.recv(100).split()[1])


def test_websockets_need_token_and_origin(explorer):
    own = {"Origin": f"http://127.0.0.1:{explorer.port}"}
    assert upgraded(explorer, {**own, **cookie(explorer)}) == 101
    assert upgraded(explorer, own) == 403
    assert upgraded(explorer, {**own, "Cookie": f"crossdoc-{explorer.port}=wrong"}) == 403
    assert upgraded(explorer, {"Origin": "http://evil.example", **cookie(explorer)}) == 403
    assert upgraded(explorer, {**own, **cookie(explorer), "Host": "evil.example"}) == 403


@pytest.mark.parametrize("path", [
    "/../../../../etc/passwd", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2f..%2fetc%2fpasswd", "//etc/passwd",
    "/_nicegui/3.18.0/static/../../../../../../../etc/passwd",
    "/_nicegui/3.18.0/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/_nicegui/3.18.0/libraries/..%2f..%2f..%2fetc%2fpasswd", "/_nicegui/3.18.0/components/../../../etc/passwd",
    "/document?id=../../../../etc/passwd", "/document?id=/etc/passwd", "/identity?id=file:///etc/passwd",
    "/document?id=%00", "/identity?id=%ff%fe",
])  # fmt: skip
def test_no_path_leaves_the_store(explorer, path):
    status, _, body = ask(explorer, path, cookie(explorer))
    assert status in (400, 404)
    assert b"root:" not in body


def test_what_browsers_are_told(explorer):
    _, headers, body = ask(explorer, "/overview", {**cookie(explorer), "Accept": "text/html"})
    policy = headers["content-security-policy"]
    nonce = re.search(r"'nonce-([\w-]+)'", policy)
    assert nonce is not None
    assert policy == content_policy(nonce.group(1))
    assert ask(explorer, "/overview", cookie(explorer))[1]["content-security-policy"] != policy
    assert "unsafe-inline" not in policy.replace("style-src-attr 'unsafe-inline'", "")
    assert "http:" not in policy and "*" not in policy  # noqa: PT018
    page = body.decode()
    inline = re.findall(r"<(?:script|style)\b([^>]*)>", page)
    assert [tag for tag in inline if f'nonce="{nonce.group(1)}"' not in tag] == [""]
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


def test_the_policy_is_stated_in_the_docs():
    page = Path(__file__).resolve().parents[2] / "docs" / "explore.md"
    if not page.exists():
        pytest.skip("the pages are not in the sdist")
    assert content_policy("…") in " ".join(page.read_text(encoding="utf-8").split())


def test_a_prefix_of_a_proxy_is_not_believed(explorer):
    _, _, body = ask(explorer, "/overview", {**cookie(explorer), "X-Forwarded-Prefix": "//evil.example"})
    assert b"evil.example" not in body


def test_who_is_not_let_in_is_told_what_to_do(explorer, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(explorer.base)
    assert "key is missing" in page.locator("h1").text_content()
    assert "crossdoc explore" in page.locator("main").text_content()
    context.close()


def test_a_page_of_another_origin_gets_nothing(explorer, browser):
    """A page on another port, in the browser that was let in: the same site, and another origin."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(explorer.address)
    page.wait_for_selector("h1", state="attached")
    other = HTTPServerOfOthers()
    page.goto(f"http://127.0.0.1:{other.port}/")
    tried = page.evaluate(
        """async (base) => {
            const blocked = () => "blocked";
            const read = await fetch(base + "/search.csv", {credentials: "include"}).then((r) => r.status, blocked);
            const post = {method: "POST", mode: "no-cors", credentials: "include", body: "{}"};
            const sent = await fetch(base + "/api/judge", post).then((r) => r.type, blocked);
            const socket = await new Promise((done) => {
                const path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket";
                const ws = new WebSocket(base.replace("http", "ws") + path);
                ws.onopen = () => done("open"); ws.onerror = () => done("refused");
            });
            const script = await new Promise((done) => {
                const tag = document.createElement("script");
                tag.src = base + "/api/openapi.json";
                tag.onload = () => done("loaded");
                tag.onerror = () => done("refused");
                document.head.append(tag);
            });
            return [read, sent, socket, script];
        }""",
        explorer.base,
    )
    other.close()
    context.close()
    assert tried[0] == "blocked"
    assert tried[1] in ("opaque", "blocked")
    assert tried[2:] == ["refused", "refused"]


def test_the_address_works_as_a_link_on_a_page_of_others(explorer, browser):
    """A mail or chat in the browser: its link is of another site; the strict cookie comes along all the same."""
    context = browser.new_context()
    page = context.new_page()
    other = HTTPServerOfOthers(f'<a href="{explorer.address}&q=carver">look</a>')
    page.goto(f"http://localhost:{other.port}/")
    page.get_by_text("look").click()
    page.wait_for_selector(".x-lines a")
    assert page.url == explorer.at("/?q=carver")
    other.close()
    context.close()


class HTTPServerOfOthers:
    """A page of somebody else's on another port."""

    def __init__(self, content: str = "") -> None:
        import threading
        from http.server import BaseHTTPRequestHandler, HTTPServer

        class Page(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(f"<!doctype html><title>other</title>{content}".encode())

            def log_message(self, *_: Any) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Page)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()


# -- the guard by itself ---------------------------------------------------------------------------------------------


async def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


def asked(
    host: str = "127.0.0.1", most: int = 1000, method: str = "GET", content: Any = b"", **headers: str
) -> httpx.Response:
    """What a guarded app answers that counts what it is sent."""
    app = Guard(Starlette(routes=[Route("/", echo, methods=["GET", "POST"])]), "key", 80, host, most)

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            sent = {
                "Authorization": "Bearer key",
                **{key.rstrip("_").replace("_", "-"): value for key, value in headers.items()},
            }
            return await client.request(method, "/", content=content, headers=sent)

    # In a thread, since Playwright has a loop running in this one.
    with ThreadPoolExecutor() as threads:
        return threads.submit(asyncio.run, ask()).result()


async def in_pieces(*pieces: bytes) -> Any:
    for piece in pieces:
        yield piece


def test_bodies_are_limited():
    assert asked(most=10, method="POST", content=b"x" * 10).text == "10"
    assert asked(most=10, method="POST", content=b"x" * 11).status_code == 413
    assert asked(most=10, method="POST", content_length="-1").status_code == 413
    # Without a length it is counted as it comes.
    assert asked(most=10, method="POST", content=in_pieces(b"x" * 5, b"x" * 5)).text == "10"
    assert asked(most=10, method="POST", content=in_pieces(b"x" * 6, b"x" * 6)).status_code != 200


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "//[x]", "http://127.0.0.1:x]"])
def test_an_origin_that_is_no_address_is_another_one(origin):
    told = asked(Origin=origin)
    assert told.status_code == 403
    assert "another page" in told.json()["error"]


def test_a_code_lets_one_browser_in_and_no_second():
    app = Guard(Starlette(routes=[Route("/", echo)]), "key", 80, code="once")

    async def ask() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            wrong = await client.get("/?code=other")
            empty = await client.get("/?code=")
            first = await client.get("/?code=once&q=a")
            client.cookies.clear()
            second = await client.get("/?code=once&q=a")
            late = await client.get("/?code=")
            with_cookie = await client.get("/?code=once&q=a", headers={"Cookie": "crossdoc-80=key"})
            return [wrong, empty, first, second, late, with_cookie]

    with ThreadPoolExecutor() as threads:
        told = threads.submit(asyncio.run, ask()).result()
    assert [each.status_code for each in told] == [403, 403, 303, 403, 403, 303]
    assert told[2].headers["location"] == told[5].headers["location"] == "/?q=a"
    assert told[2].headers["set-cookie"].startswith("crossdoc-80=key;")


def test_elsewhere_addresses_are_own_and_names_of_others_are_not():
    assert asked("0.0.0.0", host_="192.0.2.7:8765").status_code == 200
    assert asked("0.0.0.0", host_=socket.gethostname()).status_code == 200
    assert asked("0.0.0.0", host_="evil.example").status_code == 421
    assert asked("0.0.0.0", host_="192.0.2.7", Authorization="Bearer other").status_code == 403
    assert asked(host_="192.0.2.7").status_code == 421
