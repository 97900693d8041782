"""Filling a step keeps its tables right, takes pending messages along allowed paths, and leaves nothing that fits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from pavane.jit import compiled
from pavane.model.network import Network
from pavane.networks import network
from pavane.solvers.kernels.rerouting import MessagePaths
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.kernels.shortest_paths import ScatterFabric
from pavane.solvers.large_scatter.kernels.step_lns import (
    NO_LIMIT,
    NUM_IDLE,
    FreeStepOptions,
    OrbitNetwork,
    PendingMessages,
    PlannedStepOptions,
    UnitChannels,
    close_step,
    drop_scheduled,
    empty_free_step,
    empty_planned_step,
    fill_free_step,
    fill_planned_step,
    spread_loads,
    weigh_messages,
    weigh_pairs,
)

BOTH = pytest.mark.parametrize("kernel", [fill_free_step, compiled(fill_free_step)], ids=["plain", "compiled"])


class Filled:
    """What the kernel is given: one message is pending between any two routers."""

    def __init__(self, net: Network) -> None:
        self.net, size = net, net.num_routers
        self.tails, self.heads = np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads)
        wiring = Wiring(self.tails, self.heads, *net.outgoing, *net.incoming)
        self.fabric = ScatterFabric(wiring, net.distances, np.arange(net.num_channels, dtype=np.int32))
        self.pending = np.ones((size, size), dtype=np.int32) - np.eye(size, dtype=np.int32)
        self.make_step(net.num_channels)
        self.planned: npt.NDArray[np.float32] = NO_LIMIT
        self.orbits: OrbitNetwork | None = None
        self.rng = np.random.default_rng(5)

    def run(self, kernel: Callable[..., int], moves: int, heat: float = 1.0) -> int:
        """Fill the step; return the number of its paths."""
        options = FreeStepOptions(heat, heat / 10, moves, self.worth, self.planned)
        return kernel(self.fabric, self.orbits, self.pending, self.step, options, self.rng)

    def make_step(self, num_units: int) -> None:
        """Make an empty step, in which all units have the same worth."""
        self.step = empty_free_step(self.net.num_routers, num_units, int(self.net.distances.max()), 0.03)
        self.user, self.ends, self.channels = self.step.units.user, self.step.path_ends, self.step.path_channels
        self.worth = np.ones(num_units)

    def spread(self, kernel: Callable[..., None]) -> npt.NDArray[np.float64]:
        """Return the loads if all pending messages are spread evenly."""
        nearest_first = np.argsort(self.net.distances, axis=1, kind="stable").astype(np.int32)
        loads = np.zeros(self.net.num_channels)
        kernel(self.fabric, nearest_first, self.pending, loads)
        return loads


@BOTH
@pytest.mark.parametrize("moves", [0, 1, 7, 150])
@pytest.mark.parametrize("text", ["torus:4x4", "mesh:3x4", "hypercube:3", "kautz:2,3", "random-regular:16,3,1"])
def test_tables_stay_right(kernel: Callable[..., int], text: str, moves: int) -> None:
    """After any number of moves, accepted or not, users of channels, pending messages and paths agree."""
    step = Filled(network(text))
    before = step.pending.copy()
    for _ in range(3):
        count = step.run(kernel, moves, heat=3.0)
        user = np.full(step.net.num_channels, -1)
        for path, (start, end) in enumerate(step.ends[:count]):
            channels = step.channels[path, : step.net.distances[start, end]]
            assert step.tails[channels[0]] == start
            assert step.heads[channels[-1]] == end
            assert (step.heads[channels[:-1]] == step.tails[channels[1:]]).all()
            assert (user[channels] == -1).all()
            user[channels] = path
            before[start, end] -= 1
        assert (user == step.user).all()
        assert (before == step.pending).all()
        assert (before >= 0).all()


@BOTH
def test_nothing_that_fits_is_left(kernel: Callable[..., int]) -> None:
    """While messages between all neighbours are pending no channel stays idle."""
    step = Filled(network("torus:4x4"))
    step.run(kernel, 0)
    assert (step.user >= 0).all()


@BOTH
def test_messages_planned_elsewhere_are_worth_less(kernel: Callable[..., int]) -> None:
    """Of two messages that need a busy channel the one that is planned on it is taken, although it is shorter."""
    step = Filled(network("line:3"))
    step.pending[:] = 0
    step.pending[0, 2] = step.pending[1, 2] = 1
    step.planned = np.zeros((3, 3), dtype=np.float32)
    step.planned[0, 2], step.planned[1, 2] = 0.5, 9.0
    step.worth[(step.tails == 1) & (step.heads == 2)] = 10.0
    assert step.run(kernel, 200, heat=0.01) == 1
    assert step.ends[0].tolist() == [1, 2]
    step = Filled(network("line:3"))
    step.pending[:] = 0
    step.pending[0, 2] = step.pending[1, 2] = 1
    step.planned = np.full((3, 3), 99.0, dtype=np.float32)
    assert step.run(kernel, 200, heat=0.01) == 1
    assert step.ends[0].tolist() == [0, 2]


def fold(step: Filled) -> OrbitNetwork:
    """Let every router of a torus of 4x4 stand for itself and the one two rows and columns on."""
    image = np.array([(r // 4 + 2) % 4 * 4 + (r % 4 + 2) % 4 for r in range(16)])
    routers = np.unique(np.minimum(np.arange(16), image), return_inverse=True)[1].astype(np.int32)
    number = {(t, h): c for c, (t, h) in enumerate(zip(step.tails.tolist(), step.heads.tolist(), strict=True))}
    partner = np.array([number[image[t], image[h]] for t, h in number])
    unit_of = np.unique(np.minimum(np.arange(len(partner)), partner), return_inverse=True)[1].astype(np.int32)
    step.fabric = step.fabric._replace(unit_of=unit_of)
    step.pending[np.arange(16) > image] = 0
    tails, heads = np.zeros((2, int(unit_of.max()) + 1), dtype=np.int32)
    tails[unit_of], heads[unit_of] = routers[step.tails], routers[step.heads]
    step.make_step(len(tails))
    listed = []
    for ends in (tails, heads):
        offsets = np.searchsorted(np.sort(ends), np.arange(9)).astype(np.int32)
        listed += [offsets, np.argsort(ends, kind="stable").astype(np.int32)]
    for column in listed:
        column.setflags(write=False)
    senders = np.flatnonzero(np.arange(16) < image).astype(np.int32)
    step.orbits = OrbitNetwork(Wiring(tails, heads, *listed), senders, may_meet=True)
    return step.orbits


ORBITS = pytest.mark.parametrize(
    "kernel", [fill_free_step, compiled(fill_free_step, "orbits")], ids=["plain", "compiled"]
)


@ORBITS
@pytest.mark.parametrize("moves", [0, 40])
def test_paths_of_orbits_meet_no_images(kernel: Callable[..., int], moves: int) -> None:
    """With one message of each orbit no unit is used twice, by one path or by two, and the tables stay right."""
    step = Filled(network("torus:4x4"))
    orbits = fold(step)
    before = step.pending.copy()
    count = step.run(kernel, moves, heat=3.0)
    user = np.full(len(step.user), -1)
    for path, (start, end) in enumerate(step.ends[:count]):
        channels = step.channels[path, : step.net.distances[start, end]]
        assert start in orbits.senders
        assert step.tails[channels[0]] == start
        assert step.heads[channels[-1]] == end
        for unit in step.fabric.unit_of[channels]:
            assert user[unit] == -1
            user[unit] = path
        before[start, end] -= 1
    assert (user == step.user).all()
    assert (before == step.pending).all()


@pytest.mark.parametrize("by_what", ["channels", "plan", "orbits"])
def test_compiled_equals_uncompiled(by_what: str) -> None:
    """Machine code makes the same moves as the plain function, along a plan and by orbits as well."""
    plain, machine = Filled(network("torus:4x4")), Filled(network("torus:4x4"))
    for step in (plain, machine):
        if by_what == "plan":
            step.planned = np.random.default_rng(1).random((16, 16)).astype(np.float32)
        elif by_what == "orbits":
            fold(step)
    fast = compiled(fill_free_step, "orbits" if by_what == "orbits" else "")
    assert plain.run(fill_free_step, 100) == machine.run(fast, 100)
    for name in ("user", "ends", "channels", "pending"):
        assert np.array_equal(getattr(plain, name), getattr(machine, name)), name


@pytest.mark.parametrize("kernel", [spread_loads, compiled(spread_loads)], ids=["plain", "compiled"])
def test_loads_of_messages_spread_evenly(kernel: Callable[..., None]) -> None:
    """Loads sum to the lengths of all paths; they are equal in a torus, and largest in the middle of a mesh."""
    for text, is_even in (("torus:4x4", True), ("mesh:4x4", False)):
        step = Filled(network(text))
        loads = step.spread(kernel)
        assert loads.sum() == pytest.approx(step.net.distances.sum())
        assert (loads.max() - loads.min() < 1e-9) == is_even


PLAIN = (weigh_messages, fill_planned_step, close_step)
MACHINE = tuple(compiled(kernel) for kernel in PLAIN)
BOTH_PLANNED = pytest.mark.parametrize("kernels", [PLAIN, MACHINE], ids=["plain", "compiled"])

Kernels = tuple[Callable[..., Any], ...]


class Table:
    """Some messages between any two routers, on random paths; half duplex where links are the units."""

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
        self.unit_channels = UnitChannels(offsets, order)
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
        self.step = empty_planned_step(size, self.unit_channels, count)
        self.pending_messages = np.arange(count)
        self.loads = np.bincount(self.unit_of[self.paths.arcs], minlength=self.num_units)

    def draw(self, source: int, target: int) -> list[int]:
        """Draw a shortest path, hop by hop."""
        path: list[int] = []
        while source != target:
            left = self.net.distances[source, target]
            choices = [
                at
                for at, (tail, head) in enumerate(self.net.channels.tolist())
                if tail == source and self.net.distances[head, target] == left - 1
            ]
            path.append(int(self.rng.choice(choices)))
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
        options = PlannedStepOptions(worth, 0.5, 0.05, probes, self.rng.permutation(self.pending_messages)[:first])
        kernels[1](self.fabric, self.unit_channels, self.paths, self.pending, self.step, options, self.rng)
        self.check()
        chosen = np.zeros(self.num_units, dtype=np.int64)
        is_pending = np.zeros(len(self.ends), dtype=bool)
        is_pending[self.pending_messages] = True
        num_chosen = kernels[2](self.fabric, self.paths, self.pending, self.step, is_pending, self.loads, chosen)
        self.pending_messages = np.flatnonzero(is_pending)
        return chosen[:num_chosen]

    def check(self) -> None:
        """Recount the users of units, and look for a message that would still fit."""
        user = np.full(self.num_units, -1)
        for message in np.flatnonzero(self.step.is_inside).tolist():
            units = self.unit_of[self.path(message)]
            assert (user[units] == -1).all()
            user[units] = message
        assert (user == self.step.units.user).all()
        num_idle = int(self.step.units.counts[NUM_IDLE])
        assert sorted(self.step.units.idle[:num_idle].tolist()) == np.flatnonzero(user < 0).tolist()
        for message in self.pending_messages.tolist():
            fits = bool((user[self.unit_of[self.path(message)]] == -1).all())
            assert not fits or self.step.is_inside[message]


@BOTH_PLANNED
@pytest.mark.parametrize("probes", [0, 3000])
@pytest.mark.parametrize(
    ("text", "copies", "by_links"),
    [("mesh:3x3", 1, False), ("random-regular:12,3,2", 2, False), ("ring:6", 1, True), ("kautz:2,2", 3, False)],
)
def test_all_messages_get_a_step(kernels: Kernels, text: str, copies: int, by_links: bool, probes: int) -> None:
    """Step by step every message takes its own path, once; then none is pending, and all loads are 0."""
    table = Table(text, copies, by_links=by_links)
    gone: list[int] = []
    while len(table.pending_messages):
        chosen = table.fill(kernels, probes, first=4).tolist()
        assert chosen
        gone += chosen
        assert (table.step.units.user == -1).all()
        assert sorted(gone + table.pending_messages.tolist()) == list(range(len(table.ends)))
    assert not table.loads.any()
    assert (table.pending.first_of == -1).all()


@pytest.mark.parametrize("by_links", [False, True])
def test_messages_scheduled_meanwhile_are_dropped(by_links: bool) -> None:
    """A step that was filled beside another one drops the messages of the other, and their units are idle."""
    table = Table("mesh:3x3", by_links=by_links)
    worth = np.ones(table.num_units)
    weigh_messages(table.pending, table.paths, table.fabric, table.pending_messages, worth, 0.5)
    options = PlannedStepOptions(worth, 0.5, 0.05, 300, table.pending_messages[:4])
    fill_planned_step(table.fabric, table.unit_channels, table.paths, table.pending, table.step, options, table.rng)
    inside = np.flatnonzero(table.step.is_inside)
    is_pending = np.ones(len(table.ends), dtype=bool)
    is_pending[inside[::2]] = False
    assert drop_scheduled(table.fabric, table.paths, table.step, is_pending) == len(inside[::2])
    assert np.flatnonzero(table.step.is_inside).tolist() == inside[1::2].tolist()
    table.pending_messages = inside[1::2]
    table.check()
    assert drop_scheduled(table.fabric, table.paths, table.step, is_pending) == 0


def test_compiled_equals_uncompiled_on_planned_paths() -> None:
    """Machine code makes the same moves as the plain functions."""
    steps = [Table("random-regular:12,3,2").fill(kernels, 5000).tolist() for kernels in (PLAIN, MACHINE)]
    assert steps[0] == steps[1]


@pytest.mark.parametrize("kernel", [weigh_pairs, compiled(weigh_pairs)], ids=["plain", "compiled"])
def test_pairs_are_worth_their_worthiest_planned_path(kernel: Callable[..., Any]) -> None:
    """A pair is worth the units of the planned path of its worthiest pending message, or 0 without one."""
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
