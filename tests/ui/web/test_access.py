"""Who gets in, and with how much: over real connections to a real server."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from pavane.ui.web import access as guards
from pavane.ui.web.access import AccessPolicy, Guard, Rate

TOKEN = "0123456789abcdef-ABC"


class Serving:
    """A server as `pavane serve` starts it, and how to talk to it."""

    def __init__(self, folder: Path, *options: str) -> None:
        store = str(folder / "results.sqlite")
        command = [sys.executable, "-m", "pavane", "serve", "--port", "0", "--store", store, *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.line = self.process.stdout.readline()
        self.port = urlsplit(self.line.split()[3]).port or 0

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str, dict[str, str]]:
        """Return the status, the text and the headers of an answer; an iterable body is sent in chunks."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        shown = {"content-type": "application/json", **{key.replace("_", "-"): text for key, text in headers.items()}}
        link.request(method, path, body, shown, encode_chunked=not isinstance(body, bytes | None))
        answer = link.getresponse()
        text = answer.read().decode()
        link.close()
        return answer.status, text, {name.lower(): value for name, value in answer.getheaders()}

    def end(self) -> str:
        """End it; return what it said on stderr."""
        self.process.terminate()
        return self.process.communicate(timeout=60)[1]


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Yield a server for this machine alone."""
    running = Serving(tmp_path_factory.mktemp("alone"))
    yield running
    assert running.end() == ""


@pytest.fixture(scope="module")
def open_serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Yield a server for everybody who has the token."""
    folder = tmp_path_factory.mktemp("open")
    (folder / "token").write_text(f"{TOKEN}\n")
    asked = ("--host", "0.0.0.0", "--token-file", str(folder / "token"), "--allow-host", "noc.example")
    running = Serving(folder, *asked)
    yield running
    assert "has the token can start searches" in running.end()


def memory(process: int) -> int:
    """Return the most bytes that a process has had."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        pytest.skip("memory is looked up in /proc")
    (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return 1024 * int(line.split()[1])


@pytest.mark.parametrize("is_chunked", [False, True])
def test_large_uploads_are_refused_as_they_come(serving: Serving, is_chunked: bool) -> None:
    """Whatever a request says about its length, the limit holds; the refusal arrives, and memory stays."""
    serving.ask("GET", "/api/about")
    before, part = memory(serving.process.pid), b"x" * 1_000_000
    body: Any = (part for _ in range(60)) if is_chunked else part * 60
    status, text, _ = serving.ask("POST", "/api/networks/preview", body)
    assert (status, "at most 1,000,000 bytes" in json.loads(text)["error"]) == (413, True)
    assert memory(serving.process.pid) - before < 30_000_000
    assert serving.ask("GET", "/api/about")[0] == 200


def test_a_chunked_request_within_the_limit_is_taken(serving: Serving) -> None:
    """How a request is sent makes no difference."""
    status, text, _ = serving.ask("POST", "/api/networks/preview", iter([b'{"network": ', b'"ring:5"}']))
    assert (status, json.loads(text)["name"]) == (200, "ring:5")


@pytest.mark.parametrize("length", ["-1", "many", "1e3", "9" * 400])
def test_lengths_that_are_none_are_refused(serving: Serving, length: str) -> None:
    """A length that cannot be is answered, not believed."""
    with socket.create_connection(("127.0.0.1", serving.port), timeout=30) as link:
        link.sendall(f"POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n".encode())
        link.shutdown(socket.SHUT_WR)
        answer = b""
        with suppress(ConnectionError):
            answer = link.recv(1000)
    assert answer == b"" or int(answer.split()[1]) in (400, 413)
    assert serving.ask("GET", "/api/about")[0] == 200


def test_sizes_are_known_before_anything_is_built(serving: Serving) -> None:
    """A name of a few characters cannot make the server work."""
    status, text, _ = serving.ask("POST", "/api/networks/preview", b'{"network": "random-regular:1000000,4,1"}')
    assert (status, "4,000,000 channels" in text, "100,000" in text) == (400, True, True)


def test_foreign_names_are_refused(serving: Serving) -> None:
    """A page of elsewhere that resolves its own name to this machine does not get in."""
    for host in ("evil.example", "127.0.0.1.evil.example", "192.168.1.7", "", "localhost.evil"):
        assert serving.ask("GET", "/", host=host)[0] == 400
    for host in ("localhost", "127.0.0.1:8765", "[::1]:8765"):
        assert serving.ask("GET", "/", host=host)[0] == 200


def test_every_answer_carries_the_headers(serving: Serving) -> None:
    """Pages, errors and refusals alike: no foreign scripts, frames or guesses."""
    for path, host in (("/", "localhost"), ("/api/jobs/none", "localhost"), ("/", "evil.example")):
        _, _, headers = serving.ask("GET", path, host=host)
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["referrer-policy"] == "no-referrer"


def test_beyond_this_machine_a_token_is_asked_for(open_serving: Serving) -> None:
    """Without it nothing is answered; with it, in the address, a cookie or a header, everything is."""
    assert TOKEN not in open_serving.line  # it is in a file already
    for path in ("/", "/api/about", "/assets/page.js", "/?token=wrong", "/?token="):
        status, text, _ = open_serving.ask("GET", path)
        assert (status, "token" in json.loads(text)["error"]) == (401, True)
    assert open_serving.ask("POST", "/api/jobs", b'{"network": "ring:4"}')[0] == 401
    assert open_serving.ask("GET", "/", authorization="Bearer wrong", cookie="pavane=wrong")[0] == 401
    status, _, headers = open_serving.ask("GET", f"/?token={TOKEN}")
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert open_serving.ask("GET", "/api/about", cookie=f"other=1; {cookie.split(';')[0]}")[0] == 200
    assert open_serving.ask("GET", "/api/about", cookie=f"other={TOKEN}")[0] == 401
    assert open_serving.ask("GET", "/api/about", authorization=f"Bearer {TOKEN}")[0] == 200


def test_names_beyond_this_machine_are_given(open_serving: Serving) -> None:
    """Numbers cannot be borrowed by a foreign page, names can: those must be listed."""
    shown = {"authorization": f"Bearer {TOKEN}"}
    for host in ("noc.example:80", "NOC.example", "192.168.1.7:8765", "[fe80::1]:80", "localhost"):
        assert open_serving.ask("GET", "/api/about", host=host, **shown)[0] == 200
    assert open_serving.ask("GET", "/api/about", host="other.example", **shown)[0] == 400


def test_clients_beyond_this_machine_may_not_ask_too_often(open_serving: Serving) -> None:
    """Who starts searches in a row is told when the next one will be taken."""
    asked = [
        open_serving.ask("POST", "/api/jobs", b'{"network": "none:4"}', authorization=f"Bearer {TOKEN}")
        for _ in range(12)
    ]
    statuses = [status for status, _, _ in asked]
    assert (statuses[0], statuses[-1]) == (400, 429)
    assert 1 <= int(asked[-1][2]["retry-after"]) <= 5


def test_a_new_token_is_printed_once(tmp_path: Path) -> None:
    """Without a file of one's own each start has another token, in the address that is printed."""
    running = Serving(tmp_path, "--host", "0.0.0.0")
    token = running.line.split("?token=")[1].split()[0]
    assert len(token) >= 32
    assert running.ask("GET", "/", authorization=f"Bearer {token}")[0] == 200
    assert token not in running.end()


def test_a_rate_is_kept() -> None:
    """So many at once, then as many as come back with time; others are not held back."""
    now = [0.0]
    rate = Rate(2.0, 3, lambda: now[0])
    assert [rate.wait("a") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert rate.wait("b") == 0.0
    now[0] = 0.5
    assert [rate.wait("a") for _ in range(2)] == [0.0, 0.5]
    now[0] = 100.0
    assert [rate.wait("a") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]


def test_clients_that_were_here_long_ago_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many come, so many are remembered and no more: those who came last."""
    monkeypatch.setattr(guards, "MOST_CLIENTS", 2)
    rate = Rate(1.0, 1, lambda: 0.0)
    assert [rate.wait(client) for client in "abca"] == [0.0] * 4
    assert rate.wait("c") == 1.0


def asked_of(guard: Guard, *messages: dict[str, Any] | None, **headers: str) -> tuple[int | None, str]:
    """Return the status and the text that a request gets; None among its messages: nothing comes any more."""
    arriving, sent = list(messages), list[dict[str, Any]]()

    async def receive() -> Any:
        message = arriving.pop(0) if arriving else None
        if message is None:
            await asyncio.sleep(60)
        return message

    async def send(message: Any) -> None:
        sent.append(message)

    shown = {"host": "localhost", **{key.replace("_", "-"): text for key, text in headers.items()}}
    scope = {"type": "http", "method": "POST", "path": "/api/jobs", "query_string": b"", "client": ("here", 1)}
    scope["headers"] = [(name.encode(), text.encode()) for name, text in shown.items()]
    asyncio.run(guard(scope, receive, send))
    text = b"".join(message.get("body", b"") for message in sent).decode()
    return (sent[0]["status"] if sent else None), text


async def _never(*_: Any) -> None:
    raise AssertionError("the request came through")


def test_a_request_that_does_not_arrive_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is slow is told so, a large request is refused as large, and who has gone needs no answer."""
    monkeypatch.setattr(guards, "READ_FOR", 0.05)
    monkeypatch.setattr(guards, "DRAINED_FOR", 0.05)
    guard = Guard(_never, AccessPolicy(), 10, "at most 10 bytes")
    begun = {"type": "http.request", "body": b"{", "more_body": True}
    status, text = asked_of(guard, begun, None)
    assert (status, "did not arrive in time" in text) == (408, True)
    status, text = asked_of(guard, {**begun, "body": b"x" * 11}, None)
    assert (status, "at most 10 bytes" in text) == (413, True)
    assert asked_of(guard, begun, {"type": "http.disconnect"}) == (None, "")


def test_a_client_may_not_ask_too_often_for_anything() -> None:
    """Every request counts, and the refusal says when the next one will be taken."""
    guard = Guard(_never, AccessPolicy(requests=Rate(0.1, 1, lambda: 0.0)), 10, "")
    assert guard.door.requests is not None
    guard.door.requests.wait("here")
    status, text = asked_of(guard)
    assert (status, "too many requests; try again in 10 s" in text) == (429, True)


@pytest.mark.parametrize(("host", "is_known"), [("[::1]", True), ("::1", True), ("::1:80", False), ("a:1:2", False)])
def test_names_are_told_from_ports(host: str, is_known: bool) -> None:
    """Addresses with colons come in brackets."""
    assert AccessPolicy().knows(host) is is_known
