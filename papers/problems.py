"""Short ways to name the papers' problems."""

from __future__ import annotations

from functools import cache

from pavane.model.collectives import many_to_many_broadcast, many_to_many_scatter, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network

KINDS = ("OAB", "AAB", "OAS", "AAS")
"""The papers' four collectives, in the order of their tables."""


@cache
def catalogue(spec: str) -> Network:
    """Return a network of the catalogue, made once."""
    return network(spec)


def problem(
    spec: str,
    kind: str,
    *,
    ports: int | str = "all",
    routing: str = "minimal",
    duplex: str = "full",
    combining: bool = False,
    root: int | None = None,
) -> Problem:
    """Return a collective of all processors of a catalogue network."""
    made = catalogue(spec)
    rules = Rules(ports=ports, routing=routing, duplex=duplex, combining=combining)  # type: ignore[arg-type]
    return Problem(made, named(kind, made, root=root), rules)


def many_to_many(
    spec: str,
    kind: str,
    senders: tuple[int, ...],
    receivers: tuple[int, ...],
    *,
    ports: int | str = 1,
    routing: str = "minimal",
) -> Problem:
    """Return an MNB or MNS, 1-port unless said otherwise (gecco07 Table 5)."""
    make = many_to_many_broadcast if kind == "MNB" else many_to_many_scatter
    rules = Rules(ports=ports, routing=routing)  # type: ignore[arg-type]
    return Problem(catalogue(spec), make(senders, receivers), rules)
