"""Workers of a cluster by its address: a dask scheduler, or the MPI job that this process is part of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

from pavane.errors import InputError
from pavane.parallel.pool import Pool
from pavane.parallel.pools import Workers
from pavane.parallel.remote_pool import RemotePool, SharedBytes, Transport, pack

MPI = "mpi"
ADDRESS = re.compile(r"(tcp|tls)://(?P<host>\[[0-9a-fA-F:]+\]|[^\s:/\[\]]+):\d{1,5}")


@contextmanager
def cluster_workers(
    address: str, most: int | None = None, note: Callable[[str], None] = lambda _: None
) -> Iterator[Workers]:
    """Yield the workers of a cluster, at most `most` of them, for the duration of the block.

    They are counted now; workers that join later receive tasks, too.
    """
    if most is not None and most < 1:
        raise InputError(f"workers {most}: a search needs at least one; give 1 or more")
    if address == MPI:
        from pavane.parallel.mpi_transport import open_mpi_transport

        yield _workers(open_mpi_transport(), most)
        return
    check_address(address)
    warn_about_plain_tcp(address, note)
    from pavane.parallel.dask_transport import connect

    with connect(address, note) as transport:
        yield _workers(transport, most)


def check_address(address: str) -> None:
    """Raise InputError unless the text is the address of a scheduler."""
    if ADDRESS.fullmatch(address) is None:
        raise InputError(f"`cluster={address}` is not an address; write tcp://host:8786, tls://host:8786 or mpi")


def warn_about_plain_tcp(address: str, note: Callable[[str], None]) -> None:
    """Warn about plain TCP to another machine: dask runs any program it receives."""
    if address.startswith("tcp:") and not _is_loopback(address):
        note(
            f"{address}: anyone who can reach that port can run programs as you, and the traffic is not encrypted; "
            "use tls:// with distributed.comm.tls of dask's configuration (see docs/cluster.md)"
        )


def _is_loopback(address: str) -> bool:
    matched = ADDRESS.fullmatch(address)
    host = "" if matched is None else matched["host"].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _workers(transport: Transport, most: int | None) -> Workers:
    """Return the workers of a transport; a search that opens several pools packs its problem once."""
    last: list[tuple[Any, SharedBytes]] = []

    def open_pool(_: int, shared: Any) -> Pool:
        if not last or last[0][0] is not shared:
            last[:] = [(shared, pack(shared))]
        return RemotePool(transport, most, last[0][1])

    return Workers(transport.num_workers if most is None else min(most, transport.num_workers), open_pool)
