"""Problems: messages and their numbers, capacities, digest, refusals."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.errors import InputError, PavaneError
from pavane.model.collectives import allgather, alltoall, broadcast, pairs, reduce_scatter
from pavane.model.messages import MOST_MESSAGES, Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules, default_rules
from pavane.networks import network
from tests.checker import links, parcels
from tests.strategies import channel_graph, collectives, networks, problems, rules

RING = Network("ring:4", 4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 0), (0, 3)])
# Two processors on router 0, one on router 1, none on router 2; two channels 0>1, one back, the rest one-way.
ODD = Network("odd", 3, [(0, 1), (0, 1), (1, 0), (1, 2), (2, 0)], [0, 0, 1])


# -- messages


@pytest.mark.parametrize(
    ("collective", "labels", "num_deliveries"),
    [
        (Collective("OAB", (2,), (3, 0, 1)), [[2]], 3),
        (Collective("OAB", (2,), (2, 0)), [[2]], 1),
        (Collective("OAS", (2,), (3, 0)), [[2, 0], [2, 3]], 2),
        (Collective("OAS", (2,), (3, 2, 0)), [[2, 0], [2, 3]], 2),
        (Collective("AAB", (0, 1, 2, 3), (0, 1, 2, 3)), [[0], [1], [2], [3]], 12),
        (Collective("AAS", (0, 1), (0, 1)), [[0, 1], [1, 0]], 2),
        (Collective("MNB", (3, 1), (2, 0)), [[1], [3]], 4),
        (Collective("MNB", (3, 1), (1,)), [[3]], 1),
        (Collective("MNB", (3, 1), (1, 2)), [[1], [3]], 3),
        (Collective("MNS", (3, 1), (1, 0)), [[1, 0], [3, 0], [3, 1]], 3),
        (Collective("AOG", (3, 1), (0,)), [[1, 0], [3, 0]], 2),
        (Collective("AOR", (3, 1), (0,)), [[0]], 2),
        (Collective("AOR", (0, 3, 1), (0,)), [[0]], 2),
        (Collective("AAR", (0, 1), (1, 0)), [[0], [1]], 2),
        (Collective("AAR", (2,), (2, 0)), [[0]], 1),
        (Collective("PAIRS", pairs=((3, 1), (0, 2))), [[0, 2], [3, 1]], 2),
    ],
    ids=str,
)
def test_messages_are_numbered_in_the_order_of_their_labels(
    collective: Collective, labels: list[list[int]], num_deliveries: int
) -> None:
    """A message is labelled by origin and target, a broadcast by its origin, a reduction by its target."""
    problem = Problem(RING, collective)
    assert problem.labels.tolist() == labels
    assert problem.num_messages == len(labels)
    assert problem.num_deliveries == num_deliveries
    assert problem.message_numbers(np.array(labels)).tolist() == list(range(len(labels)))


@given(problems())
def test_labels_and_deliveries_follow_from_origins_and_targets(problem: Problem) -> None:
    """Labels ascend, nobody sends to itself, and the deliveries are what all targets together need."""
    expected = parcels(problem.collective)
    rows = [tuple(row) for row in problem.labels.tolist()]
    assert rows == sorted(set(rows))
    assert problem.num_messages == len(expected)
    needed = sum(len(p.starts - p.targets) if problem.pattern == "reduction" else len(p.targets) for p in expected)
    if problem.pattern == "allreduce":
        # A sum comes in from all others and goes out to them.
        assert problem.num_deliveries == sum(2 * (len(p.targets) - 1) for p in expected)
        assert {row[0] for row in rows} == set(problem.collective.receivers)
        return
    assert problem.num_deliveries == needed
    for row, parcel in zip(rows, expected, strict=True):
        ends = (parcel.starts, parcel.targets) if problem.pattern == "private" else (parcel.starts,)
        ends = (parcel.targets,) if problem.pattern == "reduction" else ends
        assert tuple(frozenset({p}) for p in row) == ends


def test_labels_of_no_message_have_the_number_minus_one() -> None:
    """A label that the collective does not have, or that no processor has, is told apart."""
    asked = np.array([[0, 1], [1, 1], [0, 4], [-1, 5], [4, 0], [3, 2], [0, 0], [2**31, 1]])
    assert Problem(RING, alltoall(RING)).message_numbers(asked).tolist() == [0, -1, -1, -1, -1, 11, -1, -1]
    some = Problem(RING, Collective("MNB", (1, 3), (0,)))
    assert some.message_numbers(np.array([[0], [1], [2], [3], [4], [-1]])).tolist() == [-1, 0, -1, 1, -1, -1]


# -- capacities


@pytest.mark.parametrize("k", [1, 2, 7])
def test_k_ports_are_k_sendings_and_k_arrivals(k: int) -> None:
    """With k ports every processor injects and ejects k transfers a step, however many channels there are."""
    problem = Problem(ODD, pairs([(0, 2)]), Rules(ports=k))
    assert problem.injection.tolist() == problem.ejection.tolist() == [k, k, k]


def test_all_ports_are_the_degrees_of_the_router() -> None:
    """With all ports a processor injects as its router has channels out, and ejects as it has channels in."""
    problem = Problem(ODD, pairs([(0, 2)]))
    assert problem.injection.tolist() == [2, 2, 2]
    assert problem.ejection.tolist() == [2, 2, 2]
    lopsided = Problem(Network("lopsided", 2, [(0, 1), (0, 1), (1, 0)]), pairs([(0, 1)]))
    assert lopsided.injection.tolist() == [2, 1]
    assert lopsided.ejection.tolist() == [1, 2]


@given(problems())
def test_units_join_exactly_the_channels_of_a_link(problem: Problem) -> None:
    """Two channels share a unit if and only if they are a link's and the duplex is half."""
    units = problem.units.tolist()
    together = links(problem) if problem.rules.duplex == "half" else []
    shared = [(a, b) for a in range(len(units)) for b in range(a + 1, len(units)) if units[a] == units[b]]
    assert sorted(shared) == sorted(together)


# -- values


def test_a_problem_is_written_as_the_schedule_file_has_it() -> None:
    """The dictionary of a problem is the `problem` object of the schedule file."""
    expected: dict[str, Any] = {
        "network": {
            "name": "ring:4",
            "routers": ["0", "1", "2", "3"],
            "channels": [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [3, 0], [0, 3]],
            "processors": [0, 1, 2, 3],
        },
        "collective": {"kind": "AAS", "senders": [0, 1, 2, 3], "receivers": [0, 1, 2, 3]},
        "rules": {
            "switching": "wormhole",
            "ports": "all",
            "duplex": "full",
            "routing": "minimal",
            "combining": False,
        },
    }
    problem = Problem(RING, alltoall(RING))
    assert problem.to_dict() == expected
    canonical = json.dumps(expected, sort_keys=True, separators=(",", ":"))
    assert problem.digest() == hashlib.sha256(canonical.encode()).hexdigest()
    assert Problem(RING, pairs([(2, 0)])).to_dict()["collective"] == {"kind": "PAIRS", "pairs": [[2, 0]]}


ROWS = RING.channels.tolist()
CHANGES: list[dict[str, Any]] = [
    {"rules": Rules(switching="store-and-forward")},
    {"rules": Rules(ports=1)},
    {"rules": Rules(ports=2)},
    {"rules": Rules(duplex="half")},
    {"rules": Rules(routing="any")},
    {"rules": Rules(combining=True)},
    {"collectives": (allgather(RING),)},
    {"collectives": (reduce_scatter(RING),)},
    {"collectives": (broadcast(RING),)},
    {"collectives": (broadcast(RING, 1),)},
    {"collectives": (Collective("AAS", (0, 1), (0, 1)),)},
    {"collectives": (pairs([(0, 1)]),)},
    {"collectives": (pairs([(1, 0)]),)},
    {"network": Network("another", 4, ROWS)},
    {"network": Network("ring:4", ["a", "b", "c", "d"], ROWS)},
    {"network": Network("ring:4", 4, [*ROWS, (0, 2)])},
    {"network": Network("ring:4", 4, [*ROWS[1:], ROWS[0]])},
    {"network": Network("ring:4", 4, ROWS, [1, 0, 2, 3])},
]


def test_the_digest_tells_every_difference() -> None:
    """Another rule, member, kind, channel, processor or name is another problem."""
    problem = Problem(RING, alltoall(RING))
    digests = {problem.digest(), *(replace(problem, **change).digest() for change in CHANGES)}
    assert len(digests) == 1 + len(CHANGES)
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests)


def test_the_digest_leaves_drawing_positions_out() -> None:
    """Where a router is drawn does not change the problem."""
    drawn = Network("ring:4", 4, RING.channels, positions=[(0, 0), (0, 1), (1, 1), (1, 0)])
    problem = Problem(drawn, alltoall(drawn))
    assert problem.digest() == Problem(RING, alltoall(RING)).digest()
    assert problem.to_dict()["network"]["positions"] == [[0, 0], [0, 1], [1, 1], [1, 0]]


def test_problems_are_frozen_values() -> None:
    """Equal problems are equal and hash alike; neither a problem nor its labels can be changed."""
    problem = Problem(RING, alltoall(RING))
    again = Problem(Network("ring:4", 4, RING.channels), alltoall(RING), Rules())
    assert problem == again
    assert hash(problem) == hash(again)
    assert problem != replace(problem, rules=Rules(ports=1))
    with pytest.raises(FrozenInstanceError):
        problem.rules = Rules()  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        problem.labels[0] = 9


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Rules(), "wormhole, all-port, full duplex, minimal routing, no combining"),
        (
            Rules("store-and-forward", 2, "half", "any", True),
            "store-and-forward, 2-port, half duplex, any routing, combining",
        ),
        (Collective("PAIRS", pairs=((0, 1),)), "PAIRS"),
        (Collective("OAB", (3,), (0, 1)), "broadcast (OAB) from processor 3 to 2 receivers"),
        (Collective("AOR", (0, 1), (3,)), "reduce (AOR) from 2 senders to processor 3, which does not contribute"),
        (Collective("MNS", (0, 1), (3,)), "MNS from 2 senders to 1 receiver"),
        (
            Problem(RING, alltoall(RING), Rules(ports=1)),
            "alltoall (AAS) from 4 senders to 4 receivers on ring:4 "
            "(wormhole, 1-port, full duplex, minimal routing, no combining)",
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_problems_say_what_they_are(value: Rules | Collective | Problem, text: str) -> None:
    """A problem, its collective and its rules print as one line for people."""
    assert str(value) == text


# -- refusals

ONE_WAY = Network("one way", ["a", "b", "c"], [(0, 1), (1, 2)])
LONELY = Network("lonely", ["here"], [], [0, 0])
HUGE = Network("huge", 2, [(0, 1), (1, 0)], [0] * 8000)

REFUSALS: list[tuple[Callable[[], object], str]] = [
    (
        lambda: Rules(switching="packet"),  # type: ignore[arg-type]
        "switching 'packet' is not known; choose wormhole or store-and-forward or tdm",
    ),
    (lambda: Rules(duplex="both"), "duplex 'both' is not known; choose full or half"),  # type: ignore[arg-type]
    (
        lambda: Rules(routing="odd"),  # type: ignore[arg-type]
        "routing 'odd' is not known; choose minimal or any or dimension-order or west-first or north-last",
    ),
    (lambda: Rules(ports=0), "ports 0: a processor needs at least one port; give all, or 1 or more"),
    (
        lambda: Rules(ports=2**31),
        "ports 2147483648: no processor has that many; give all, or a number that a router could have",
    ),
    (lambda: Rules(ports=True), "ports True is not a number; give all, or 1 or more"),
    (lambda: Rules(ports="two"), "ports 'two' is not a number; give all, or 1 or more"),  # type: ignore[arg-type]
    (lambda: Rules(ports=1.5), "ports 1.5 is not a number; give all, or 1 or more"),  # type: ignore[arg-type]
    (lambda: Rules(combining=1), "combining 1 is neither true nor false"),  # type: ignore[arg-type]
    (
        lambda: Collective("ALL", (0,), (1,)),
        "collective kind 'ALL' is not known; choose one of OAB OAS AAB AAS MNB MNS AOG AOR AAR PAIRS ALLREDUCE",
    ),
    (
        lambda: Collective("PAIRS", (0,), (1,)),
        "PAIRS takes pairs only; its senders and receivers follow from them",
    ),
    (lambda: pairs([(0, 1), (2, 3), (0, 1)]), "PAIRS: the pair (0, 1) is listed twice; list it once"),
    (lambda: pairs([(0, 1), (2, 2)]), "PAIRS: processor 2 would send to itself; leave that pair out"),
    (
        lambda: Collective("AAS", (0,), (1,), ((0, 1),)),
        "AAS takes senders and receivers; pairs belong to PAIRS",
    ),
    (lambda: Collective("MNS", (1, 2, 1), (0,)), "MNS: sender 1 is listed twice; list it once"),
    (lambda: Collective("MNB", (1,), (0, 3, 3)), "MNB: receiver 3 is listed twice; list it once"),
    (lambda: Collective("OAS", (), (2,)), "OAS has exactly one sender, its root; 0 were given"),
    (lambda: Collective("AOR", (0,), ()), "AOR has exactly one receiver, its root; 0 were given"),
    (
        lambda: Problem(RING, Collective("MNS", (0, 4), (1,))),
        "MNS: sender 4 is out of range; ring:4 has processors 0 to 3",
    ),
    (
        lambda: Problem(RING, Collective("MNS", (0,), (1, -1))),
        "MNS: receiver -1 is out of range; ring:4 has processors 0 to 3",
    ),
    (
        lambda: Problem(RING, pairs([(0, 1), (2, 9)])),
        "PAIRS: end of a pair 9 is out of range; ring:4 has processors 0 to 3",
    ),
    *(
        (
            lambda collective=collective: Problem(RING, collective),
            f"{collective.kind} on ring:4 has nothing to send; name at least one sender and one other receiver",
        )
        for collective in (
            pairs([]),
            Collective("MNS", (), (1, 2)),
            Collective("MNB", (1, 2), ()),
            Collective("OAB", (2,), (2,)),
            Collective("AAR", (), (2,)),
        )
    ),
    (
        lambda: Problem(ONE_WAY, pairs([(0, 1), (1, 0)]), Rules(ports=1)),
        "processor 0 (router a) cannot be reached from processor 1 (router b) on one way; "
        "add a channel or leave that processor out",
    ),
    (
        lambda: Problem(ONE_WAY, Collective("AOR", (2,), (0,)), Rules(ports=1)),
        "processor 0 (router a) cannot be reached from processor 2 (router c) on one way; "
        "add a channel or leave that processor out",
    ),
    (
        lambda: Problem(LONELY, alltoall(LONELY)),
        "processor 0 has no port, because router here has no channel for it; give a number of ports (`ports=1`)",
    ),
    (
        lambda: Problem(HUGE, alltoall(HUGE)).labels,
        "AAS on huge has 63,992,000 messages; at most 50,000,000 fit",
    ),
]


@pytest.mark.parametrize(("make", "text"), REFUSALS, ids=[text for _, text in REFUSALS])
def test_refusals_say_what_is_wrong_and_how_to_mend_it(make: Callable[[], object], text: str) -> None:
    """What cannot be used is refused with one line that says what, where and how to mend it."""
    with pytest.raises(InputError) as refusal:
        make()
    assert str(refusal.value) == text
    assert isinstance(refusal.value, PavaneError)


def test_many_broadcasts_fit_where_as_many_private_messages_do_not() -> None:
    """The limit is on messages that are listed: 8000 broadcasts are 8000, and PAIRS are as many as are listed."""
    assert MOST_MESSAGES == 50_000_000
    assert Problem(HUGE, allgather(HUGE)).num_messages == 8000
    assert Problem(HUGE, pairs([(0, 1)])).num_messages == 1


@given(networks().flatmap(lambda n: st.tuples(st.just(n), collectives(n.num_processors), rules())))
def test_a_problem_is_refused_exactly_where_it_cannot_be_carried_out(
    drawn: tuple[Network, Collective, Rules],
) -> None:
    """A problem needs something to send, a port at both ends, and a way from every origin to every target.

    Slots carry no allreduce, and a table that repeats carries private messages only.
    """
    network, collective, drawn_rules = drawn
    has_slots = drawn_rules.switching == "tdm"
    needed = [(s, t) for parcel in parcels(collective) for s in parcel.starts for t in parcel.targets if s != t]
    graph, home = channel_graph(network), network.router_of.tolist()
    lost = any(not nx.has_path(graph, home[s], home[t]) for s, t in needed)
    shut = drawn_rules.ports == "all" and any(
        not graph.out_degree(home[s]) or not graph.in_degree(home[t]) for s, t in needed
    )
    reasons = [
        reason
        for holds, reason in (
            (not needed, "nothing to send"),
            (lost, "cannot be reached"),
            (shut, "has no port"),
            (has_slots and collective.kind == "ALLREDUCE", "tdm has no ALLREDUCE"),
            (
                has_slots and collective.pattern != "private" and drawn_rules.wrap,
                "not possible in a table that repeats",
            ),
        )
        if holds
    ]
    if reasons:
        with pytest.raises(InputError, match="|".join(reasons)):
            Problem(network, collective, drawn_rules)
    else:
        assert Problem(network, collective, drawn_rules).num_messages


def test_a_problem_is_made_of_names() -> None:
    """Network and collective may be named, and members of a named collective are said beside it."""
    named_problem = Problem("octagon", "broadcast", root=3)
    assert named_problem == Problem(network("octagon"), broadcast(network("octagon"), 3))
    with pytest.raises(InputError, match="`root` goes with the name of a collective"):
        Problem("octagon", alltoall(network("octagon")), root=3)


@pytest.mark.parametrize("spec", ["dgx-1", "dgx-2", "dgx-a100:2", "dgx-h100", "ndv2:3", "mi250", "nvl:4", "rails:2,2"])
def test_gpus_store_and_forward_by_default(spec: str) -> None:
    """So does whatever is made of such a machine; digests are those of the same rules given."""
    made = network(spec)
    default = default_rules(made)
    assert default.switching == "store-and-forward"
    assert default.switches == ("pass" if made.num_processors < made.num_routers else "hold")
    given_rules = Problem(Network(made.name, made.routers, made.channels, made.router_of), "aas", default)
    plain = Problem(made, "aas")
    assert plain.rules == default
    assert (plain.digest() == given_rules.digest()) == (made.capacities is None)
    for other in (made.reversed(), made.with_processors(2), made.without(channels=[0]), network(f"{spec}@2")):
        assert other.has_gpus


def test_rules_that_are_given_are_taken_as_they_are() -> None:
    """A `Rules` says everything; `default_rules` fills in what is not said."""
    made = network("dgx-h100")
    assert Problem(made, "aas", Rules(ports=1)).rules == Rules(ports=1)
    assert default_rules(made, ports=1) == Rules("store-and-forward", 1, switches="pass")
    assert default_rules(network("star:4"), ports=1) == Rules(ports=1)
