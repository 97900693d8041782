"""Hierarchical rings: noc Tables 3 and 4."""

from math import prod

from papers.noc_schedules.hierarchical import as_printed, hierarchical
from papers.noc_schedules.hierarchical_exchange import hierarchical_exchange
from papers.noc_schedules.ring_exchange import exchange_steps

from pavane.model.problem import Rules
from pavane.networks import network
from tests.papers.noc_schedules.judged import (
    COMBINING,
    PLAIN,
    declines,
    each_size,
    figures,
    log2,
    problem,
    renamed,
    rings,
    with_link,
)
from tests.solvers.constructions.judged import shuffled

GATHER, EXCHANGE = hierarchical, hierarchical_exchange


@each_size
def test_one_to_all(sizes: tuple[int, ...]) -> None:
    """From every root: sum of ceil(log2 s) start-ups, OAS with TCO P - 1; without combining P - 1 start-ups."""
    size, startups = prod(sizes), sum(log2(ring) for ring in sizes)
    for root in range(size):
        assert figures(GATHER, problem(rings(sizes), "OAB", PLAIN, root)) == (startups, startups)
        assert figures(GATHER, problem(rings(sizes), "OAS", COMBINING, root)) == (startups, size - 1)
    for root in (0, size // 2, size - 1):
        assert figures(GATHER, problem(rings(sizes), "OAS", PLAIN, root)) == (size - 1, size - 1)
        half = Rules(ports=1, duplex="half", combining=True)
        assert figures(GATHER, problem(rings(sizes), "OAS", half, root)) == (startups, size - 1)


@each_size
def test_gather_exchange_and_hand_out(sizes: tuple[int, ...]) -> None:
    """The start-ups are those of the paper; TCO is what remains when no message comes twice to a place."""
    size, (*inner, outermost) = prod(sizes), sizes
    group = size // outermost
    # The sizes of the largest branch in each step of the gather.
    branches, stride = [], 1
    for ring in inner:
        left = ring
        while left > 1:
            branches.append(left // 2 * stride)
            left -= left // 2
        stride *= ring
    startups, printed = as_printed(sizes, "AAB")
    # Going down the smallest branch lacks most.
    smallest, stride = [], 1
    for ring in inner:
        halves = {ring}
        while max(halves) > 1:
            smallest.append(min(left // 2 for left in halves if left > 1) * stride)
            halves = {part for left in halves for part in (left // 2, left - left // 2) if part}
        stride *= ring
    tco = sum(branches) + (outermost - 1) * group + sum(size - branch for branch in smallest)
    assert figures(GATHER, problem(rings(sizes), "AAB")) == (startups, tco)
    assert startups == 2 * sum(log2(ring) for ring in inner) + outermost - 1
    assert printed == sum(branches) + (outermost - 1) * group + size * len(branches) >= tco

    startups, printed = as_printed(sizes, "AAS")
    exchanges = len(exchange_steps(outermost))
    tco = 2 * sum(branch * (size - branch) for branch in branches) + exchanges * group**2
    assert figures(GATHER, problem(rings(sizes), "AAS")) == (startups, tco)
    assert startups == 2 * len(branches) + exchanges
    assert printed == 2 * sum(branch * (size - 1) for branch in branches) + exchanges * group**2 >= tco


def test_more_ports_and_other_names() -> None:
    """More ports and any routing do no harm, and the name is not looked at."""
    made = renamed(network("hierarchical-rings:4,3"), "anything")
    for rules in (Rules(combining=True), Rules(ports=2, routing="any", combining=True)):
        assert figures(GATHER, problem(made, "AAB", rules))[0] == 6
        assert figures(EXCHANGE, problem(made, "AAS", rules))[0] == 2 * 16 + 3


def test_declines() -> None:
    """Near misses of hierarchical rings, whatever their name, and rules that it would break are not for it."""
    made = network("hierarchical-rings:4,4")
    for near in (
        made.without(links=[(0, 1)]),
        made.without(channels=[5]),
        made.without(processors=[7]),
        made.with_processors(2),
        with_link(made, 1, 3),
        with_link(made, 0, 1),
        shuffled(made, 0),
        renamed(network("mesh:4x4"), made.name),
    ):
        for kind in ("OAB", "OAS", "AAB", "AAS"):
            for solver in (GATHER, EXCHANGE):
                assert declines(solver, problem(near, kind))
    for rules in (
        Rules(ports=1, duplex="half", combining=True),
        Rules(ports=1, switching="store-and-forward", combining=True),
    ):
        for kind in ("AAB", "AAS"):
            for solver in (GATHER, EXCHANGE):
                assert declines(solver, problem(made, kind, rules))
    assert declines(GATHER, problem(made, "AAB", PLAIN))
    assert declines(GATHER, problem(made, "AAS", PLAIN))
    assert declines(EXCHANGE, problem(made, "OAB"))
