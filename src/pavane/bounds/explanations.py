"""Says in words why a bound holds."""

from __future__ import annotations

import numpy as np

from pavane.bounds.cuts import arriving, leaving, volume
from pavane.bounds.growth import audience
from pavane.bounds.prices import bought, price_list, sold_per_step
from pavane.model.bound import Bound
from pavane.model.collectives import dual
from pavane.model.problem import Problem
from pavane.words import counted


def explain(problem: Problem, bound: Bound) -> str:
    """Return the argument of a bound in words, with its figures."""
    if problem.pattern == "reduction":
        return f"read backwards: {explain(dual(problem), bound)}"
    certificate, argument = bound.certificate, bound.argument
    if argument == "exhaustive":
        return f"a search through all schedules of {counted(bound.steps - 1, 'step')} found none"
    if argument == "crossing":
        return (
            f"{certificate['pairs']:,} pairs of origin and target lie across a cut around "
            f"{counted(len(certificate['routers']), 'router')}, where "
            f"{counted(certificate['per-step'], 'transfer')} a step can cross; "
            f"in {counted(bound.steps - 1, 'step')} they can serve {certificate['served']:,}"
        )
    if "channels" in certificate:
        return _explain_prices(problem, bound)
    if argument in ("growth", "gathering"):
        origin = certificate["origin"]
        wanted = audience(problem, origin, backwards=argument == "gathering")
        counts = ", ".join(f"{count - 1:,}" for count in certificate["informed"][1:])
        if argument == "growth":
            return f"processor {origin} must inform {wanted:,} others; after 1, 2, ... steps at most {counts} can know"
        return (
            f"processor {origin} must hear from {wanted:,} others; after 1, 2, ... steps it can from at most {counts}"
        )
    if argument == "distance":
        source, target = certificate["from"], certificate["to"]
        home = problem.network.router_of
        if home[source] == home[target]:
            return f"processor {target} must receive from processor {source}, which takes a step"
        return (
            f"processor {target} is {bound.steps} channels away from processor {source}, and a step covers one channel"
        )
    if argument == "volume":
        cut = volume(problem)
        return (
            f"messages must enter routers {cut.num_messages:,} times in all, and a step has {cut.per_step:,} channels"
        )
    if "processor" in certificate:
        processor = certificate["processor"]
        cut = arriving(problem, processor)
        return f"processor {processor} must receive {counted(cut.num_messages, 'message')}, {cut.per_step} a step"
    if "routers" in certificate:
        inside = np.zeros(problem.network.num_routers, dtype=bool)
        inside[certificate["routers"]] = True
        cut = leaving(problem, inside)
        return f"{counted(cut.num_messages, 'message')} must leave {_routers(problem, inside)}, {cut.per_step} a step"
    return f"by {argument}"


def _explain_prices(problem: Problem, bound: Bound) -> str:
    prices = price_list(problem, bound.certificate)
    need, sold = bought(problem, prices), sold_per_step(problem, prices)
    if bound.argument in ("injection", "ejection"):
        processor = int(np.flatnonzero(prices.injection + prices.ejection)[0])
        verb = "send" if bound.argument == "injection" else "receive"
        return f"processor {processor} must {verb} {counted(need, 'message')}, {sold} a step"
    if bound.argument == "relays":
        verb = "sent" if prices.injection.any() else "received"
        return f"messages must be {verb} by processors {need:,} times in all, and a step has {counted(sold, 'port')}"
    num_channels = int((prices.channels > 0).sum())
    if bound.argument == "sum-of-distances":
        return f"the messages have {need:,} channels to cover in all, and a step has {sold:,}"
    if bound.argument == "router":
        network = problem.network
        first = network.channels[prices.channels > 0]
        side = 0 if len(set(first[:, 0].tolist())) == 1 and sold == network.out_degrees[first[0, 0]] else 1
        name = network.routers[first[0, side]]
        return f"{counted(need, 'message')} must {('leave', 'enter')[side]} or pass router {name}, {sold} a step"
    if bound.argument == "bisection":
        ends = sorted({problem.network.routers[tail] for tail in problem.network.tails[prices.channels > 0].tolist()})
        return (
            f"messages must cross between two halves {need:,} times in all, {sold} times a step; "
            f"{num_channels} channels join them, at routers {_shown(ends)}"
        )
    tail, head = problem.network.channels[int(np.argmax(prices.channels))].tolist()
    busiest = f"channel {problem.network.routers[tail]}>{problem.network.routers[head]}"
    others = f" and {counted(num_channels - 1, 'other')}" if num_channels > 1 else ""
    if len(np.unique(prices.channels[prices.channels > 0])) == 1:
        price = int(prices.channels.max())
        return f"{busiest}{others} must carry {counted(need // price, 'message')} in all, {sold // price:,} a step"
    return f"weighted by their load, {busiest}{others} must carry {need:,} in all, and a step has room for {sold:,}"


def _routers(problem: Problem, inside: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> str:
    names = [problem.network.routers[r] for r in np.flatnonzero(inside)]
    if len(names) == 1:
        return f"router {names[0]}"
    if len(names) == problem.network.num_routers - 1:
        return f"the rest for router {problem.network.routers[int(np.flatnonzero(~inside)[0])]}"
    return f"the {len(names)} routers {_shown(names)}"


def _shown(names: list[str]) -> str:
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
