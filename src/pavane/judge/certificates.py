"""Checks the certificates of bounds, as they stand in a schedule file, against the problem alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pavane.bounds.cuts import arriving, leaving, volume
from pavane.bounds.growth import audience, informed
from pavane.bounds.prices import Prices, bought, sold_per_step
from pavane.errors import InputError
from pavane.judge.occupancy import check_start_ups
from pavane.model.bound import Bound
from pavane.model.collectives import dual
from pavane.model.problem import Problem


def proven_steps(problem: Problem, bound: Bound) -> int:
    """Return the number of steps that the certificate of a bound proves; InputError where it proves nothing."""
    if problem.pattern == "reduction":
        return proven_steps(dual(problem), bound)
    certificate = bound.certificate
    try:
        if bound.argument == "crossing":
            return check_start_ups(problem, bound)
        if "channels" in certificate:
            return _by_prices(problem, certificate)
        if bound.argument == "growth":
            return _by_growth(problem, int(certificate["origin"]), backwards=False)
        if bound.argument == "gathering":
            return _by_growth(problem, int(certificate["origin"]), backwards=True)
        if bound.argument == "distance":
            return _by_distance(problem, int(certificate["from"]), int(certificate["to"]))
        if bound.argument == "volume":
            return _without_combining(problem, volume(problem).steps)
        if "processor" in certificate:
            return _without_combining(problem, arriving(problem, int(certificate["processor"])).steps)
        if "routers" in certificate:
            inside = np.zeros(problem.network.num_routers, dtype=bool)
            inside[np.array(certificate["routers"], dtype=np.int64)] = True
            return _without_combining(problem, leaving(problem, inside).steps)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"the certificate of bound {bound.argument!r} cannot be read: {error}") from None
    raise InputError(f"bound {bound.argument!r} is of no known kind, so it cannot be checked")


def price_list(problem: Problem, certificate: dict[str, Any]) -> Prices:
    """Read the prices of a certificate."""
    network = problem.network
    return Prices(
        _column(certificate["channels"], network.num_channels),
        _column(certificate["injection"], network.num_processors),
        _column(certificate["ejection"], network.num_processors),
    )


def _by_prices(problem: Problem, certificate: dict[str, Any]) -> int:
    if problem.pattern != "private" or problem.rules.combining:
        raise InputError("prices bound the steps of private messages without combining only")
    prices = price_list(problem, certificate)
    _must_add_up(problem, prices)
    sold = sold_per_step(problem, prices)
    if not sold:
        raise InputError("a price list that prices nothing proves nothing")
    return -(-bought(problem, prices) // sold)


def _must_add_up(problem: Problem, prices: Prices) -> None:
    """Refuse prices so high that sums of them might wrap round and prove anything."""
    network = problem.network
    dearest = max(int(column.max(initial=0)) for column in (prices.channels, prices.injection, prices.ejection))
    ports = sum(int(side.sum(dtype=np.int64)) for side in (problem.injection, problem.ejection))
    # A path has fewer channels than there are routers, and a stop costs two ports.
    longest = 3 * network.num_routers + 2
    if dearest * max(network.num_channels + ports, longest * problem.num_messages) >= 2**60:
        raise ValueError(f"prices up to {dearest:,} are too high to be added up")


def _column(groups: list[list[int]], size: int) -> npt.NDArray[np.int64]:
    column = np.zeros(size, dtype=np.int64)
    for price, *members in groups:
        if not (isinstance(price, int) and 0 <= price < 2**31):
            raise ValueError(f"a price must be a whole number, not {price!r}")
        if members and not 0 <= min(members) <= max(members) < size:
            raise ValueError(f"prices name what does not exist: {size} are there")
        column[np.array(members, dtype=np.int64)] = price
    return column


def _by_growth(problem: Problem, origin: int, *, backwards: bool) -> int:
    if not problem.rules.combining and (backwards or problem.pattern == "private"):
        raise InputError("without combining growth bounds broadcasts only, and from their origins")
    wanted = audience(problem, origin, backwards=backwards)
    if not wanted:
        raise ValueError(f"processor {origin} has no message")
    return len(informed(problem, origin, wanted, backwards=backwards)) - 1


def _by_distance(problem: Problem, source: int, target: int) -> int:
    if problem.rules.switching != "store-and-forward":
        raise InputError("distance bounds store-and-forward only; a wormhole runs any path in one step")
    network = problem.network
    if problem.pattern == "private":
        is_asked = bool((problem.labels == (source, target)).all(axis=1).any())
    else:
        is_asked = source in problem.labels[:, 0] and target in problem.collective.receivers and source != target
    if not is_asked:
        raise ValueError(f"no message goes from {source} to {target}")
    return max(1, int(network.distances_from(int(network.router_of[source]))[network.router_of[target]]))


def _without_combining(problem: Problem, steps: int) -> int:
    if problem.rules.combining:
        raise InputError("under combining one transfer carries many messages, so a cut proves nothing")
    if problem.pattern != "broadcast":
        raise InputError("cuts bound broadcasts; for private messages put prices on the cut")
    return steps
