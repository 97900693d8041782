"""The graph of dependences of a timed schedule: it has no circle, and the schedule runs without clocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from pavane.judge.rules import verify
from pavane.judge.timed_case import TimedCase, finish_time
from pavane.judge.timed_order import dependences, in_order
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.solvers.timed.retiming import retime
from tests.judge.test_hold_rules import HOLD, LATER, LINE, STORED, timed_on
from tests.strategies import Case
from tests.timed_cases import schedule_of, self_timed_starts, timed_cases
from tests.timed_checker import hold, is_valid, usable


def graph_of(problem: Problem, schedule: Schedule) -> nx.DiGraph[int]:
    """Return who waits for whom, from a look at every pair of transfers."""
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(schedule)))
    rows, units = list(schedule), problem.units
    adds = problem.pattern in ("reduction", "allreduce")
    for later, one in enumerate(rows):
        for earlier, other in enumerate(rows):
            shared = set(units[list(one.path)].tolist()) & set(units[list(other.path)].tolist())
            brings = (other.receiver, other.messages) == (one.sender, one.messages)
            if earlier != later and shared and other.start < one.start:
                graph.add_edge(earlier, later, after=hold(problem, other))
            if (earlier in one.inputs) if adds else brings and one.sender != problem.ends[one.messages[0]][0]:
                graph.add_edge(earlier, later, after=usable(problem, other) - other.start)
    return graph


@given(timed_cases())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_a_valid_schedule_has_no_circle_and_runs_without_clocks(drawn: tuple[Problem, Case]) -> None:
    """Every pair that must wait is joined by a way along the graph, which has no circle."""
    problem, case = drawn
    schedule = retime(problem, case.schedule)
    assert verify(problem, schedule) == []
    edges = dependences(TimedCase(problem, schedule, 1))
    found = nx.DiGraph(list(zip(edges.before.tolist(), edges.after.tolist(), strict=True)))
    found.add_nodes_from(range(len(schedule)))
    wanted = graph_of(problem, schedule)
    assert nx.is_directed_acyclic_graph(found)
    assert nx.is_directed_acyclic_graph(wanted)
    reached = nx.transitive_closure(found)
    assert all(reached.has_edge(*edge) for edge in wanted.edges)
    order = in_order(TimedCase(problem, schedule, 1)).tolist()
    assert all(order.index(a) < order.index(b) for a, b in found.edges)


@given(timed_cases())
@settings(suppress_health_check=[HealthCheck.filter_too_much])
def test_nothing_starts_later_without_clocks(drawn: tuple[Problem, Case]) -> None:
    """From the starts that no clock gives, the schedule is valid, and it ends no later."""
    problem, case = drawn
    schedule = retime(problem, case.schedule)
    late = replace(schedule, starts=schedule.starts * 3 + 7)
    assert is_valid(problem, late)
    starts = self_timed_starts(problem, late)
    assert (starts <= late.starts).all()
    again = schedule_of(*(row._replace(start=int(start)) for row, start in zip(late, starts, strict=True)))
    assert verify(problem, again) == []
    if problem.rules.ports in ("all", 1):  # several ports have no order of their own
        assert (starts <= schedule.starts).all()
        assert finish_time(problem, again) <= finish_time(problem, schedule)


TWINS = Network("twins", 1, [], [0, 0, 0])
"""Three processors on one router, between which no time passes."""


def twins(kind: str, **members: Any) -> Problem:
    """Return a problem of the three."""
    problem = Problem(TWINS, named(kind, TWINS, **members), Rules(ports=1))
    return replace(problem, links=Links.uniform(TWINS, bytes_per_second=1), num_bytes=8)


def step(sender: int, receiver: int, *inputs: int, start: int = 0) -> Transfer:
    """Return a transfer between two of them."""
    return Transfer(start, sender, receiver, (), (0,), inputs)


CIRCLES = (
    (twins("oab", root=0), [step(1, 2), step(2, 1)]),
    (twins("aor", root=0), [step(1, 2, 1), step(2, 1, 0), step(1, 0), step(2, 0)]),
    (twins("aor", root=0), [step(1, 2, 1), step(2, 1, 0, start=5), step(1, 0), step(2, 0)]),
)


@pytest.mark.parametrize(("problem", "transfers"), CIRCLES, ids=["copies", "sums", "sums, one later"])
def test_transfers_that_wait_for_each_other_are_refused(problem: Problem, transfers: list[Transfer]) -> None:
    """A circle of transfers would wait for ever, though each is usable when the next starts."""
    schedule = schedule_of(*transfers)
    assert not is_valid(problem, schedule)
    found = verify(problem, schedule)
    assert {violation.rule for violation in found} == {"not-held"}
    assert "it waits for a transfer that starts later, or for itself" in found[0].text


def test_a_chain_that_takes_no_time_is_no_circle() -> None:
    """Transfers that start together wait for each other one way."""
    problem, schedule = twins("oab", root=0), schedule_of(step(1, 2), step(0, 1))
    assert verify(problem, schedule) == []
    case = TimedCase(problem, schedule, 1)
    assert [schedule.transfer(number).sender for number in in_order(case).tolist()] == [0, 1]


def test_a_port_is_waited_for() -> None:
    """With one port what a processor sends second waits for the first, though their channels differ."""
    problem = timed_on(LINE, "oab", Rules(switching="store-and-forward", ports=1), root=1)
    schedule = schedule_of(Transfer(0, 1, 0, (1,), (0,)), Transfer(2 * LATER, 1, 2, (2,), (0,)))
    assert self_timed_starts(problem, schedule).tolist() == [0, HOLD]
    free = timed_on(LINE, "oab", STORED, root=1)
    assert np.array_equal(self_timed_starts(free, schedule), [0, 0])
