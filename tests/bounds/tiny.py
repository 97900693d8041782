"""Problems small enough to try everything: at most 4 routers, 4 processors and 6 channels; grids have a few more.

Strategies are made once, as in `tests.strategies`.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Literal

from hypothesis import assume
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.model.messages import PATTERN_OF, Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.routing import RESTRICTED
from pavane.networks import network
from tests.strategies import BOOLEANS, collectives_in_pieces, integers, networks_with_capacities, routers_of_processors

PRIVATE = tuple(sorted(kind for kind, pattern in PATTERN_OF.items() if pattern == "private"))
BROADCAST = tuple(sorted(kind for kind, pattern in PATTERN_OF.items() if pattern == "broadcast"))

some_of = cache(st.sampled_from)


@cache
def tiny_lists(most: int, max_size: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Draw at most so many of the numbers below `most`, each at most once."""
    return st.lists(integers(0, most - 1), min_size=1, max_size=max_size, unique=True).map(tuple)


@cache
def tiny_pairs(size: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Draw pairs of different numbers below `size`, each at most once."""
    return st.lists(some_of(tuple(permutations(range(size), 2))), min_size=1, max_size=5, unique=True)


@cache
def more_channels(num_routers: int, most: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    """Draw at most so many channels, perhaps parallel ones."""
    return st.lists(some_of(tuple(permutations(range(num_routers), 2))), max_size=most)


@cache
@st.composite
def tiny_networks(draw: st.DrawFn) -> Network:
    """Draw a network with one-way and parallel channels, fat routers and pure switches, perhaps in pieces."""
    num_routers = draw(some_of((3, 2, 4, 1)))
    channels: list[tuple[int, int]] = []
    if num_routers > 1:
        around = tuple((r, (r + 1) % num_routers) for r in range(num_routers))
        along = tuple(end for r in range(num_routers - 1) for end in ((r, r + 1), (r + 1, r)))
        channels += draw(some_of((around, along, ())))
        channels += draw(more_channels(num_routers, 6 - len(channels)))
    router_of = draw(routers_of_processors(num_routers, 4))
    return Network("tiny", num_routers, channels, router_of)


@cache
def tiny_rules(combining: tuple[bool, ...]) -> st.SearchStrategy[Rules]:
    """Draw rules for any network."""
    ports: tuple[int | Literal["all"], ...] = ("all", 1, 2)
    return st.builds(
        Rules,
        switching=st.sampled_from(["wormhole", "store-and-forward"]),
        ports=st.sampled_from(ports),
        duplex=st.sampled_from(["full", "half"]),
        routing=st.sampled_from(["minimal", "any"]),
        combining=st.sampled_from(combining),
    )


@cache
@st.composite
def tiny_problems(
    draw: st.DrawFn, kinds: tuple[str, ...] = tuple(sorted(PATTERN_OF)), combining: tuple[bool, ...] = (False, True)
) -> Problem:
    """Draw a problem that is not refused, under any rules."""
    made = draw(tiny_networks())
    size = made.num_processors
    kind = draw(some_of(kinds))
    alone, some = tiny_lists(size, 1), tiny_lists(size, size)
    if kind == "PAIRS":
        collective = Collective(kind, pairs=tuple(draw(tiny_pairs(size))))
    elif kind == "ALLREDUCE":
        members = draw(some)
        collective = Collective(kind, members, members[: draw(integers(1, 3))])
    elif kind in ("AAB", "AAS", "AAR"):
        collective = Collective(kind, tuple(range(size)), tuple(range(size)))
    else:
        senders = draw(alone if kind in ("OAB", "OAS") else some)
        collective = Collective(kind, senders, draw(alone if kind in ("AOG", "AOR") else some))
    try:
        return Problem(made, collective, draw(tiny_rules(combining)))
    except InputError:
        assume(False)
        raise


@cache
@st.composite
def tiny_slots(draw: st.DrawFn) -> Problem:
    """Draw a problem in the slots of tdm."""
    untimed = draw(tiny_problems(tuple(sorted({*PRIVATE, *BROADCAST, "AOR", "AAR"})), (False,)))
    wrap = untimed.pattern == "private" and draw(BOOLEANS)
    rules = Rules(
        "tdm",
        untimed.rules.ports,
        untimed.rules.duplex,
        untimed.rules.routing,
        router_delay=draw(integers(1, 2)),
        link_delay=draw(integers(0, 1)),
        packet_slots=draw(integers(1, 2)),
        wrap=wrap,
    )
    return Problem(untimed.network, untimed.collective, rules)


GRIDS = tuple(map(network, ("mesh:2x2", "torus:2x2", "mesh:1x4", "mesh:2x3", "torus:1x4")))
RESTRICTED_RULES = st.builds(
    Rules,
    ports=st.sampled_from(("all", 1)),
    duplex=st.sampled_from(["full", "half"]),
    routing=st.sampled_from(RESTRICTED),
)


@cache
@st.composite
def restricted_problems(draw: st.DrawFn, kinds: tuple[str, ...]) -> Problem:
    """Draw a wormhole problem on a small mesh or torus, perhaps with a fault, under restricted routing."""
    made = draw(some_of(GRIDS))
    ends = draw(some_of((None, *sorted({(min(ends), max(ends)) for ends in made.channels.tolist()}))))
    if ends is not None:
        made = made.without(links=[ends])
    size = made.num_processors
    kind = draw(some_of(kinds))
    some = tiny_lists(size, 3)
    everyone = tuple(range(size))
    senders = everyone if kind == "AAB" else draw(some)
    receivers = draw(some) if kind in ("MNB", "MNS") else everyone
    collective = Collective(kind, senders[:1] if kind == "OAB" else senders, receivers)
    try:
        return Problem(made, collective, draw(RESTRICTED_RULES))
    except InputError:
        assume(False)
        raise


@cache
@st.composite
def tiny_problems_in_pieces(
    draw: st.DrawFn, kinds: tuple[str, ...] = tuple(sorted(PATTERN_OF)), combining: tuple[bool, ...] = (False,)
) -> Problem:
    """Draw a problem whose messages are cut into pieces, and whose channels carry several, or some of that."""
    whole = draw(tiny_problems(kinds, combining))
    made = draw(networks_with_capacities(whole.network, most=2)) if draw(BOOLEANS) else whole.network
    collective = draw(collectives_in_pieces(whole.collective, most=2))
    try:
        return Problem(made, collective, whole.rules)
    except InputError:
        assume(False)
        raise
