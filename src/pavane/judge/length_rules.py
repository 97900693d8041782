"""Lengths of paths: one channel a step under store-and-forward, and no detours under minimal routing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.judge.case import Verification
from pavane.judge.distances import takes_shortest_paths
from pavane.judge.path_rules import Walks
from pavane.judge.violation import Violation


def too_many_hops(case: Verification) -> Iterator[Violation]:
    """Under store-and-forward a transfer covers at most one channel; where switches pass, one to another processor."""
    if case.problem.rules.switching != "store-and-forward":
        return
    lengths = case.lengths
    if case.problem.rules.switches != "hold":
        yield from _through_processors(case)
        return
    yield from case.of_transfers(
        "too-many-hops",
        lengths > 1,
        lambda i: f"it covers {lengths[i]} channels; store-and-forward covers one in a step",
    )


def _through_processors(case: Verification) -> Iterator[Violation]:
    """Where switches pass, every router between the ends of a path is a pure switch."""
    channels, exists, owner = case.channels, case.exists, case.path_owner
    has_processors = np.bincount(case.network.router_of, minlength=case.network.num_routers) > 0
    heads = case.network.heads[np.where(exists, channels, 0)] if case.network.num_channels else channels
    goes_on = np.zeros(len(owner), dtype=bool)
    goes_on[:-1] = owner[1:] == owner[:-1]
    stops = np.flatnonzero(goes_on & exists & has_processors[heads])
    wrong = np.zeros(len(case.schedule), dtype=bool)
    wrong[owner[stops]] = True
    first = dict(zip(owner[stops[::-1]].tolist(), heads[stops[::-1]].tolist(), strict=True))
    yield from case.of_transfers(
        "too-many-hops",
        wrong,
        lambda i: (
            f"it runs through router {case.network.routers[first[i]]}, which has processors; in a step it passes pure "
            "switches only"
        ),
    )


def not_minimal(case: Verification, walks: Walks) -> Iterator[Violation]:
    """Under minimal routing a path is a shortest one between its ends, also where it runs over switches that pass."""
    if not takes_shortest_paths(case.problem):
        return
    yield from case.of_transfers(
        "not-minimal",
        walks.is_sound & (case.lengths > walks.least),
        lambda i: (
            f"its path has {case.lengths[i]} channels where {walks.least[i]} are enough; minimal routing takes "
            "shortest paths"
        ),
    )
