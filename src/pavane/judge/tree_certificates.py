"""Checks certificates that bound the steps of an allreduce where switches add and copy and nothing rests in them.

A step then joins processors beside one set of connected switches, a domain, or along one channel between routers with
processors. Take a piece, the step t in which its sum is first complete at some location, and a price on each sending
into a domain and each arrival from it.

All members have sent by then, or all but the one that has it; and all must receive, then or later, or all but that one.
Before t a domain of g processors has an arrival for every g - 1 first sendings, and after t a sending for every g - 1
last arrivals. In t itself first sendings must come to all that complete the sum, so that they are all beside the same
domains; if a domain has both, F first sendings and L last arrivals at prices v and w take v F + w L, which is at least
the F (v + w / (g - 1)) + L (w + v / (g - 1)) of the other steps less one of each, as F and L are at most g.
So a piece takes at least (M - 1) (c + d), where c and d are the cheapest v + w / (g - 1) and w + v / (g - 1).

If no processor has all members beside its domains, no sum is complete after the first step, and in the last step no
member sends for the first time: these two have first sendings, or last arrivals, only.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pavane.judge.checkers import SUMS, checks
from pavane.judge.facts import links, ports, switches, whole
from pavane.model.bound import Bound
from pavane.model.problem import Problem


@checks("prices of sums", SUMS, "sum-prices", holds_for_trees=True)
def by_sum_prices(problem: Problem, bound: Bound) -> Fraction:
    """Return the steps that prices on sendings into domains of switches, and arrivals from them, prove."""
    certificate, homes = bound.certificate, problem.network.router_of.tolist()
    _check_rules(problem)
    if len(set(homes)) < len(homes):
        raise ValueError("processors share a router, and what they exchange takes no channel")
    domain_of = _domains(problem)
    into, out = dict.fromkeys(domain_of.values(), 0), dict.fromkeys(domain_of.values(), 0)
    for router, up, down in certificate["domains"]:
        into[domain_of[whole(router)]], out[domain_of[whole(router)]] = _price(up), _price(down)
    direct, sending, receiving = (_price(certificate[key]) for key in ("direct", "sending", "receiving"))
    beside = _beside(problem, domain_of)
    near, far = [], []
    for domain, processors in beside.items():
        if len(processors) > 1:
            one, other = into[domain] + sending, out[domain] + receiving
            near.append(Fraction(one) + Fraction(other, len(processors) - 1))
            far.append(Fraction(other) + Fraction(one, len(processors) - 1))
    price_of, most = _channel_prices(problem, domain_of, into, out, direct)
    if most[2]:
        near.append(Fraction(direct + sending + receiving))
        far.append(Fraction(direct + sending + receiving))
    at_ports = [sum(each) for each in ports(problem)]
    capacity: list[int] = problem.network.capacity.tolist()
    per_step = sum(capacity[link] * price for link, price in price_of.items())
    per_step += at_ports[0] * sending + at_ports[1] * receiving
    if per_step < 1:
        raise ValueError("nothing has a price")
    members = set(problem.collective.senders)
    num_pieces, cheapest = problem.num_messages, (min(near), min(far))
    needed = num_pieces * (len(members) - 1) * (cheapest[0] + cheapest[1])
    if any(members <= _in_one_step(problem, domain_of, beside, processor) for processor in range(len(homes))):
        return needed / per_step
    ends = [min(most[way] + most[2], at_ports[way], num_pieces * len(members)) for way in (0, 1)]
    later = 2 + (needed - cheapest[0] * ends[0] - cheapest[1] * ends[1]) / per_step
    return max(needed / per_step, later)


def _check_rules(problem: Problem) -> None:
    if problem.rules.switching != "store-and-forward" or problem.rules.switches != "copy":
        raise ValueError("only where switches copy under store-and-forward does a step end at every processor")


def _price(value: Any) -> int:
    """Return a price of a certificate; ValueError where it is below 0."""
    if whole(value) < 0:
        raise ValueError(f"{value} is not a price")
    return whole(value)


def _domains(problem: Problem) -> dict[int, int]:
    """Return for each router without a processor the lowest that channels of whatever direction join it with."""
    free = switches(problem)
    joined: dict[int, set[int]] = {router: set() for router in free}
    for tail, head in problem.network.channels.tolist():
        if tail in free and head in free:
            joined[tail].add(head)
            joined[head].add(tail)
    domain_of: dict[int, int] = {}
    for first in sorted(free):
        latest = {first} - domain_of.keys()
        while latest:
            domain_of |= dict.fromkeys(latest, first)
            latest = set().union(*(joined[router] for router in latest)) - domain_of.keys()
    return domain_of


def _beside(problem: Problem, domain_of: dict[int, int]) -> dict[int, set[int]]:
    """Return the processors that a channel joins with each domain."""
    at: dict[int, set[int]] = {}
    for processor, home in enumerate(problem.network.router_of.tolist()):
        at.setdefault(home, set()).add(processor)
    beside: dict[int, set[int]] = {domain: set() for domain in domain_of.values()}
    for tail, head in problem.network.channels.tolist():
        for one, other in ((tail, head), (head, tail)):
            if one in domain_of and other in at:
                beside[domain_of[one]] |= at[other]
    return beside


def _channel_prices(
    problem: Problem, domain_of: dict[int, int], into: dict[int, int], out: dict[int, int], direct: int
) -> tuple[dict[int, int], list[int]]:
    """Return the highest price of what each link carries, and what channels into, out of and beside domains carry."""
    price_of: dict[int, int] = {}
    most = [0, 0, 0]
    ends = zip(links(problem), problem.network.channels.tolist(), problem.network.capacity.tolist(), strict=True)
    for link, (tail, head), capacity in ends:
        if tail in domain_of and head in domain_of:
            continue
        kind = 0 if head in domain_of else 1 if tail in domain_of else 2
        price = (into[domain_of[head]] if kind == 0 else out[domain_of[tail]]) if kind < 2 else direct
        price_of[link] = max(price, price_of.get(link, 0))
        most[kind] += capacity
    return price_of, most


def _in_one_step(problem: Problem, domain_of: dict[int, int], beside: dict[int, set[int]], processor: int) -> set[int]:
    """Return the processors whose contributions can come to one in one step, and itself."""
    homes = problem.network.router_of.tolist()
    near = {processor}
    for tail, head in problem.network.channels.tolist():
        if head == homes[processor]:
            near |= beside[domain_of[tail]] if tail in domain_of else {homes.index(tail)}
    return near
