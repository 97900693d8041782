"""Problems small enough to try everything: at most 4 routers, 4 processors and 6 channels; grids have a few more."""

from __future__ import annotations

from collections.abc import Sequence
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
from tests.strategies import collectives_in_pieces, networks_with_capacities

PRIVATE = tuple(sorted(kind for kind, pattern in PATTERN_OF.items() if pattern == "private"))
BROADCAST = tuple(sorted(kind for kind, pattern in PATTERN_OF.items() if pattern == "broadcast"))


@st.composite
def tiny_networks(draw: st.DrawFn) -> Network:
    """Draw a network with one-way and parallel channels, fat routers and pure switches, perhaps in pieces."""
    num_routers = draw(st.sampled_from([3, 2, 4, 1]))
    channels: list[tuple[int, int]] = []
    if num_routers > 1:
        around = [(r, (r + 1) % num_routers) for r in range(num_routers)]
        along = [end for r in range(num_routers - 1) for end in ((r, r + 1), (r + 1, r))]
        channels += draw(st.sampled_from([around, along, []]))
        channel = st.sampled_from(list(permutations(range(num_routers), 2)))
        channels += draw(st.lists(channel, max_size=6 - len(channels)))
    router_of = draw(st.lists(st.integers(0, num_routers - 1), min_size=2, max_size=4))
    return Network("tiny", num_routers, channels, router_of)


@st.composite
def tiny_problems(
    draw: st.DrawFn, kinds: Sequence[str] = tuple(sorted(PATTERN_OF)), combining: Sequence[bool] = (False, True)
) -> Problem:
    """Draw a problem that is not refused, under any rules."""
    made = draw(tiny_networks())
    size = made.num_processors
    kind = draw(st.sampled_from(kinds))
    member = st.integers(0, size - 1)
    some = st.lists(member, min_size=1, unique=True).map(tuple)
    alone = member.map(lambda processor: (processor,))
    if kind == "PAIRS":
        pair = st.sampled_from(list(permutations(range(size), 2)))
        collective = Collective(kind, pairs=tuple(draw(st.lists(pair, min_size=1, max_size=5, unique=True))))
    elif kind == "ALLREDUCE":
        members = draw(some)
        collective = Collective(kind, members, members[: draw(st.integers(1, 3))])
    elif kind in ("AAB", "AAS", "AAR"):
        collective = Collective(kind, tuple(range(size)), tuple(range(size)))
    else:
        senders = draw(alone if kind in ("OAB", "OAS") else some)
        collective = Collective(kind, senders, draw(alone if kind in ("AOG", "AOR") else some))
    ports: list[int | Literal["all"]] = ["all", 1, 2]
    rules = st.builds(
        Rules,
        switching=st.sampled_from(["wormhole", "store-and-forward"]),
        ports=st.sampled_from(ports),
        duplex=st.sampled_from(["full", "half"]),
        routing=st.sampled_from(["minimal", "any"]),
        combining=st.sampled_from(combining),
    )
    try:
        return Problem(made, collective, draw(rules))
    except InputError:
        assume(False)
        raise


@st.composite
def restricted_problems(draw: st.DrawFn, kinds: Sequence[str]) -> Problem:
    """Draw a wormhole problem on a small mesh or torus, perhaps with a fault, under restricted routing."""
    made = network(draw(st.sampled_from(["mesh:2x2", "torus:2x2", "mesh:1x4", "mesh:2x3", "torus:1x4"])))
    ends = draw(st.sampled_from([None, *sorted({(min(ends), max(ends)) for ends in made.channels.tolist()})]))
    if ends is not None:
        made = made.without(links=[ends])
    size = made.num_processors
    kind = draw(st.sampled_from(kinds))
    some = st.lists(st.integers(0, size - 1), min_size=1, max_size=3, unique=True).map(tuple)
    everyone = tuple(range(size))
    senders = everyone if kind == "AAB" else draw(some)
    receivers = draw(some) if kind in ("MNB", "MNS") else everyone
    collective = Collective(kind, senders[:1] if kind == "OAB" else senders, receivers)
    ports: list[int | Literal["all"]] = ["all", 1]
    rules = st.builds(
        Rules,
        ports=st.sampled_from(ports),
        duplex=st.sampled_from(["full", "half"]),
        routing=st.sampled_from(RESTRICTED),
    )
    try:
        return Problem(made, collective, draw(rules))
    except InputError:
        assume(False)
        raise


@st.composite
def tiny_problems_in_pieces(
    draw: st.DrawFn, kinds: Sequence[str] = tuple(sorted(PATTERN_OF)), combining: Sequence[bool] = (False,)
) -> Problem:
    """Draw a problem whose messages are cut into pieces, and whose channels carry several, or some of that."""
    whole = draw(tiny_problems(kinds, combining))
    made = draw(st.one_of(st.just(whole.network), networks_with_capacities(whole.network, most=2)))
    collective = draw(collectives_in_pieces(whole.collective, most=2))
    try:
        return Problem(made, collective, whole.rules)
    except InputError:
        assume(False)
        raise
