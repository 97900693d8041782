"""Random small problems: of any kind, under any rules, on any kind of network.

Problem number n of a seed is the same everywhere, so what goes wrong with one can be repeated.
"""

from __future__ import annotations

import random
from dataclasses import replace

from pavane.errors import InputError
from pavane.model.messages import PATTERN_OF, Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Routing, Rules, Switching
from pavane.networks import network

NAMED = """
ring:3 ring:4 ring:5 ring:6 ring:8 ring:4,oneway ring:5,oneway line:2 line:3 line:4 line:5 star:3 star:4 star:5
complete:3 complete:4 complete:5 hypercube:2 hypercube:3 folded-hypercube:2 octagon kautz:2,2 kautz:3,2 de-bruijn:2,2
de-bruijn:2,3 utility petersen spidergon:6 twisted-ladder:4 hierarchical-rings:3,2 fat-octagon:2 bridged-octagons:2
coated-mesh:2x2 random-regular:6,3,1 random-regular:8,3,2 dgx-1 fat-tree:2 ring:3*2 line:3*2 star:4*2 ring:4*2
"""

GRIDS = "mesh:2x2 mesh:2x3 mesh:3x2 mesh:3x3 mesh:2x4 mesh:2x2x2 torus:2x2 torus:2x3 torus:3x3 mesh:2x2*2"

RESTRICTED: list[Routing] = ["dimension-order", "west-first", "north-last"]

SMALL = "ring:3 ring:4 ring:4,oneway line:2 line:3 line:4 star:3 star:4 complete:3 complete:4 ring:3*2 line:3*2"

MOST_PACKETS, MOST_COPIES = 12, 6
"""Private messages, and copies of broadcast messages, of a tdm problem whose shortest period is searched."""

SMALL_GRIDS = "mesh:2x2 mesh:2x3 torus:2x2"


def drawn_problem(seed: int, number: int, *, is_small: bool = False) -> Problem:
    """Return problem number n of a seed: of any kind, under any rules, on any kind of network; never a refused one.

    Small ones are on networks of up to five routers or so, where the true optimum is soon found.
    """
    rng = random.Random(f"{seed}/{number}" + "/small" * is_small)
    while True:
        try:
            where, is_grid = _small_network(rng) if is_small else _network(rng)
            problem = Problem(where, drawn_collective(rng, where.num_processors), _rules(rng, is_grid))
            return problem if number % 2 else _in_pieces(rng, problem)
        except InputError:
            continue


def drawn_slots(seed: int, number: int) -> Problem:
    """Return tdm problem number n of a seed, small enough that its shortest period is often found; never a refused one.

    Tables that repeat have private messages only, and no table has an allreduce.
    """
    rng = random.Random(f"{seed}/{number}/slots")
    while True:
        drawn = drawn_problem(seed, rng.randrange(2**40), is_small=True)
        is_private = drawn.pattern == "private"
        if drawn.num_deliveries > (MOST_PACKETS if is_private else MOST_COPIES):
            continue
        given = drawn.rules
        rules = Rules(
            "tdm",
            given.ports,
            given.duplex,
            given.routing,
            router_delay=rng.choice((1, 1, 2, 3)),
            link_delay=rng.choice((0, 0, 1, 2)),
            packet_slots=rng.choice((1, 1, 2, 3)),
            wrap=is_private and rng.random() < 0.7,
        )
        try:
            return Problem(drawn.network, drawn.collective, rules)
        except InputError:
            continue


def drawn_trees(seed: int, number: int) -> Problem:
    """Return problem number n of a seed whose routers copy and add: mostly small; never a refused one.

    Half of them have pure switches that copy, one by one or joined; in the others all routers do.
    """
    rng = random.Random(f"{seed}/{number}/trees")
    while True:
        drawn = drawn_problem(seed, rng.randrange(2**40), is_small=number % 20 != 0)
        given, collective = drawn.rules, drawn.collective
        is_routing_free = given.routing in ("minimal", "any")
        switching: Switching = rng.choice(("wormhole", "store-and-forward", "store-and-forward"))
        is_multicast = switching == "wormhole" and rng.random() < 0.7
        rules = Rules(
            switching,
            given.ports,
            given.duplex,
            given.routing if is_routing_free else "minimal",
            switches="hold" if is_multicast else "copy",
            multicast=is_multicast,
        )
        where = drawn.network if is_multicast or rng.random() < 0.5 else _switched(rng)
        try:
            if where is not drawn.network:
                collective = drawn_collective(rng, where.num_processors)
                collective = replace(collective, pieces=rng.choice((1, 1, 2)))
            problem = Problem(where, collective, rules)
        except InputError:
            continue
        if problem.has_trees:
            return problem


def _switched(rng: random.Random) -> Network:
    """Return two to four routers with a processor on one to three switches, perhaps joined, perhaps of capacity 2."""
    num_homes, num_switches = rng.randint(2, 4), rng.choice((1, 1, 2, 2, 3))
    links = {(home, num_homes + rng.randrange(num_switches)) for home in range(num_homes) for _ in range(2)}
    switches = range(num_homes, num_homes + num_switches)
    links |= {(one, one + 1) for one in switches[:-1] if rng.random() < 0.3}
    links |= {(0, 1)} if rng.random() < 0.1 else set()
    channels = [way for one, other in sorted(links) for way in ((one, other), (other, one))]
    capacities = [capacity for _ in links for capacity in [rng.choice((1, 1, 2))] * 2]
    return Network("switched", num_homes + num_switches, channels, range(num_homes), capacities=capacities)


def _in_pieces(rng: random.Random, problem: Problem) -> Problem:
    """Return the problem with pieces, sizes or capacities, or two or three of them."""
    network, collective = problem.network, problem.collective
    if rng.random() < 0.6:
        collective = replace(collective, pieces=rng.choice((2, 2, 3, 4)))
    if rng.random() < 0.4:
        ends = [tuple(row) for row in problem.distinct_ends.tolist()]
        some = rng.sample(ends, rng.randint(1, len(ends)))
        collective = replace(collective, sizes=tuple((*end, rng.choice((0, 1, 2, 2, 3))) for end in some))
    if rng.random() < 0.5:
        # Half duplex wants both ways of a link alike.
        is_even = problem.rules.duplex == "half" or rng.random() < 0.5
        ends_of = [tuple(sorted(ends) if is_even else ends) for ends in network.channels.tolist()]
        carried = {ends: rng.choice((1, 1, 2, 3, 5)) for ends in sorted(set(ends_of))}
        network = replaced(network, [carried[ends] for ends in ends_of])
    return Problem(network, collective, problem.rules)


def replaced(network: Network, capacities: list[int]) -> Network:
    """Return a network with other capacities."""
    about = (network.name, network.routers, network.channels, network.router_of, network.positions, network.grid)
    return Network(*about, capacities=capacities)


def _network(rng: random.Random) -> tuple[Network, bool]:
    """Return a network from the catalogue or a random one, perhaps with faults, and whether it is a grid."""
    kind = rng.choice(("named", "grid", "random", "random"))
    where = (
        _random_network(rng) if kind == "random" else network(rng.choice((NAMED if kind == "named" else GRIDS).split()))
    )
    if rng.random() < 0.25 and where.num_channels > 2:
        some = [int(c) for c in rng.sample(range(where.num_channels), rng.choice((1, 1, 2)))]
        where = where.without(channels=some)
    if rng.random() < 0.1:
        where = where.reversed()
    return where, kind == "grid"


def _small_network(rng: random.Random) -> tuple[Network, bool]:
    """Return a small network, perhaps with a fault, and whether it is a grid."""
    is_grid = rng.random() < 0.1
    if is_grid or rng.random() < 0.4:
        where = network(rng.choice((SMALL_GRIDS if is_grid else SMALL).split()))
    else:
        where = _random_network(rng, 5)
    if rng.random() < 0.15 and where.num_channels > 2:
        where = where.without(channels=[rng.randrange(where.num_channels)])
    return where, is_grid


def _random_network(rng: random.Random, most: int = 7) -> Network:
    """Return a connected network or one in pieces, with one-way and parallel channels, fat routers, pure switches."""
    size = rng.randint(1, most)
    channels: list[tuple[int, int]] = []
    shape = rng.choice(("tree", "ring", "one-way ring", "nothing"))
    for r in range(1, size):
        other = rng.randrange(r) if shape == "tree" else r - 1
        if shape != "nothing":
            channels += [(other, r)] if shape == "one-way ring" else [(other, r), (r, other)]
    if shape in ("ring", "one-way ring") and size > 2:
        channels += [(size - 1, 0)] if shape == "one-way ring" else [(size - 1, 0), (0, size - 1)]
    for _ in range(rng.randint(0, 5) if size > 1 else 0):
        tail, head = rng.sample(range(size), 2)
        channels += [(tail, head)] if rng.random() < 0.5 else [(tail, head), (head, tail)]
    rng.shuffle(channels)
    each = [rng.choice((0, 1, 1, 1, 1, 2)) for _ in range(size)]
    homes = [router for router, many in enumerate(each) for _ in range(many)]
    return Network("drawn", size, channels, homes)


def drawn_collective(rng: random.Random, size: int) -> Collective:
    """Return a collective of any kind, over everybody or over some."""
    if size < 2:
        raise InputError("no two members")
    kind = rng.choice(sorted(PATTERN_OF))
    everyone = tuple(range(size))
    if kind == "PAIRS":
        ends = [(a, b) for a in everyone for b in everyone if a != b]
        return Collective(kind, pairs=tuple(rng.sample(ends, rng.randint(1, min(len(ends), 8)))))
    senders, receivers = (
        everyone if rng.random() < 0.6 else tuple(rng.sample(everyone, rng.randint(1, size))) for _ in range(2)
    )
    if kind in ("OAB", "OAS"):
        senders = (rng.choice(everyone),)
    if kind in ("AOG", "AOR"):
        receivers = (rng.choice(everyone),)
    if kind == "ALLREDUCE":
        receivers = tuple(rng.sample(senders, rng.choice((1, len(senders)))))
    return Collective(kind, senders, receivers)


def _rules(rng: random.Random, is_grid: bool) -> Rules:
    free: list[Routing] = ["minimal", "any"]
    switching: Switching = rng.choice(("wormhole", "wormhole", "store-and-forward"))
    return Rules(
        switching=switching,
        switches="pass" if switching == "store-and-forward" and rng.random() < 0.5 else "hold",
        ports=rng.choice(("all", "all", 1, 1, 2, 3)),
        duplex=rng.choice(("full", "full", "half")),
        routing=rng.choice(RESTRICTED if is_grid and rng.random() < 0.4 else free),
        combining=rng.random() < 0.2,
    )
