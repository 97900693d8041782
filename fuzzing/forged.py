"""Forged certificates: other values than those of a certificate, by the names of its keys."""

from __future__ import annotations

import random
from typing import Any

from pavane.model.network import Network


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
