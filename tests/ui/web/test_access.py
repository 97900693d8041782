"""Access from this machine and from the page itself only."""

from __future__ import annotations

import http.client

import pytest

from pavane.ui.web.requests import MOST_BYTES
from tests.ui.web.serving import Server


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1.evil.example", "192.168.1.7", "", "localhost.evil"])
def test_foreign_hosts_are_refused(server: Server, name: str) -> None:
    """A page whose own name resolves to this machine gets no answer; nor does another port."""
    refused = (400, "this page is called by the address that the server printed")
    assert server.refusal("GET", "/", host=f"{name}:{server.port}") == refused
    assert server.refusal("GET", "/", host="localhost:1") == refused


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LocalHost"])
def test_names_of_this_machine_are_known(server: Server, name: str) -> None:
    """The page and its own requests are answered by each name of the loopback interface."""
    host = f"{name}:{server.port}"
    assert server.send("GET", "/", host=host)[0] == 200
    preview = {"network": "ring:4"}
    assert server.send("POST", "/api/networks/preview", preview, host=host, origin=f"http://{host.lower()}")[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:1", "https://127.0.0.1", "null"])
def test_requests_of_other_pages_are_refused(server: Server, origin: str) -> None:
    """No other page in the browser can start a search."""
    refused = server.refusal("POST", "/api/searches", {"network": "ring:4"}, origin=origin)
    assert refused == (403, "requests of other pages are refused")
    assert server.get("/api/about")["running"] is None


def test_large_requests_are_refused(server: Server) -> None:
    """By their length, which must be known, before they are read."""
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    link.putrequest("POST", "/api/searches")
    link.putheader("content-length", str(2 * MOST_BYTES + 1))
    link.endheaders()
    assert link.getresponse().status == 413
    link.close()
    link.request("POST", "/api/searches", iter([b"{}"]), encode_chunked=True)
    assert link.getresponse().status == 411
    link.close()


@pytest.mark.parametrize("path", ["/", "/assets/page.js", "/api/about", "/api/searches/none/contents", "/nowhere"])
def test_every_response_has_the_headers(server: Server, path: str) -> None:
    """Pages and errors alike: no foreign scripts, frames or guesses of types."""
    for host in (f"localhost:{server.port}", "evil.example"):
        _, headers, _ = server.send("GET", path, host=host)
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
