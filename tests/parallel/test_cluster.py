"""Addresses of clusters: which are understood, and which deserve a warning."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from pavane.errors import InputError
from pavane.parallel.cluster import check_address, cluster_workers, warn_about_plain_tcp
from tests.parallel.clusters import need_dask


@pytest.mark.parametrize("address", ["tcp://10.0.0.7:8786", "tls://head:8786", "tcp://[::1]:8786"])
def test_addresses_of_schedulers_are_taken(address: str) -> None:
    """A scheme, a host and a port."""
    check_address(address)


@pytest.mark.parametrize("address", ["head", "head:8786", "http://head:8786", "tcp://head", "tcp://:8786", "", "MPI"])
def test_what_is_no_address_is_refused(address: str) -> None:
    """The line says how one is written."""
    with pytest.raises(InputError, match=r"is not an address; write tcp://host:8786, tls://host:8786 or mpi$"):
        check_address(address)


@pytest.mark.parametrize(
    ("address", "is_warned"),
    [
        ("tcp://127.0.0.1:1", False),
        ("tcp://localhost:1", False),
        ("tcp://[::1]:1", False),
        ("tls://10.0.0.7:1", False),
        ("tcp://10.0.0.7:1", True),
        ("tcp://head:1", True),
    ],
)
def test_plain_connections_beyond_this_machine_are_warned_of(address: str, is_warned: bool) -> None:
    """One line names the risk, and the settings of TLS."""
    notes: list[str] = []
    warn_about_plain_tcp(address, notes.append)
    assert len(notes) == is_warned
    for text in notes:
        assert text.startswith(f"{address}: anyone who can reach that port can run programs as you")
        assert "distributed.comm.tls" in text


@pytest.mark.parametrize("most", [0, -1])
def test_somebody_must_work(most: int) -> None:
    """At least one."""
    with (
        pytest.raises(InputError, match=rf"^workers {most}: a search needs at least one"),
        cluster_workers("tcp://127.0.0.1:1", most),
    ):
        raise AssertionError


def test_without_dask_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    usual = builtins.__import__

    def missing(name: str, *rest: Any, **named: Any) -> Any:
        if name.partition(".")[0] == "distributed":
            raise ImportError(name)
        return usual(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", missing)
    with (
        pytest.raises(InputError, match=r"needs more .* pip install '\.\[cluster\]' in the folder of its sources$"),
        cluster_workers("tcp://127.0.0.1:1"),
    ):
        raise AssertionError


def test_tls_without_certificates_is_refused() -> None:
    """The line names the settings of dask."""
    need_dask()
    with (
        pytest.raises(InputError, match=r"dask has no certificates here; name them .*ca-file, \.client\.cert"),
        cluster_workers("tls://127.0.0.1:1"),
    ):
        raise AssertionError


def test_a_scheduler_that_does_not_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line."""
    need_dask()
    monkeypatch.setattr("pavane.parallel.dask_transport.CONNECT_SECONDS", 0.3)
    with (
        pytest.raises(InputError, match=r"^`cluster=tcp://127.0.0.1:1`: no dask scheduler answers there: .*running\?$"),
        cluster_workers("tcp://127.0.0.1:1"),
    ):
        raise AssertionError
