"""Access from this machine and from the page itself only.

Another page in the browser may send requests here, under this server's name or under a name of its own that resolves to
127.0.0.1. So the `Host` of a request must be a name of this server, and its `Origin`, if there is one, this server.
"""

from __future__ import annotations

import json

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMES = ("localhost", "127.0.0.1", "[::1]")

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every response."""


def error_response(status: int, text: str, field: str | None = None) -> Response:
    """Return a response with one line of error, and the field of the form that it is about."""
    return Response(json.dumps({"error": text, "field": field}), status, media_type="application/json")


class Guard:
    """Middleware that refuses requests of other pages and large uploads, before anything else reads them."""

    def __init__(self, app: ASGIApp, port: int, most_bytes: int) -> None:
        self._app, self._most_bytes = app, most_bytes
        self._hosts = {f"{name}:{port}" for name in NAMES} | (set(NAMES) if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        app = self._refusal(scope["method"], Headers(scope=scope)) or self._app
        await app(scope, receive, send_with_headers)

    def _refusal(self, method: str, headers: Headers) -> Response | None:
        """Return why a request is refused; None if it is not."""
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return error_response(400, "this page is called by the address that the server printed")
        if headers.get("origin", f"http://{host}") != f"http://{host}":
            return error_response(403, "requests of other pages are refused")
        length = headers.get("content-length", "")
        if method == "POST" and not length.isdecimal():
            return error_response(411, "the length of the request is missing")
        if method == "POST" and int(length) > self._most_bytes:
            return error_response(413, f"the request is too large; give at most {self._most_bytes:,} bytes")
        return None
