"""Pushing in keeps its tables right, stays within the steps there are, and pushes out what weighs least."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.kernels.path_ejection import (
    BARRED,
    BLOCK,
    MARK_BITS,
    NUM_MARKS,
    EjectionLanes,
    EjectionLimits,
    Occupancy,
    insert_with_ejection,
)
from pavane.solvers.large_scatter.kernels.shortest_paths import Messages, ScatterFabric

BOTH = pytest.mark.parametrize(
    "kernel", [insert_with_ejection, compiled(insert_with_ejection)], ids=["plain", "compiled"]
)


class Table:
    """What the kernel is given, made in the plainest way: all messages outside, every processor with its own ports."""

    def __init__(self, text: str, num_steps: int, ports: int = 1, most_capacity: int = 1) -> None:
        net = network(text)
        if most_capacity > 1:
            capacities = 1 + np.arange(net.num_channels) % most_capacity
            net = Network(net.name, net.routers, net.channels, net.router_of, capacities=capacities)
        self.problem = problem = Problem(net, alltoall(net), Rules(ports=ports))
        self.num_steps, self.size = num_steps, problem.num_messages
        self.sources, self.targets = (net.router_of[problem.labels[:, side]] for side in (0, 1))
        self.offsets = np.concatenate(([0], np.cumsum(net.distances[self.sources, self.targets].astype(np.int64))))
        self.ports = (problem.labels + np.array([0, net.num_processors])).astype(np.int32)
        self.capacity = np.concatenate((problem.injection, problem.ejection)).astype(np.int32)
        self.first_lane = np.concatenate(([0], np.cumsum(self.capacity)[:-1])).astype(np.int32)
        tails, heads = np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads)
        wiring = Wiring(tails, heads, *net.outgoing, *net.incoming)
        # Of the types that solvers pass: for others the kernel would be compiled once more.
        each = None if net.capacities is None else net.capacities.copy()
        self.fabric = ScatterFabric(wiring, net.distances, problem.units, each)
        self.paths = np.zeros(int(self.offsets[-1]), dtype=np.int32)
        self.step_of = np.full(self.size, -1, dtype=np.int32)
        self.first_port_row = int(net.capacity.sum())
        self.unit_row = (np.cumsum(net.capacity) - net.capacity).astype(np.int32)
        rows = self.first_port_row + int(self.capacity.sum())
        self.occupant = np.full((rows, BLOCK * -(-num_steps // BLOCK)), -1, dtype=np.int32)
        self.cells = np.zeros_like(self.occupant)
        self.cells[:, num_steps:] = BARRED
        self.weights = np.ones(self.size, dtype=np.int32)
        self.only = np.full(self.size, -1, dtype=np.int32)
        self.unplaced = np.arange(self.size, dtype=np.int32)
        self.num_unplaced = self.size
        self.loads = np.bincount(self.problem.units[self.paths], minlength=net.num_channels)
        self.most_load = 2**31 - 1
        self.rng = np.random.default_rng(3)

    def lanes(self) -> EjectionLanes:
        """Return the lanes of units and ports."""
        capacities = self.problem.network.capacities
        port_row = (self.first_port_row + self.first_lane).astype(np.int32)
        if capacities is None:
            return EjectionLanes(port_row, self.capacity)
        return EjectionLanes(
            port_row, self.capacity, self.unit_row, capacities.copy()
        )  # of the type that solvers hand over

    def run(self, kernel: Callable[..., Any], moves: int, most_cells: int = 2**62) -> int:
        """Make moves; return how many were made."""
        made, _, self.num_unplaced = kernel(
            self.fabric,
            Messages(self.sources, self.targets, self.offsets, self.ports),
            self.lanes(),
            Occupancy(
                self.occupant, self.cells, self.paths, self.step_of, self.only, self.weights, self.unplaced, self.loads
            ),
            self.num_unplaced,
            EjectionLimits(moves, most_cells, self.most_load),
            self.rng,
        )
        return int(made)

    def check(self) -> None:
        """Count who is where anew, from steps and paths alone, and compare with the tables."""
        inside = np.flatnonzero(self.step_of >= 0)
        assert sorted(self.unplaced[: self.num_unplaced].tolist()) == np.flatnonzero(self.step_of < 0).tolist()
        assert self.step_of.max() < self.num_steps
        net = self.problem.network
        expected: dict[tuple[int, int], list[int]] = {}
        ports = np.zeros((len(self.capacity), self.num_steps), dtype=np.int64)
        for message in inside.tolist():
            path = self.paths[self.offsets[message] : self.offsets[message + 1]]
            ends = [self.sources[message], *net.heads[path]]
            assert ends[:-1] == net.tails[path].tolist()
            assert ends[-1] == self.targets[message]
            for channel in path.tolist():
                there = expected.setdefault((int(self.problem.units[channel]), int(self.step_of[message])), [])
                there.append(message)
                assert len(there) <= net.capacity[channel]
            for port in self.ports[message]:
                ports[port, self.step_of[message]] += 1
        assert (ports <= self.capacity[:, None]).all()
        unit_of_row = np.repeat(np.arange(net.num_channels), net.capacity)
        found: dict[tuple[int, int], list[int]] = {}
        for row, step in np.argwhere(self.occupant[: self.first_port_row] >= 0):
            found.setdefault((int(unit_of_row[row]), int(step)), []).append(int(self.occupant[row, step]))
        assert {cell: sorted(messages) for cell, messages in found.items()} == expected
        lanes = self.occupant[self.first_port_row :, : self.num_steps] >= 0
        assert (np.add.reduceat(lanes, self.first_lane, axis=0) == ports).all()
        taken = self.occupant >= 0
        whom = self.occupant[taken]
        assert (self.cells[taken] == (self.weights[whom] << MARK_BITS) + 1 + whom % NUM_MARKS).all()
        assert (self.cells[:, : self.num_steps][~taken[:, : self.num_steps]] == 0).all()


@BOTH
@pytest.mark.parametrize(
    ("text", "num_steps", "ports"), [("mesh:3x3", 9, 1), ("kautz:2,2", 7, 2), ("fat-tree:4", 15, 1)]
)
def test_the_tables_stay_right(kernel: Callable[..., Any], text: str, num_steps: int, ports: int) -> None:
    """After any number of moves steps, paths and tables agree, no unit is used twice and no step is beyond the last."""
    table = Table(text, num_steps, ports)
    for moves in (1, 5, 50, 300):
        table.run(kernel, moves)
        table.check()


@pytest.mark.parametrize(
    "kernel", [insert_with_ejection, compiled(insert_with_ejection, "capacities")], ids=["plain", "compiled"]
)
@pytest.mark.parametrize(("text", "num_steps", "ports"), [("mesh:3x3", 6, 2), ("ring:8", 5, 9)])
def test_capacities_are_kept(kernel: Callable[..., Any], text: str, num_steps: int, ports: int) -> None:
    """Where units have several lanes no lane is taken twice, and what is taken out leaves its own."""
    table = Table(text, num_steps, ports, most_capacity=3)
    for moves in (1, 5, 50, 300):
        table.run(kernel, moves)
        table.check()


@pytest.mark.parametrize(("num_steps", "ports", "most_capacity"), [(9, 1, 1), (4, 2, 3)])
def test_compiled_and_plain_agree(num_steps: int, ports: int, most_capacity: int) -> None:
    """Machine code makes the same moves as the plain function, where units have several lanes, too."""
    plain, fast = (Table("petersen", num_steps, ports, most_capacity) for _ in range(2))
    plain.run(insert_with_ejection, 200)
    fast.run(compiled(insert_with_ejection, "capacities" if most_capacity > 1 else ""), 200)
    for name in ("step_of", "paths", "weights"):
        assert (getattr(plain, name) == getattr(fast, name)).all(), name


@BOTH
def test_cells_are_counted(kernel: Callable[..., Any]) -> None:
    """A call ends after the move that brings the cells looked at to the limit."""
    table = Table("mesh:3x3", 9)
    assert table.run(kernel, 100, most_cells=1) == 1


@BOTH
def test_only_one_step(kernel: Callable[..., Any]) -> None:
    """A message with a step of its own is put there or stays outside."""
    table = Table("fat-tree:4", 15)
    labels = table.problem.labels
    table.only[:] = (labels[:, 1] - labels[:, 0]) % 16 - 1
    table.run(kernel, 400)
    inside = table.step_of >= 0
    assert inside.any()
    assert (table.step_of[inside] == table.only[inside]).all()
    table.check()


@BOTH
def test_the_lightest_is_pushed_out(kernel: Callable[..., Any]) -> None:
    """Where no step is free, the message goes where the lightest one stands, and becomes heavier."""
    table = Table("star:4", 2)
    heavy, light, last = np.flatnonzero(table.problem.labels[:, 0] == 0).tolist()
    table.weights[[heavy, light]] = 50, 7
    for message in (heavy, light, last):
        table.unplaced[0], table.num_unplaced = message, 1
        table.run(kernel, 1)
    assert table.unplaced[: table.num_unplaced].tolist() == [light]
    assert table.step_of[heavy] != table.step_of[last]
    assert table.weights[[heavy, light, last]].tolist() == [50, 7, 2]


@pytest.mark.parametrize(
    ("kernel", "most_capacity"),
    [
        (insert_with_ejection, 1),
        (compiled(insert_with_ejection), 1),
        (insert_with_ejection, 3),
        (compiled(insert_with_ejection, "capacities"), 3),
    ],
)
def test_no_load_exceeds_the_cap(kernel: Callable[..., Any], most_capacity: int) -> None:
    """Once loads are within the cap they stay there; and loads are those of the paths, whoever is inside."""
    table = Table("mesh:3x3", 12, 4, most_capacity)
    net, capacity = table.problem.network, table.problem.network.capacity
    table.run(kernel, 2000)
    table.loads[:] = np.bincount(table.problem.units[table.paths], minlength=net.num_channels)
    table.most_load = int((-(-table.loads // capacity)).max())
    for _ in range(4):
        table.step_of[:], table.occupant[:], table.cells[:, : table.num_steps] = -1, -1, 0
        table.unplaced[:], table.num_unplaced = np.arange(table.size), table.size
        table.run(kernel, 150)
        table.check()
        loads = np.bincount(table.problem.units[table.paths], minlength=net.num_channels)
        assert (loads == table.loads).all()
        assert (-(-loads // capacity) <= table.most_load).all()
