"""Checks the certificates of bounds on steps, as they stand in a schedule file, against the problem alone.

The checkers share nothing with the makers of bounds. A certificate is not believed but counted again: what it claims
does not matter, only what it shows.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from textwrap import shorten
from typing import Any

import numpy as np

from pavane.errors import InputError
from pavane.judge.cut_certificates import by_arrivals, by_counted_cut, by_crossing, by_cut, by_volume
from pavane.judge.facts import marked, whole
from pavane.judge.growth_certificates import by_distance, by_growth
from pavane.judge.over_time_certificates import by_flow_over_time
from pavane.judge.price_certificates import by_prices
from pavane.judge.several_certificates import proven_of_several
from pavane.judge.slot_certificates import proven_slots
from pavane.judge.slot_loads import slots_of_load
from pavane.judge.sum_certificates import (
    by_centre,
    by_first_step,
    by_last_arrival,
    by_own_part,
    by_partition,
    by_separation,
)
from pavane.judge.tail_certificates import by_tail
from pavane.judge.translated_certificates import BY_TRANSLATION, by_translation
from pavane.judge.tree_certificates import by_sum_prices
from pavane.model.allreduce import contributions
from pavane.model.bound import Bound
from pavane.model.duals import dual
from pavane.model.problem import Problem, Rules

HOLDING_FOR_TREES = (
    "ejection",
    "router",
    "volume",
    "distance",
    "bisection",
    "cut",
    "own-part",
    "separation",
    "sum-prices",
)
"""Bounds that count a message once over a cut, so that they hold where routers copy and add."""

COUNTING_TRANSFERS = {"blocks", "joining", "classes", "channels"}
"""Keys of certificates that count transfers to single receivers."""

UNREADABLE = (KeyError, IndexError, TypeError, ValueError, OverflowError, RecursionError)
"""What reading a certificate raises where it is not as it should be."""

MOST_SAID = 200
"""Characters that are repeated of what is wrong with a certificate."""


def proven_steps(problem: Problem, bound: Bound) -> int:
    """Return the number of steps that the certificate of a bound proves; InputError where it proves nothing."""
    return ceil(proven_exactly(problem, bound))


def proven_exactly(problem: Problem, bound: Bound) -> Fraction:
    """Return what the certificate of a bound proves before it is rounded up; InputError where it proves nothing."""
    if problem.has_several:
        try:
            return proven_of_several(problem, bound, proven_exactly)
        except UNREADABLE as error:
            raise unreadable(bound, error) from None
    if problem.has_trees and (bound.argument not in HOLDING_FOR_TREES or bound.certificate.keys() & COUNTING_TRANSFERS):
        raise InputError(f"bound {bound.argument!r} counts single transfers, and routers copy and add here")
    if bound.argument in BY_TRANSLATION:
        try:
            return by_translation(problem, bound.argument, bound.certificate)
        except UNREADABLE as error:
            raise unreadable(bound, error) from None
    if problem.pattern == "reduction":
        return proven_exactly(dual(problem), bound)
    if problem.rules.switching == "tdm":
        return _proven_in_slots(problem, bound)
    try:
        steps = _proven_of_sums(problem, bound) if problem.pattern == "allreduce" else _proven(problem, bound)
    except UNREADABLE as error:
        raise unreadable(bound, error) from None
    if steps is None:
        raise InputError(f"bound {bound.argument!r} is of no known kind, so it cannot be checked")
    return Fraction(steps)


def _proven_in_slots(problem: Problem, bound: Bound) -> Fraction:
    """Return the slots that a certificate proves: by flights, or by what it proves of the loads."""
    try:
        slots = proven_slots(problem, bound.argument, bound.certificate)
        if slots is None:
            slots = slots_of_load(problem, bound, proven_loads(problem, bound) / problem.rules.packet_slots)
    except UNREADABLE as error:
        raise unreadable(bound, error) from None
    return Fraction(slots)


def proven_loads(problem: Problem, bound: Bound) -> Fraction:
    """Return the slots of tdm that a certificate proves of loads alone: a packet takes its slots where a step is one.

    They grow with the number of pieces, and those at the ends of a schedule do not.
    """
    if bound.argument in ("growth", "gathering", "distance", "crossing", "exhaustive") or bound.certificate.keys() & {
        "blocks",
        "joining",
    }:
        raise InputError(f"bound {bound.argument!r} counts steps, and slots of tdm are bounded by loads and flights")
    rules = problem.rules
    usual = Rules("wormhole", rules.ports, rules.duplex, rules.routing)
    return rules.packet_slots * proven_exactly(Problem(problem.network, problem.collective, usual), bound)


def unreadable(bound: Bound, error: Exception) -> InputError:
    """Return the error that says why a certificate cannot be read, in one line that is not too long."""
    said = shorten(str(error), MOST_SAID, placeholder=" ...")
    return InputError(f"the certificate of bound {bound.argument!r} cannot be read: {said}")


def _proven(problem: Problem, bound: Bound) -> Fraction | int | None:
    """Return what a certificate proves; None if there is no checker for it."""
    certificate = bound.certificate
    if bound.argument == "crossing":
        return by_crossing(problem, marked(problem, certificate["routers"]))
    if bound.argument == "counted-cut":
        return by_counted_cut(problem, certificate)
    if "channels" in certificate:
        if problem.pattern != "private" or problem.rules.combining:
            raise InputError("prices bound the steps of private messages without combining only")
        return by_prices(problem, certificate)
    if bound.argument in ("growth", "gathering"):
        return by_growth(problem, whole(certificate["origin"]), backwards=bound.argument == "gathering")
    if bound.argument == "distance":
        return by_distance(problem, whole(certificate["from"]), whole(certificate["to"]))
    if bound.argument == "volume" or certificate.keys() & {"blocks", "joining", "processor", "routers"}:
        if problem.rules.combining:
            raise InputError("under combining one transfer carries many messages, so a cut proves nothing")
        if problem.pattern != "broadcast":
            raise InputError("cuts bound broadcasts; for private messages put prices on the cut")
    if bound.argument != "volume" and "blocks" in certificate:
        blocks = [set(np.flatnonzero(marked(problem, one)).tolist()) for one in certificate["blocks"]]
        counted = {whole(one) for one in certificate.get("receivers", problem.collective.receivers)}
        return by_tail(problem, blocks, counted)
    if bound.argument != "volume" and "joining" in certificate:
        return by_flow_over_time(problem, whole(certificate["receiver"]), certificate["joining"])
    return proven_of_cuts(problem, bound)


def proven_of_cuts(problem: Problem, bound: Bound) -> Fraction | None:
    """Return what counting the messages of a broadcast over a cut proves; None if there is no checker for it."""
    certificate = bound.certificate
    if bound.argument == "volume":
        return by_volume(problem)
    if "processor" in certificate:
        return by_arrivals(problem, whole(certificate["processor"]))
    if "routers" in certificate:
        return by_cut(problem, marked(problem, certificate["routers"]))
    return None


def _proven_of_sums(problem: Problem, bound: Bound) -> Fraction | int | None:
    """Return what a certificate proves of an allreduce: by counting, or as one of what its contributions must do."""
    certificate = bound.certificate
    if bound.argument in ("growth", "gathering", "distance", "crossing"):
        return _proven(contributions(problem), bound)
    if problem.rules.combining:
        raise InputError("under combining one transfer carries many sums, so counting them bounds the occupancy only")
    if bound.argument == "last-arrival" and "router" in certificate:
        return by_centre(problem, whole(certificate["router"]))
    if bound.argument == "last-arrival":
        return by_last_arrival(problem, whole(certificate["from"]), whole(certificate["to"]))
    if bound.argument == "first-step":
        return by_first_step(problem, whole(certificate["processor"]))
    if bound.argument == "sum-prices":
        return by_sum_prices(problem, certificate)
    return proven_of_pieces(problem, certificate)


def proven_of_pieces(problem: Problem, certificate: dict[str, Any]) -> Fraction | None:
    """Return what counting the pieces of an allreduce proves; None if there is no checker for it."""
    if "classes" in certificate:
        return by_partition(problem, certificate["classes"])
    if "processor" in certificate:
        return by_own_part(problem, whole(certificate["processor"]))
    if "routers" in certificate:
        return by_separation(problem, marked(problem, certificate["routers"]))
    return None
