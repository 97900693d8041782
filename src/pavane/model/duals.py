"""Problems read backwards: scatter and gather, broadcast and reduction are duals by time reversal."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from pavane.errors import expect
from pavane.model.messages import Collective
from pavane.model.problem import Problem

DUAL_KINDS = {
    "OAS": "AOG",
    "AOG": "OAS",
    "OAB": "AOR",
    "AOR": "OAB",
    "AAB": "AAR",
    "AAR": "AAB",
    "MNB": "AAR",
    "AAS": "AAS",
    "MNS": "MNS",
    "PAIRS": "PAIRS",
    "ALLREDUCE": "ALLREDUCE",
}


@lru_cache(maxsize=4)
def dual(problem: Problem) -> Problem:
    """Return the time-reversed problem: channels turned around, senders and receivers exchanged.

    A schedule of one, read backwards, is a schedule of the other: scatter and gather, broadcast and reduction.

    Args:
        problem: The problem.

    Returns:
        Its dual, on the network with every channel turned around.

    Example:
        >>> pavane.dual(pavane.Problem(pavane.network("octagon"), "scatter")).collective
        <Collective: gather (AOG) from 7 senders to processor 0>
    """
    expect(problem, Problem, "problem", "make one, like `pavane.Problem('octagon', 'alltoall')`")
    collective = problem.collective
    if collective.kind == "ALLREDUCE":
        return replace(problem, network=problem.network.reversed())
    turned = Collective(
        DUAL_KINDS[collective.kind],
        collective.receivers,
        collective.senders,
        tuple((d, s) for s, d in collective.pairs),
        collective.pieces,
        tuple((*size[-2::-1], size[-1]) for size in collective.sizes),
    )
    if turned.kind == "AAB" and turned.senders != turned.receivers:
        turned = replace(turned, kind="MNB")
    return replace(problem, network=problem.network.reversed(), collectives=(turned,))


def forwards(problem: Problem) -> Problem:
    """Return the problem, or the broadcast that a reduction is when it is read backwards."""
    return dual(problem) if problem.pattern == "reduction" else problem
