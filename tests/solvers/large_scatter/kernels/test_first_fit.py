"""First fit finds the first step in which some shortest path is free, and keeps its tables right."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest

from pavane.jit import compiled
from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.kernels.first_fit import WORDS, FirstFitRoutes, FirstFitTable, fit_first
from pavane.solvers.large_scatter.kernels.shortest_paths import Messages, ScatterFabric
from tests.strategies import channel_graph

NO_LIMIT = 2**31 - 1
WITH_CAPACITIES = " with capacities"


@dataclass
class Table:
    """What the kernel is given, made in the plainest way: every processor has its own two ports."""

    problem: Problem
    num_words: int = WORDS

    def __post_init__(self) -> None:
        net, labels = self.problem.network, self.problem.labels
        self.sources, self.targets = (net.router_of[labels[:, side]] for side in (0, 1))
        self.lengths = net.distances[self.sources, self.targets].astype(np.int64)
        self.offsets = np.concatenate(([0], np.cumsum(self.lengths)))
        self.ports = (labels + np.array([0, net.num_processors])).astype(np.int32)
        self.capacity = np.concatenate((self.problem.injection, self.problem.ejection)).astype(np.int32)
        tails, heads = np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads)
        wiring = Wiring(tails, heads, *net.outgoing, *net.incoming)
        capacities = None if net.capacities is None else net.capacities.copy()  # of the type that solvers hand over
        self.fabric = ScatterFabric(wiring, net.distances, self.problem.units, capacities)
        size = self.problem.num_messages
        self.prices = np.exp2(0.5 * np.minimum(np.arange(size + 1), 100))
        self.paths = np.zeros(int(self.offsets[-1]), dtype=np.int32)
        self.is_routed = np.zeros(size, dtype=bool)
        self.loads = np.zeros(net.num_channels, dtype=np.int32)
        self.full = np.zeros((net.num_channels + len(self.capacity), self.num_words), dtype=np.uint64)
        self.port_loads = np.zeros((len(self.capacity), 64 * self.num_words), dtype=np.int32)
        self.step_of = np.full(size, -1, dtype=np.int32)
        is_counted = net.capacities is not None
        self.unit_loads = np.zeros((net.num_channels, 64 * self.num_words), dtype=np.int32) if is_counted else None

    def run(
        self, kernel: Callable[..., int], order: npt.NDArray[np.integer], most_load: int = NO_LIMIT, plan: bool = False
    ) -> int:
        """Call the kernel on a whole order, to plan paths or to place messages."""
        return kernel(
            order.astype(np.int64),
            self.fabric,
            Messages(self.sources, self.targets, self.offsets, self.ports),
            FirstFitRoutes(self.paths, self.is_routed, self.loads),
            FirstFitTable(
                self.full[:, :0].copy() if plan else self.full,
                self.port_loads,
                self.capacity,
                self.step_of,
                self.unit_loads,
            ),
            self.prices,
            most_load,
        )

    def path(self, message: int) -> list[int]:
        """Return the channels of a message's path."""
        path: list[int] = self.paths[self.offsets[message] : self.offsets[message + 1]].tolist()
        return path


def table(text: str, ports: int | Literal["all"] = "all", duplex: Literal["full", "half"] = "full") -> Table:
    """Return the table of an all-to-all scatter; where the text ends so, with capacities, the same both ways."""
    made = network(text.removesuffix(WITH_CAPACITIES))
    if text.endswith(WITH_CAPACITIES):
        capacities = 1 + np.minimum(made.tails, made.heads) % 3
        made = Network(made.name, made.routers, made.channels, made.router_of, capacities=capacities)
    return Table(Problem(made, alltoall(made), Rules(ports=ports, duplex=duplex)))


VARIANTS = [
    *[("ring:6", "all", "full"), ("kautz:2,2", 1, "full"), ("mesh:3x3", 2, "half"), ("fat-octagon:2", "all", "half")],
    *[("dgx-1", 3, "full"), ("mesh:3x3 with capacities", "all", "full"), ("hypercube:3 with capacities", 2, "half")],
]
each_variant = pytest.mark.parametrize(("text", "ports", "duplex"), VARIANTS, ids=[v[0] for v in VARIANTS])


@each_variant
def test_compiled_equals_uncompiled(text: str, ports: int | Literal["all"], duplex: Literal["full", "half"]) -> None:
    """Machine code and plain Python plan the same paths and find the same steps."""
    plain, machine = table(text, ports, duplex), table(text, ports, duplex)
    order = np.random.default_rng(7).permutation(plain.problem.num_messages)
    variant = "" if plain.unit_loads is None else "capacities"
    for one, kernel in ((plain, fit_first), (machine, compiled(fit_first, variant))):
        one.run(kernel, order[::-1], plan=True)
        assert one.run(kernel, order, most_load=int(one.loads.max())) == len(order)
    for name in ("paths", "step_of", "loads", "full", "port_loads"):
        assert np.array_equal(getattr(plain, name), getattr(machine, name)), name


@each_variant
def test_tables_equal_a_recount(text: str, ports: int | Literal["all"], duplex: Literal["full", "half"]) -> None:
    """After planning and placing twice, loads and full steps are what the paths and steps say, and never too much."""
    one = table(text, ports, duplex)
    rng = np.random.default_rng(3)
    size, num_units = one.problem.num_messages, one.problem.network.num_channels
    one.run(fit_first, rng.permutation(size), plan=True)
    for _ in range(2):
        one.full[:] = 0
        one.port_loads[:] = 0
        if one.unit_loads is not None:
            one.unit_loads[:] = 0
        one.run(fit_first, rng.permutation(size))
    used = np.zeros((len(one.full), 64 * one.num_words), dtype=np.int64)
    for message in range(size):
        for channel in one.path(message):
            used[one.problem.units[channel], one.step_of[message]] += 1
        for port in one.ports[message].tolist():
            used[num_units + port, one.step_of[message]] += 1
    capacity = np.concatenate((one.problem.network.capacity.astype(np.int64), one.capacity.astype(np.int64)))
    assert (used <= capacity[:, None]).all()
    bits = np.unpackbits(one.full.view(np.uint8), axis=1, bitorder="little").astype(bool)
    assert np.array_equal(bits, used >= capacity[:, None])
    assert np.array_equal(one.loads, used[:num_units].sum(axis=1))
    assert np.array_equal(one.port_loads, used[num_units:])
    assert one.unit_loads is None or np.array_equal(one.unit_loads, used[:num_units])


@pytest.mark.parametrize("text", ["mesh:3x3", "hypercube:3", "fat-octagon:2", "dgx-1"])
def test_finds_the_first_free_step_of_all_paths(text: str) -> None:
    """No step before the one found has a free shortest path, even where steps are full at random."""
    rng = np.random.default_rng(11)
    one = table(text)
    graph = channel_graph(one.problem.network)
    found_late = 0
    for message in rng.permutation(one.problem.num_messages)[:40].tolist():
        # Nine steps of ten are full, so that the first free one is often beyond the first block of words.
        taken = rng.random((len(one.full), 64 * one.num_words)) < 0.9
        one.full[:] = np.packbits(taken, axis=1, bitorder="little").view(np.uint64)
        one.port_loads[:] = 0
        start, end = int(one.sources[message]), int(one.targets[message])
        walks = nx.all_simple_edge_paths(graph, start, end, cutoff=int(one.lengths[message])) if start != end else [[]]
        ports = (one.ports[message] + len(one.loads)).tolist()
        rows = [[one.problem.units[c] for _, _, c in walk] + ports for walk in walks]
        free = np.any([~taken[row].any(axis=0) for row in rows], axis=0)
        one.is_routed[:] = False
        reached = one.run(fit_first, np.array([message]))
        if not free.any():
            assert reached == 0
            continue
        assert reached == 1
        step = int(free.argmax())
        assert one.step_of[message] == step
        found_late += step >= 64
        mine = [one.problem.units[c] for c in one.path(message)] + ports
        assert not taken[mine, step].any()
        assert sorted(mine) in [sorted(row) for row in rows]
    assert found_late > 0


def test_without_enough_steps_nothing_changes() -> None:
    """Where no step is left the kernel says at which message, and leaves the loads as they were."""
    one = table("ring:4")
    one.run(fit_first, np.arange(one.problem.num_messages), plan=True)
    loads = one.loads.copy()
    one.full[:] = np.uint64(2**64 - 1)
    assert one.run(fit_first, np.arange(5)) == 0
    assert np.array_equal(one.loads, loads)
