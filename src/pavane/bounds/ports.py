"""The bounds by the ports of one processor: what it must send, or receive, over them, (P - 1) / k of the papers.

A member of an allreduce must send, and receive, a sum of every piece.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pavane.bounds.cut_loads import RouterCut, arriving, at_ports
from pavane.bounds.phrases import Unit, carried
from pavane.bounds.prices import CertificatePrices, figures_of, priced
from pavane.model.arrays import Ints, Longs
from pavane.model.bound import Bound
from pavane.model.problem import Problem
from pavane.text import counted

INJECTION, EJECTION, OWN_PART = "injection", "ejection", "own-part"


def by_injection(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the processor that has the most private messages to send for its ports."""
    if not problem.rules.combining and problem.pattern == "private":
        busiest = _busiest(problem.num_sent, problem.injection)
        yield priced(problem, CertificatePrices.of(problem, injection=[busiest]), INJECTION)


def by_ejection(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the processor that has the most to receive for its ports."""
    if problem.rules.combining:
        return
    if problem.pattern == "private":
        busiest = _busiest(problem.num_received, problem.ejection)
        yield priced(problem, CertificatePrices.of(problem, ejection=[busiest]), EJECTION)
    else:
        busiest = _busiest(at_ports(problem)[1], problem.ejection)
        yield arriving(problem, busiest).bound(EJECTION, {"processor": busiest})


def by_own_part(problem: Problem) -> Iterator[Bound]:
    """Yield the bound of the member of an allreduce with the fewest ports."""
    if not problem.rules.combining:
        members = np.array(sorted(problem.collective.senders))
        fewest = int(members[np.minimum(problem.injection, problem.ejection)[members].argmin()])
        yield _own_part(problem, fewest).bound(OWN_PART, {"processor": fewest})


def _busiest(amounts: Longs, ports: Ints) -> int:
    return int((amounts / np.maximum(ports, 1)).argmax())


def _own_part(problem: Problem, processor: int) -> RouterCut:
    return RouterCut(problem.num_messages, min(int(problem.injection[processor]), int(problem.ejection[processor])))


def explain(problem: Problem, bound: Bound, unit: Unit) -> str:
    """State which processor must send, or receive, how many messages or sums."""
    certificate, verb, what = bound.certificate, "receive", carried(problem)
    if "channels" in certificate:
        prices, need, sold = figures_of(problem, bound)
        verb = "send" if bound.argument == INJECTION else verb
        processor = int(np.flatnonzero(prices.injection + prices.ejection)[0])
    else:
        processor = certificate["processor"]
        cut = arriving(problem, processor)
        if bound.argument == OWN_PART:
            cut, verb, what = _own_part(problem, processor), "send and receive", "sum"
        need, sold = cut.num_messages, cut.per_step
    return f"processor {processor} must {verb} {counted(need, what)}, {sold} {unit.each}"
