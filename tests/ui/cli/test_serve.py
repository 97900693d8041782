"""`pavane serve` refuses what it cannot serve; `tests/web` tests the server."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pavane.errors import InputError
from tests.ui.cli.calls import Call


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--store", "text.sqlite"], "--store text.sqlite: results cannot be stored there: file is not a database"),
        (["--store", "folder"], "--store folder: results cannot be stored there: unable to open"),
        (["--store", "no/where.sqlite"], "there is no directory no; make it first"),
        (["--most-seconds", "0"], "a search needs some time"),
        (["--most-seconds", "nan"], "a search needs some time"),
        (
            ["--store", "s.sqlite", "--allow-host", "my:host/x"],
            "--allow-host: expected the name of a machine, without a port, got 'my:host/x'",
        ),
        (
            ["--store", "s.sqlite", "--allow-host", ""],
            "--allow-host: expected the name of a machine, without a port, got ''",
        ),
        (["--store", "s.sqlite", "--token-file", "none"], "--token-file none: no such file or directory; put one line"),
        (["--store", "s.sqlite", "--token-file", "bytes"], "--token-file bytes: it is not plain text; put one line"),
        (["--store", "s.sqlite", "--token-file", "short"], "--token-file short: a token is one line of 16 or more"),
        (["--store", "s.sqlite", "--token-file", "text.sqlite"], "a token is one line of 16 or more letters, digits"),
        (["--store", "s.sqlite", "--host", "192.0.2.1"], "cannot listen on 192.0.2.1 port 0: "),
    ],
)
def test_what_cannot_be_served_is_refused(call: Call, tmp_path: Path, arguments: list[str], text: str) -> None:
    """One line, before any address is told."""
    (tmp_path / "text.sqlite").write_text("this is no database, but some text that is long enough to be looked at " * 9)
    (tmp_path / "folder").mkdir()
    (tmp_path / "bytes").write_bytes(b"\xff" * 20)
    (tmp_path / "short").write_text("secret\n")
    assert call("serve", "--port", "0", *arguments).is_refusal(text)


def test_a_port_that_is_taken_is_refused(call: Call) -> None:
    """One line names it, and how to choose another."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        answer = call("serve", "--port", port, "--store", "s.sqlite")
    assert answer.is_refusal(f"cannot listen on 127.0.0.1 port {port}: address already in use; choose another with")


def test_without_the_extra_one_line_says_what_to_install(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the extra `web`."""
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert call("serve").is_refusal("the web page needs more packages", "pip install '.[web]'")


def test_a_home_without_room_is_refused(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the user's data cannot be kept, the line names the option that says where."""
    monkeypatch.setenv("XDG_DATA_HOME", os.devnull)
    assert call("serve").is_refusal(f"{os.devnull}/pavane cannot be made (not a directory); name a file with --store")


def test_a_cluster_is_looked_at_before_anyone_is_told(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """One where nobody works is refused; with one that works it goes on, here to what is wrong with the token."""

    @contextmanager
    def hired(address: str, **_: object) -> Iterator[None]:
        if address != "tcp://good:8786":
            raise InputError(f"{address}: nobody works there")
        yield

    monkeypatch.setattr("pavane.parallel.cluster.cluster_workers", hired)
    words = ("serve", "--port", "0", "--store", "s.sqlite", "--token-file", "none", "--cluster")
    assert call(*words, "tcp://bad:8786").is_refusal("tcp://bad:8786: nobody works there")
    assert call(*words, "tcp://good:8786").is_refusal("--token-file none")
