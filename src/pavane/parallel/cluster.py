"""Workers of a cluster by its address: a dask scheduler, or the MPI job that this process is part of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

from pavane.errors import InputError
from pavane.parallel.pool import Crew
from pavane.parallel.pools import Workers
from pavane.parallel.remote_pool import Elsewhere, Engine, Shared, packed

MPI = "mpi"
ADDRESS = re.compile(r"(tcp|tls)://(?P<host>\[[0-9a-fA-F:]+\]|[^\s:/\[\]]+):\d{1,5}")


@contextmanager
def hired_from(
    address: str, most: int | None = None, note: Callable[[str], None] = lambda _: None
) -> Iterator[Workers]:
    """Return the workers of a cluster, `most` of them where that is given, for as long as the block lasts.

    How many there are is asked now; where calls are many, those that join later get some, too.
    """
    if most is not None and most < 1:
        raise InputError(f"workers {most}: a search needs at least one; give 1 or more")
    if address == MPI:
        from pavane.parallel.mpi_engine import engine

        yield _workers(engine(), most)
        return
    refuse_address(address)
    warn_of_plain(address, note)
    from pavane.parallel.dask_engine import connected

    with connected(address, note) as found:
        yield _workers(found, most)


def refuse_address(address: str) -> None:
    """Refuse what is no address of a scheduler."""
    if ADDRESS.fullmatch(address) is None:
        raise InputError(f"`cluster={address}` is no address; write tcp://host:8786, tls://host:8786 or mpi")


def warn_of_plain(address: str, note: Callable[[str], None]) -> None:
    """Say what plain TCP beyond this machine means: dask runs whatever it is sent."""
    if address.startswith("tcp:") and not _is_loopback(address):
        note(
            f"{address}: whoever reaches that port can run programs as you, and all can be read on the way; "
            "use tls:// with distributed.comm.tls of dask's configuration (see docs/cluster.md)"
        )


def _is_loopback(address: str) -> bool:
    matched = ADDRESS.fullmatch(address)
    host = "" if matched is None else matched["host"].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _workers(engine: Engine, most: int | None) -> Workers:
    """Return the workers of an engine; a search that asks for crew after crew packs its problem once."""
    last: list[tuple[Any, Shared]] = []

    def hire(_: int, shared: Any) -> Crew:
        if not last or last[0][0] is not shared:
            last[:] = [(shared, packed(shared))]
        return Elsewhere(engine, most, last[0][1])

    return Workers(engine.num_workers if most is None else min(most, engine.num_workers), hire)
