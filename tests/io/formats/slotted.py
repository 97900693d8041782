"""Schedules of time slots to export, and what each router does in them, worked out from the rules alone."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import Any

from hypothesis import strategies as st

from pavane.judge.result import Result
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.solvers import SOLVERS
from tests.io.formats.schedules import MEMBERS

NETWORKS = ("ring:4", "torus:3x3", "mesh:2x3", "kautz:2,2", "ring:4*2", "star:4")
Port = tuple[str, int]
Uses = dict[tuple[int, int, Port], list[Port]]
"""The inputs by router, slot and output."""


def greedy(problem: Problem, seed: int = 0) -> Result:
    """Return the schedule of the greedy solver."""
    result = SOLVERS["greedy"](problem, None, seed, Budget())
    assert result.schedule is not None
    return result


@cache
def slotted(spec: str = "torus:3x3", kind: str = "aas", **rules: Any) -> Result:
    """Return a schedule of slots on a network of the catalogue, one port unless said."""
    made = network(spec)
    return greedy(Problem(made, named(kind, made, **MEMBERS.get(kind, {})), Rules("tdm", **{"ports": 1, **rules})))


@st.composite
def slotted_results(draw: st.DrawFn) -> Result:
    """Draw a valid schedule of slots: any delays, with and without wrap, one port or several."""
    made: Network = network(draw(st.sampled_from(NETWORKS)))
    wrap = draw(st.booleans())
    kind = draw(st.sampled_from(("aas", "oas", "aog", "pairs") if wrap else ("aas", "oas", "aab", "aor")))
    rules = Rules(
        "tdm",
        ports=draw(st.sampled_from((1, 1, 2, "all"))),
        router_delay=draw(st.integers(1, 3)),
        link_delay=draw(st.integers(0, 2)),
        packet_slots=draw(st.integers(1, 3)),
        wrap=wrap,
    )
    members: dict[str, Any] = {"pairs": ((0, 2), (3, 1))} if kind == "pairs" else {}
    return greedy(Problem(made, named(kind, made, **members), rules), draw(st.integers(0, 99)))


def uses_of(result: Result) -> Uses:
    """Return what each router does, from the definition of the rules, with one local port for each processor."""
    assert result.schedule is not None
    network_, rules, period = result.problem.network, result.problem.rules, result.schedule.num_steps
    found: defaultdict[tuple[int, int, Port], list[Port]] = defaultdict(list)

    def use(router: int, slot: int, output: Port, entered: Port) -> None:
        for later in range(rules.packet_slots):
            at = (slot + later) % period if rules.wrap else slot + later
            found[router, at, output].append(entered)

    def local(location: int) -> Port:
        return ("processor", location) if location >= 0 else ("memory", ~location)

    for transfer in result.schedule:
        entered, last = map(local, (transfer.sender, transfer.receiver))
        slot = transfer.start
        router = int(network_.router_of[entered[1]]) if entered[0] == "processor" else entered[1]
        for channel in transfer.path:
            assert int(network_.tails[channel]) == router
            slot += rules.router_delay + rules.link_delay if rules.switching == "tdm" else 0
            use(router, slot, ("channel", channel), entered)
            entered, router = ("channel", channel), int(network_.heads[channel])
        use(router, slot + (rules.router_delay if rules.switching == "tdm" else 0), last, entered)
    return {key: sorted(entries) for key, entries in found.items()}
