"""`pavane serve` listens on this machine only, and refuses in one line what it cannot do."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from tests.ui.cli.calls import PROGRAM, Call


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_page_is_served_until_a_signal(number: int) -> None:
    """The address is printed once it can be called; a signal ends the server with exit code 0, without a line."""
    pytest.importorskip("uvicorn")
    program = subprocess.Popen(
        [*PROGRAM, "serve", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    words = program.stdout.readline().split()
    assert words[:3] == ["pavane", "is", "at"]
    with urllib.request.urlopen(words[3], timeout=120) as response:
        assert b"<title>pavane</title>" in response.read()
    program.send_signal(number)
    assert program.communicate(timeout=120) == ("", "")
    assert program.returncode == 0


def test_the_page_is_for_this_machine_only() -> None:
    """Other addresses of this machine are not listened at."""
    pytest.importorskip("uvicorn")
    program = subprocess.Popen([*PROGRAM, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    port = int(program.stdout.readline().split(":")[2].partition("/")[0])
    try:
        socket.create_connection(("127.0.0.1", port), timeout=60).close()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), timeout=60)
    finally:
        program.terminate()
        program.communicate(timeout=120)


def test_a_port_that_is_taken_is_refused(call: Call) -> None:
    """One line names it, and how to choose another."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        answer = call("serve", "--port", port)
    assert answer.is_refusal(f"cannot listen on 127.0.0.1 port {port}: address already in use; choose another with")


def test_without_the_extra_one_line_says_what_to_install(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the extra `web`."""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert call("serve").is_refusal("the web page needs more packages", "pip install '.[web]'")
