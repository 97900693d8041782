"""Access control: every request passes here before anything else of the server sees it.

The order is that of what is cheapest to refuse: a foreign name of the server, no token, too many requests, too many
bytes. Limits on bytes hold as they come, whatever a request says about its length.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("localhost", "127.0.0.1", "::1")
COOKIE = "pavane"
SEARCHES = ("/api/jobs",)
"""Paths whose POST requests start searches."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""Headers of every response that does not set them itself."""

DRAINED_FOR = 20.0
"""Seconds in which the rest of a refused upload is discarded: a client that still sends would not read the refusal."""

READ_FOR = 30.0
"""Seconds for a request's body to arrive."""

MOST_CLIENTS = 10_000
"""The number of clients whose rates are remembered."""


class Rate:
    """A rate limit per client: requests per second in the long run, and a number at once (token bucket)."""

    def __init__(self, per_second: float, at_once: int, now: Callable[[], float] = time.monotonic) -> None:
        self.per_second, self.at_once, self._now = per_second, at_once, now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, client: str) -> float:
        """Count a request; return 0 if it is accepted, else the seconds until the next one is."""
        now = self._now()
        left, last = self._left.pop(client, (float(self.at_once), now))
        left = min(float(self.at_once), left + (now - last) * self.per_second)
        taken = left >= 1.0
        self._left[client] = left - taken, now
        if len(self._left) > MOST_CLIENTS:
            self._left.popitem(last=False)
        return 0.0 if taken else (1.0 - left) / self.per_second


@dataclass(frozen=True)
class AccessPolicy:
    """The rules of access."""

    hosts: tuple[str, ...] = ()
    """Names by which the server may be called besides those of this machine alone."""
    addresses: bool = False
    """Whether it may be called by any number of an address; a foreign page can borrow names only, not numbers."""
    token: str | None = None
    """The token that clients must send; None: none."""
    requests: Rate | None = None
    jobs: Rate | None = None
    """Rate limits of requests and of searches per client; None: unlimited."""

    def knows(self, host: str) -> bool:
        """Return whether the server may be called by this name."""
        name = _without_port(host).lower()
        return name in LOOPBACK or name in self.hosts or (self.addresses and _is_number(name))


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0] if host.count(":") == 1 else host


def _is_number(name: str) -> bool:
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return False


@dataclass(frozen=True)
class Guard:
    """The application behind a door."""

    app: App
    door: AccessPolicy
    most: int
    """Bytes of a request."""
    most_said: str
    """What a refusal says about it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it in one line."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        answer = _with_headers(send)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            status, text, more = refusal
            await _refuse(answer, status, text, more)
            return
        if self.door.token is not None and _shown_in_address(scope) is not None:
            await _enter(answer, self.door.token, scope["path"])
            return
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, answer)
            return
        body = await self._body(headers, receive)
        if isinstance(body, bytes):
            await self.app(scope, _replay(body, receive), answer)
        elif body is not None:
            await _refuse(answer, *body, {"connection": "close"})

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str, dict[str, str]] | None:
        """Return why a request is refused before its body is read."""
        if not self.door.knows(headers.get("host", "")):
            return 400, "unknown host name; --allow-host accepts other names", {}
        client = (scope.get("client") or ("unknown",))[0]
        if self.door.requests is not None and (wait := self.door.requests.wait(client)):
            return _too_often(wait)
        if self.door.token is not None and not self._is_let_in(scope, headers):
            return 401, "token required: open the address that the server printed when it started", {}
        is_search = scope["method"] == "POST" and scope["path"] in SEARCHES
        if is_search and self.door.jobs is not None and (wait := self.door.jobs.wait(client)):
            return _too_often(wait)
        return None

    def _is_let_in(self, scope: Scope, headers: dict[str, str]) -> bool:
        """Return whether a request has the token: as a bearer token, in the cookie, or in the address."""
        assert self.door.token is not None
        shown = [headers.get("authorization", "").removeprefix("Bearer "), _shown_in_address(scope) or ""]
        with suppress(CookieError):
            cookies = SimpleCookie(headers.get("cookie", ""))
            shown += [cookies[COOKIE].value] if COOKIE in cookies else []
        right = self.door.token.encode()
        return any(secrets.compare_digest(text.encode(errors="replace"), right) for text in shown)

    async def _body(self, headers: dict[str, str], receive: Receive) -> bytes | tuple[int, str] | None:
        """Return the body of a request, or why it is refused; None where the client has gone."""
        length = headers.get("content-length", "0")
        body, is_refused = bytearray(), not length.isdigit() or int(length) > self.most
        last = time.monotonic() + (DRAINED_FOR if is_refused else READ_FOR)
        while (left := last - time.monotonic()) > 0:
            try:
                message = await asyncio.wait_for(receive(), left)
            except TimeoutError:
                break
            if message["type"] == "http.disconnect":
                return None
            if not is_refused:
                body += message.get("body", b"")
                if len(body) > self.most:
                    is_refused, last = True, time.monotonic() + DRAINED_FOR
                    body.clear()
            if not message.get("more_body", False):
                return (413, self.most_said) if is_refused else bytes(body)
        return (413, self.most_said) if is_refused else (408, "the request did not arrive in time")


def _too_often(wait: float) -> tuple[int, str, dict[str, str]]:
    seconds = f"{max(1.0, wait):.0f}"
    return 429, f"too many requests; try again in {seconds} s", {"retry-after": seconds}


def _shown_in_address(scope: Scope) -> str | None:
    query = parse_qs(scope["query_string"].decode("latin-1")) if scope["method"] == "GET" else {}
    return query["token"][0] if "token" in query else None


def _with_headers(send: Send) -> Send:
    """Return a `send` that adds the headers of every response."""

    async def answer(message: Message) -> None:
        if message["type"] == "http.response.start":
            said = {name.lower() for name, _ in message.get("headers", [])}
            more = [(name.encode(), text.encode()) for name, text in HEADERS.items() if name.encode() not in said]
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return answer


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that repeats a body which has been read, and then continues."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return messages.pop() if messages else await receive()

    return again


async def _refuse(send: Send, status: int, text: str, more: dict[str, str]) -> None:
    headers = {"content-type": "application/json", **more}
    await _answer(send, status, json.dumps({"error": text}).encode(), headers)


async def _enter(send: Send, token: str, path: str) -> None:
    """Move the token from the address to a cookie that scripts cannot read."""
    cookie = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
    await _answer(send, 303, b"", {"location": path, "set-cookie": cookie})


async def _answer(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    listed = [(name.encode(), text.encode()) for name, text in headers.items()]
    listed.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": body})
