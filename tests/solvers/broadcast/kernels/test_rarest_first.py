"""Rarest-first kernels: largest matchings, rarest messages first, and the same compiled and uncompiled."""

from collections.abc import Callable
from dataclasses import dataclass, field

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest

from pavane.jit import compiled
from pavane.model.network import Network
from pavane.networks import network
from pavane.solvers.broadcast.kernels.rarest_first import (
    Bottlenecks,
    BroadcastWiring,
    Channels,
    LateArrivals,
    Locations,
    LogArrays,
    Ranking,
    StepRoom,
    StepState,
    Turn,
    match_neighbours,
    reach_farther,
    repair,
)

NEVER = 2**31 - 1
Longs = npt.NDArray[np.int64]


@dataclass
class Step:
    """What the kernels are given in step 0: locations are processors, each with ports for all channels unless said."""

    net: Network
    held: npt.NDArray[np.bool_]
    """held[location, message]: whether the location has the message."""
    ports: int = 1000
    arrived: npt.NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        net, num_locations = self.net, self.net.num_processors
        home = net.router_of.astype(np.int64)
        on, incoming = np.argsort(home, kind="stable"), np.argsort(net.heads, kind="stable")
        everyone = np.arange(net.num_routers + 1)
        self.wiring = BroadcastWiring(
            Locations(home, np.searchsorted(home[on], everyone), on),
            Channels(
                np.searchsorted(net.heads[incoming], everyone),
                incoming,
                net.tails.astype(np.int64),
                net.heads.astype(np.int64),
                np.arange(net.num_channels),
                np.zeros(net.num_channels, dtype=np.int64),
                int(net.in_degrees.max()),
            ),
            Bottlenecks(np.zeros(net.num_channels + 1, dtype=np.int64), np.zeros(0, dtype=np.int64)),
        )
        ports = np.full(num_locations, self.ports, dtype=np.int64)
        self.arrived = np.where(self.held, -1, NEVER).astype(np.int32)
        self.room = StepRoom(ports.copy(), ports.copy(), net.capacity.astype(np.int64))
        self.log = LogArrays(
            np.zeros((self.held.size, 4), dtype=np.int32),
            np.zeros(self.held.size + 1, dtype=np.int64),
            np.zeros(max(int(net.capacity.sum()), 1), dtype=np.int32),
        )

    @property
    def state(self) -> StepState:
        """Return what the kernels change."""
        return StepState(self.arrived, self.room, self.log, np.zeros((0, self.held.shape[1]), dtype=bool))

    def match(
        self, kernel: Callable[..., int], ranked: Longs, receivers: Longs, spins: npt.NDArray[np.float64]
    ) -> list[tuple[int, ...]]:
        """Match all receivers, each message in a group of its own, and return the transfers."""
        ranking = Ranking(ranked, np.arange(1, len(ranked) + 1))
        num = kernel(Turn(0, receivers, spins, False), ranking, self.wiring, self.state, 0)
        return [tuple(row) for row in self.log.transfers[:num, 1:].tolist()]

    def reach(self, kernel: Callable[..., int], ranked: Longs, receivers: Longs, minimal: bool) -> int:
        """Let all receivers reach farther, and return the number of transfers."""
        distances = self.net.distances if minimal else self.net.distances[:0, :0]
        turn = Turn(0, receivers, np.zeros(0), False)
        return kernel(turn, ranked, distances, self.wiring, self.state, 0)


@pytest.mark.parametrize("text", ["hypercube:3", "petersen", "kautz:3,2", "mesh:4x4", "complete:8"])
def test_matches_as_many_channels_as_can_be(text: str) -> None:
    """Each receiver gets as many messages as a maximum matching of its channels allows, and none that it has."""
    net = network(text)
    rng = np.random.default_rng(5)
    for _ in range(10):
        held = rng.random((net.num_processors, 12)) < 0.3
        step = Step(net, held)
        receivers = rng.permutation(net.num_processors)
        got = step.match(match_neighbours, rng.permutation(12), receivers, rng.random(len(receivers)))
        for receiver in range(net.num_processors):
            ways = nx.Graph()
            channels = net.in_channels[receiver]
            ways.add_nodes_from(channels)
            for channel in channels:
                fresh = np.flatnonzero(held[net.tails[channel]] & ~held[receiver])
                ways.add_edges_from((channel, ("message", int(message))) for message in fresh)
            largest = nx.bipartite.maximum_matching(ways, top_nodes=channels)
            mine = [message for _, location, message in got if location == receiver]
            assert len(mine) == len(set(mine)) == len(largest) // 2
            assert not held[receiver, mine].any()
        assert all(held[sender, message] for sender, _, message in got)


def test_the_rarest_come_first() -> None:
    """With one channel the first message in the ranking is taken, even where its holder has others."""
    pair = Network("pair", 2, [(0, 1)])
    held = np.array([[True, True, True], [False, True, False]])
    step = Step(pair, held)
    assert step.match(match_neighbours, np.array([1, 2, 0]), np.array([1]), np.zeros(1)) == [(0, 1, 2)]


def test_ports_are_kept() -> None:
    """With one port nobody sends or receives twice, even over augmenting paths and within a router."""
    net = network("fat-octagon:2")
    rng = np.random.default_rng(1)
    for _ in range(20):
        step = Step(net, rng.random((16, 8)) < 0.4, ports=1)
        got = step.match(match_neighbours, np.arange(8), rng.permutation(16), rng.random(16))
        for side in (0, 1):
            ends = [transfer[side] for transfer in got]
            assert len(ends) == len(set(ends))
        assert (step.room.inject >= 0).all()
        assert (step.room.eject >= 0).all()
        assert 16 - step.room.inject.sum() == len(got)


@pytest.mark.parametrize("kernel", [match_neighbours, compiled(match_neighbours)], ids=["plain", "compiled"])
def test_a_channel_carries_as_much_as_its_capacity(kernel: Callable[..., int]) -> None:
    """A channel of capacity 3 brings three messages in a step and none more, with one of capacity 1 beside it."""
    fork = Network("fork", 3, [(0, 2), (1, 2)], capacities=[3, 1])
    held = np.array([[True] * 6, [True] * 6, [False] * 6])
    step = Step(fork, held)
    got = step.match(kernel, np.arange(6), np.array([2]), np.array([0.5]))
    assert sorted(sender for sender, _, _ in got) == [0, 0, 0, 1]
    assert sorted(message for _, _, message in got) == [0, 1, 2, 3]
    assert step.room.carry.tolist() == [0, 0]


@pytest.mark.parametrize("minimal", [False, True])
def test_paths_from_afar(minimal: bool) -> None:
    """A message comes over several free channels; under minimal routing only if the free path is a shortest one."""
    ring = network("ring:6")
    held = np.zeros((6, 1), dtype=bool)
    held[0] = True
    step = Step(ring, held)
    taken = [c for c, ends in enumerate(ring.channels.tolist()) if ends == [1, 2]]
    step.room.carry[taken] = 0
    num = step.reach(reach_farther, np.array([0]), np.array([2]), minimal)
    assert num == (0 if minimal else 1)
    if not minimal:
        path = step.log.path_channels[: step.log.path_ends[1]]
        assert ring.channels[path].tolist() == [[0, 5], [5, 4], [4, 3], [3, 2]]
        assert not step.room.carry[path].any()


@pytest.mark.parametrize("kernel", [repair, compiled(repair)], ids=["plain", "compiled"])
@pytest.mark.parametrize("is_sent_on", [False, True])
def test_mending_exchanges_what_came_earlier(kernel: Callable[..., int], is_sent_on: bool) -> None:
    """A late message takes the place of one that can still come later, unless the receiver had sent that one on."""
    fork = Network("fork", 4, [(0, 2), (1, 2), (2, 3)])
    # Location 0 holds both messages, location 1 only message 0, which goes from 0 to 2 in step 0 and perhaps on to 3.
    step = Step(fork, np.array([[True, True], [True, False], [False, False], [False, False]]))
    rows = [(0, 0, 2, 0), (1, 2, 3, 0)][: 1 + is_sent_on]
    step.arrived[2, 0] = 0
    first_sent = np.full((4, 2), NEVER, dtype=np.int32)
    carry = np.ones((2, 3), dtype=np.int64)
    for number, (now, sender, _, message) in enumerate(rows):
        step.log.transfers[number] = rows[number]
        first_sent[sender, message] = min(first_sent[sender, message], now)
        step.log.path_ends[number + 1] = number + 1
        step.log.path_channels[number] = 2 * number
        carry[now, 2 * number] = 0
    carry[1, 0] = 0  # so that message 1 must come in step 0
    ports = np.full((2, 4), 9)
    mine, offsets = (np.array([0, 1]), np.array([0, 0, 0, 1, 2]))
    late = LateArrivals(np.array([[2, 1]]), mine[: len(rows)], np.minimum(offsets, len(rows)), first_sent)
    state = step.state._replace(room=StepRoom(ports, ports.copy(), carry))
    num = kernel(late, step.wiring, state, len(rows))
    assert num == len(rows) + 1
    assert step.log.transfers[0].tolist() == [0, 0, 2, 1]
    assert step.log.transfers[num - 1].tolist() == [0 if is_sent_on else 1, 1, 2, 0]
    assert step.log.path_channels[step.log.path_ends[num - 1]] == 1
    assert step.arrived[2].tolist() == [0 if is_sent_on else 1, 0]


@pytest.mark.parametrize("is_known", [False, True])
def test_what_is_new_to_a_bottleneck_comes_first(is_known: bool) -> None:
    """A receiver takes the rarer message, unless somebody else behind the same bottleneck has it already."""
    line = network("line:3")
    step = Step(line, np.array([[True, True], [False, False], [is_known, False]]))
    # Routers 1 and 2 are a set that only channel 0 > 1 leads into.
    into = np.flatnonzero((line.tails == 0) & (line.heads == 1))
    offsets = np.concatenate(([0], np.cumsum(np.isin(np.arange(line.num_channels), into)))).astype(np.int64)
    step.wiring = step.wiring._replace(bottlenecks=Bottlenecks(offsets, np.array([0])))
    state = step.state._replace(inside=np.array([[is_known, False]]))
    step.room.carry[(line.tails == 2) & (line.heads == 1)] = 0
    ranking = Ranking(np.array([0, 1]), np.array([1, 2]))
    num = match_neighbours(Turn(0, np.array([1]), np.zeros(1), False), ranking, step.wiring, state, 0)
    assert step.log.transfers[:num].tolist() == [[0, 0, 1, int(is_known)]]
    assert state.inside.tolist() == [[True, is_known]]


@pytest.mark.parametrize("text", ["petersen", "fat-octagon:2", "coated-mesh:4x4", "kautz:3,2"])
def test_compiled_equals_uncompiled(text: str) -> None:
    """Machine code decides as plain Python does."""
    net = network(text)
    for seed in range(5):
        outcomes = []
        for match, reach in ((match_neighbours, reach_farther), (compiled(match_neighbours), compiled(reach_farther))):
            rng = np.random.default_rng(seed)
            size = net.num_processors
            step = Step(net, rng.random((size, 10)) < 0.3, ports=2)
            ranked, receivers = rng.permutation(10), rng.permutation(size)
            got = step.match(match, ranked, receivers, rng.random(size))
            farther = Step(net, rng.random((size, 10)) < 0.1, ports=2)
            num = farther.reach(reach, ranked, receivers, minimal=seed % 2 == 0)
            outcomes.append((got, num, farther.log.transfers.tolist(), farther.log.path_channels.tolist()))
        assert outcomes[0] == outcomes[1]
