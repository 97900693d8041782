"""Filling along a plan keeps its tables right, takes planned paths alone, and leaves nothing that fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pavane.jit import compiled
from pavane.networks import network
from pavane.solvers.kernels.rerouting import MessagePaths
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.kernels.planned_step_lns import (
    NUM_IDLE,
    NUM_PROBES,
    PendingMessages,
    PlannedStep,
    PlannedStepOptions,
    UnitChannels,
    close_step,
    drop_scheduled,
    fill_planned_step,
    weigh_messages,
    weigh_pairs,
)
from pavane.solvers.large_scatter.kernels.shortest_paths import ScatterFabric

PLAIN = (weigh_messages, fill_planned_step, close_step)
MACHINE = tuple(compiled(kernel) for kernel in PLAIN)
BOTH = pytest.mark.parametrize("kernels", [PLAIN, MACHINE], ids=["plain", "compiled"])

Kernels = tuple[Callable[..., Any], ...]


class Table:
    """Some messages between any two routers, on paths drawn by lot; half duplex where links are the units."""

    def __init__(self, text: str, copies: int = 1, *, by_links: bool = False) -> None:
        self.net = net = network(text)
        size, self.rng = net.num_routers, np.random.default_rng(3)
        tails, heads = np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads)
        channels = net.channels.tolist()
        links = sorted({(min(pair), max(pair)) for pair in channels})
        unit_of = [links.index((min(pair), max(pair))) if by_links else at for at, pair in enumerate(channels)]
        self.unit_of = np.array(unit_of, dtype=np.int32)
        self.num_units = int(self.unit_of.max()) + 1
        self.fabric = ScatterFabric(Wiring(tails, heads, *net.outgoing, *net.incoming), net.distances, self.unit_of)
        order = np.argsort(self.unit_of, kind="stable").astype(np.int32)
        offsets = np.searchsorted(self.unit_of[order], np.arange(self.num_units + 1)).astype(np.int32)
        self.groups = UnitChannels(offsets, order)
        self.ends = [(s, t) for s in range(size) for t in range(size) if s != t for _ in range(copies)]
        drawn = [self.draw(source, target) for source, target in self.ends]
        lengths = np.array([len(path) for path in drawn])
        begins = np.concatenate(([0], np.cumsum(lengths)))
        count = len(drawn)
        self.paths = MessagePaths(
            np.zeros(count, dtype=np.int32), begins, lengths.astype(np.int32), np.concatenate(drawn).astype(np.int32)
        )
        first_of, next_of = np.full((size, size), -1, dtype=np.int32), np.full(count, -1, dtype=np.int32)
        for message, (source, target) in enumerate(self.ends):
            next_of[message], first_of[source, target] = first_of[source, target], message
        worths = np.zeros((size, size), dtype=np.float32), np.zeros(count, dtype=np.float32)
        self.pending = PendingMessages(first_of, next_of, *worths, 0)
        units = np.arange(self.num_units, dtype=np.int32)
        counts = np.array([self.num_units, 0, 0, 0])
        empty = np.full(self.num_units, -1, dtype=np.int32)
        self.step = PlannedStep(empty, np.zeros(count, dtype=bool), counts, units.copy(), units.copy())
        self.pending_messages = np.arange(count)
        self.loads = np.bincount(self.unit_of[self.paths.arcs], minlength=self.num_units)

    def draw(self, source: int, target: int) -> list[int]:
        """Draw a shortest path, hop by hop."""
        path: list[int] = []
        while source != target:
            left = self.net.distances[source, target]
            dag = [
                at
                for at, (tail, head) in enumerate(self.net.channels.tolist())
                if tail == source and self.net.distances[head, target] == left - 1
            ]
            path.append(int(self.rng.choice(dag)))
            source = int(self.net.heads[path[-1]])
        return path

    def path(self, message: int) -> list[int]:
        """Return the path of a message."""
        first, last = self.paths.offsets[message : message + 2]
        return [int(channel) for channel in self.paths.arcs[first:last]]

    def fill(self, kernels: Kernels, probes: int, first: int = 0) -> np.ndarray[Any, Any]:
        """Fill a step, check its tables, close it, and return its messages."""
        worth = 0.2 + np.exp(-(self.loads.max() - self.loads) / 3.0)
        kernels[0](self.pending, self.paths, self.fabric, self.pending_messages, worth, 0.5)
        tuning = PlannedStepOptions(worth, 0.5, 0.05, probes, self.rng.permutation(self.pending_messages)[:first])
        kernels[1](self.fabric, self.groups, self.paths, self.pending, self.step, tuning, self.rng)
        self.check()
        chosen = np.zeros(self.num_units, dtype=np.int64)
        is_pending = np.zeros(len(self.ends), dtype=bool)
        is_pending[self.pending_messages] = True
        num_chosen = kernels[2](self.fabric, self.paths, self.pending, self.step, is_pending, self.loads, chosen)
        self.pending_messages = np.flatnonzero(is_pending)
        return chosen[:num_chosen]

    def check(self) -> None:
        """Count who uses what anew, and look for a message that would still fit."""
        user = np.full(self.num_units, -1)
        for message in np.flatnonzero(self.step.is_inside).tolist():
            units = self.unit_of[self.path(message)]
            assert (user[units] == -1).all()
            user[units] = message
        assert (user == self.step.user).all()
        num_idle = int(self.step.counts[NUM_IDLE])
        assert sorted(self.step.idle[:num_idle].tolist()) == np.flatnonzero(user < 0).tolist()
        for message in self.pending_messages.tolist():
            fits = bool((user[self.unit_of[self.path(message)]] == -1).all())
            assert not fits or self.step.is_inside[message]


@BOTH
@pytest.mark.parametrize("probes", [0, 3000])
@pytest.mark.parametrize(
    ("text", "copies", "by_links"),
    [("mesh:3x3", 1, False), ("random-regular:12,3,2", 2, False), ("ring:6", 1, True), ("kautz:2,2", 3, False)],
)
def test_all_messages_get_a_step(kernels: Kernels, text: str, copies: int, by_links: bool, probes: int) -> None:
    """Step by step every message goes along its own path, once; then nobody waits, and nothing is left to carry."""
    table = Table(text, copies, by_links=by_links)
    gone: list[int] = []
    while len(table.pending_messages):
        chosen = table.fill(kernels, probes, first=4).tolist()
        assert chosen
        gone += chosen
        assert (table.step.user == -1).all()
        assert sorted(gone + table.pending_messages.tolist()) == list(range(len(table.ends)))
    assert not table.loads.any()
    assert (table.pending.first_of == -1).all()


@pytest.mark.parametrize("by_links", [False, True])
def test_those_who_have_gone_meanwhile_are_dropped(by_links: bool) -> None:
    """A step that was filled beside another one gives up whom the other has, and their units are idle."""
    table = Table("mesh:3x3", by_links=by_links)
    worth = np.ones(table.num_units)
    weigh_messages(table.pending, table.paths, table.fabric, table.pending_messages, worth, 0.5)
    tuning = PlannedStepOptions(worth, 0.5, 0.05, 300, table.pending_messages[:4])
    fill_planned_step(table.fabric, table.groups, table.paths, table.pending, table.step, tuning, table.rng)
    inside = np.flatnonzero(table.step.is_inside)
    is_pending = np.ones(len(table.ends), dtype=bool)
    is_pending[inside[::2]] = False
    assert drop_scheduled(table.fabric, table.paths, table.step, is_pending) == len(inside[::2])
    assert np.flatnonzero(table.step.is_inside).tolist() == inside[1::2].tolist()
    table.pending_messages = inside[1::2]
    table.check()
    assert drop_scheduled(table.fabric, table.paths, table.step, is_pending) == 0


def test_compiled_equals_uncompiled() -> None:
    """Machine code makes the same moves as the plain functions."""
    steps = [Table("random-regular:12,3,2").fill(kernels, 5000).tolist() for kernels in (PLAIN, MACHINE)]
    assert steps[0] == steps[1]


@BOTH
def test_looks_are_counted(kernels: Kernels) -> None:
    """A step is left as it is soon after its looks at channels are used up."""
    table = Table("random-regular:12,3,2")
    table.fill(kernels, 0)
    few = int(table.step.counts[NUM_PROBES])
    table.fill(kernels, 4000)
    assert 4000 <= int(table.step.counts[NUM_PROBES]) - few < 8000


def test_moves_help() -> None:
    """Where long messages alone wait, a step with more looks is worth more than the greedy beginning alone."""
    worth = []
    for probes in (0, 200_000):
        table = Table("random-regular:24,3,1")
        table.pending_messages = np.flatnonzero(table.paths.lengths >= 3)
        table.pending.first_of[table.net.distances < 3] = -1
        chosen = table.fill(MACHINE, probes)
        worth.append(sum(float(table.pending.worth[message]) for message in chosen))
    assert worth[0] < worth[1]


@pytest.mark.parametrize("kernel", [weigh_pairs, compiled(weigh_pairs)], ids=["plain", "compiled"])
def test_pairs_are_worth_their_worthiest_planned_path(kernel: Callable[..., Any]) -> None:
    """A pair is worth the units of the path that its worthiest waiting message is planned on, and else nothing."""
    table = Table("torus:3x3", copies=2)
    worth = table.rng.random(table.num_units)
    found = np.ones((9, 9), dtype=np.float32)
    pending = table.pending_messages[table.pending_messages % 5 > 0]
    kernel(table.fabric, table.paths, pending, worth, found)
    expected = np.zeros((9, 9))
    for message in pending.tolist():
        begin, end = table.paths.offsets[message : message + 2]
        path_worth = worth[table.unit_of[table.paths.arcs[begin:end]]].sum()
        expected[table.ends[message]] = max(expected[table.ends[message]], path_worth)
    assert found == pytest.approx(expected)
