"""Checks certificates of bounds on message times, which hold for any number of pieces.

Prices and cuts count what every step can carry, so k pieces a message need k times what one piece does. What such a
certificate proves of messages in one piece is the message times that no number of pieces goes below.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from pavane.errors import InputError
from pavane.judge.certificates import proven_exactly, proven_loads
from pavane.judge.occupancy import proven_occupancy_exactly
from pavane.model.bound import Bound
from pavane.model.duals import dual
from pavane.model.problem import Problem

WHAT_SCALES = ("channels", "processor", "routers", "classes")
"""The keys by which a price list, a port, a cut and classes are known."""

ONLY_FOR_ITS_PIECES = (
    "crossing",
    "growth",
    "gathering",
    "distance",
    "first-step",
    "last-arrival",
    "sum-prices",
    "exhaustive",
    "moves",
    "start-ups",
    "packet",
    "modular",
    "flight",
    "sum-of-flights",
    "postal",
    "translated-distances",
    "translated-ports",
    "translated-transfers",
)
"""Arguments that hold for the number of pieces that they are about."""

WHAT_DOES_NOT_SCALE = ("blocks", "joining")
"""The keys by which tails and flows over time are known, whatever else such a certificate says."""


def proven_message_times(problem: Problem, bound: Bound) -> Fraction:
    """Return the message times that a certificate proves for any number of pieces; InputError where it proves nothing.

    Under combining they are times of occupancy.
    """
    scales = bound.argument == "volume" or any(key in bound.certificate for key in WHAT_SCALES)
    is_bound_to_pieces = bound.argument in ONLY_FOR_ITS_PIECES or any(
        key in bound.certificate for key in WHAT_DOES_NOT_SCALE
    )
    if not scales or is_bound_to_pieces:
        raise InputError(f"bound {bound.argument!r} does not hold for any number of pieces; give a cut or prices")
    whole = replace(problem, collectives=(replace(problem.collective, pieces=1),))
    if problem.rules.combining:
        return proven_occupancy_exactly(whole, Bound(bound.figure, bound.argument, bound.certificate, objective="tco"))
    if problem.rules.switching == "tdm":
        return proven_loads(dual(whole) if problem.pattern == "reduction" else whole, bound)
    return proven_exactly(whole, bound)
