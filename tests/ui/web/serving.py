"""A server as `pavane serve` starts it, for the tests in a browser."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(store: Path, *options: str) -> Iterator[str]:
    """Yield the address of a server, and end it with Ctrl-C, which must be clean."""
    command = [sys.executable, "-m", "pavane", "serve", "--port", "0", "--store", str(store), *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
        assert found is not None
        yield found[0]
    finally:
        server.send_signal(signal.SIGINT)
        _, complaints = server.communicate(timeout=60)
    assert "Traceback" not in complaints, complaints
