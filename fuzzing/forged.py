"""Forged certificates: other values than those of a certificate, by the names of its keys; what the judge says."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

from pavane.errors import InputError
from pavane.model.network import Network

FORGED = 12
"""Forged certificates of each problem of several collectives, or of measured times."""

Claimed = TypeVar("Claimed")
"""A bound of any unit."""


class Answer(NamedTuple):
    """The answer to a problem of several collectives, or of measured times, and what is wrong with it."""

    failures: list[str]
    is_optimal: bool = False
    optimum: int | None = None
    """The least value by an exhaustive search, if known."""
    value: int | None = None
    """Steps, or picoseconds, of the schedule."""
    bound: int = 0


def proving_too_much(
    forge: Callable[[], Claimed], prove: Callable[[Claimed], int | Fraction], least: int | Fraction, count: int
) -> Iterator[tuple[Claimed, int | Fraction]]:
    """Forge certificates, and yield those that prove more than is true, with what they prove."""
    for _ in range(count):
        bound = forge()
        try:
            proven = prove(bound)
        except InputError:
            continue
        if proven > least:
            yield bound, proven


def forged_certificate(network: Network, certificate: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """Return a certificate with another value, or several."""
    forged = dict(certificate)
    for name in rng.sample(sorted(forged), rng.randint(min(1, len(forged)), len(forged))):
        size = network.num_routers if name == "routers" else network.num_processors
        value = forged[name]
        is_nested = isinstance(value, dict)
        forged[name] = forged_certificate(network, value, rng) if is_nested else _forged_value(value, size, rng)
    return forged


def _forged_value(value: Any, size: int, rng: random.Random) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and isinstance(value[0], list):
        return [_forged_value(one, size, rng) if rng.random() < 0.5 else one for one in value]
    if isinstance(value, list):
        some = {*value, *rng.sample(range(size), rng.randint(0, min(2, size)))}
        return rng.sample(sorted(some), rng.randint(min(1, len(some)), len(some)))
    return rng.choice((rng.randrange(size), rng.randint(0, 60)))
