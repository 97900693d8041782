"""A server as `pavane serve` starts it, and requests to it."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

ENDLESS = {"network": "heawood", "method": "umda", "steps": "9", "seconds": "3600"}
"""A search that this method does not finish."""

IMPROVING = {"network": "random-regular:60,4,1", "seconds": "3600"}
"""A search that has a schedule soon, and goes on."""


class Server:
    """A running server."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "pavane", "serve", "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", self.process.stdout.readline())
        assert found is not None
        self.address, self.port = found[0], int(found[1])

    def send(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Send a request, with a body in JSON; return the status, the headers and the body of the response."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        link.request(method, path, data, {"content-type": "application/json", **headers})
        response = link.getresponse()
        content = response.read()
        link.close()
        return response.status, response.headers, content

    def get(self, path: str) -> Any:
        """Return the JSON of a response that must be good."""
        status, _, content = self.send("GET", path)
        assert status == 200, content
        return json.loads(content)

    def post(self, path: str, body: Any) -> Any:
        """Return the JSON of a response that must be good."""
        status, _, content = self.send("POST", path, body)
        assert status == 200, content
        return json.loads(content)

    def refusal(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, str]:
        """Return the status and the line of a refusal."""
        status, _, content = self.send(method, path, body, **headers)
        return status, json.loads(content)["error"]

    def start(self, request: dict[str, str]) -> str:
        """Start a search and return its path."""
        return f"/api/searches/{self.post('/api/searches', request)['id']}"

    def states(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield the states of a search as they come."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)) as link:
            link.request("GET", f"{path}/events")
            with link.getresponse() as response:
                for line in response:
                    if line.startswith(b"data: "):
                        yield json.loads(line[6:])

    def outcome(self, path: str) -> dict[str, Any]:
        """Wait for the end of a search and return its state."""
        *_, last = self.states(path)
        assert last["state"] == "done"
        return last

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """End the server by a signal; return the exit code and what it wrote on stderr."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=120)
        return self.process.returncode, errors


@contextmanager
def serving() -> Iterator[Server]:
    """Yield a server, and end it, without an error."""
    server = Server()
    try:
        yield server
    finally:
        ended = server.end()
    assert ended == (0, ""), ended
