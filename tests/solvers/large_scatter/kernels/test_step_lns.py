"""Filling a step keeps its tables right, takes shortest paths of messages that wait, and leaves nothing that fits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from pavane.jit import compiled
from pavane.model.network import Network
from pavane.networks import network
from pavane.solvers.kernels.wiring import Wiring
from pavane.solvers.large_scatter.kernels.shortest_paths import ScatterFabric
from pavane.solvers.large_scatter.kernels.step_lns import (
    FreeStep,
    FreeStepOptions,
    OrbitNetwork,
    fill_free_step,
    spread_loads,
)

BOTH = pytest.mark.parametrize("kernel", [fill_free_step, compiled(fill_free_step)], ids=["plain", "compiled"])


class Filled:
    """What the kernel is given: one message waits between any two routers."""

    def __init__(self, net: Network) -> None:
        self.net, size = net, net.num_routers
        self.tails, self.heads = np.ascontiguousarray(net.tails), np.ascontiguousarray(net.heads)
        wiring = Wiring(self.tails, self.heads, *net.outgoing, *net.incoming)
        self.fabric = ScatterFabric(wiring, net.distances, np.arange(net.num_channels, dtype=np.int32))
        self.pending = np.ones((size, size), dtype=np.int32) - np.eye(size, dtype=np.int32)
        self.user = np.empty(net.num_channels, dtype=np.int32)
        self.ends = np.zeros((net.num_channels, 2), dtype=np.int32)
        self.channels = np.zeros((net.num_channels, int(net.distances.max())), dtype=np.int32)
        self.worth = np.ones(net.num_channels)
        self.planned: npt.NDArray[np.float32] | None = None
        self.orbits: OrbitNetwork | None = None
        self.rng = np.random.default_rng(5)

    def run(self, kernel: Callable[..., int], moves: int, heat: float = 1.0) -> int:
        """Fill the step; return the number of its paths."""
        step = FreeStep(self.user, self.ends, self.channels)
        tuning = FreeStepOptions(0.03, heat, heat / 10, moves, self.worth, self.planned)
        return kernel(self.fabric, self.orbits, self.pending, step, tuning, self.rng)

    def spread(self, kernel: Callable[..., None]) -> npt.NDArray[np.float64]:
        """Return the loads if all that waits is spread evenly."""
        nearest_first = np.argsort(self.net.distances, axis=1, kind="stable").astype(np.int32)
        loads = np.zeros(self.net.num_channels)
        kernel(self.fabric, nearest_first, self.pending, loads)
        return loads


@BOTH
@pytest.mark.parametrize("moves", [0, 1, 7, 150])
@pytest.mark.parametrize("text", ["torus:4x4", "mesh:3x4", "hypercube:3", "kautz:2,3", "random-regular:16,3,1"])
def test_tables_stay_right(kernel: Callable[..., int], text: str, moves: int) -> None:
    """After any number of moves, kept or taken back, who uses a channel, who waits and the paths agree."""
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
    """While all neighbours wait for each other's messages no channel stays idle."""
    step = Filled(network("torus:4x4"))
    step.run(kernel, 0)
    assert (step.user >= 0).all()


def test_compiled_equals_uncompiled() -> None:
    """Machine code makes the same moves as the plain function."""
    plain, machine = Filled(network("torus:4x4")), Filled(network("torus:4x4"))
    assert plain.run(fill_free_step, 100) == machine.run(compiled(fill_free_step), 100)
    for name in ("user", "ends", "channels", "waiting"):
        assert np.array_equal(getattr(plain, name), getattr(machine, name)), name


PLANNED = pytest.mark.parametrize(
    "kernel", [fill_free_step, compiled(fill_free_step, "planned")], ids=["plain", "compiled"]
)


@PLANNED
def test_who_is_planned_elsewhere_counts_for_less(kernel: Callable[..., int]) -> None:
    """Of two messages that want a dear channel the one is taken that is planned on it, although it is shorter."""
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


def test_compiled_equals_uncompiled_along_a_plan() -> None:
    """Machine code makes the same moves as the plain function where plans limit what paths are worth."""
    plain, machine = Filled(network("torus:4x4")), Filled(network("torus:4x4"))
    for step in (plain, machine):
        step.planned = np.random.default_rng(1).random((16, 16)).astype(np.float32)
    assert plain.run(fill_free_step, 100) == machine.run(compiled(fill_free_step, "planned"), 100)
    for name in ("user", "ends", "channels", "waiting"):
        assert np.array_equal(getattr(plain, name), getattr(machine, name)), name


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
    step.user, step.ends = step.user[: len(tails)], step.ends[: len(tails)]
    step.channels, step.worth = step.channels[: len(tails)], step.worth[: len(tails)]
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


def test_compiled_equals_uncompiled_with_orbits() -> None:
    """Machine code makes the same moves as the plain function with one message of each orbit."""
    plain, machine = Filled(network("torus:4x4")), Filled(network("torus:4x4"))
    fold(plain), fold(machine)
    assert plain.run(fill_free_step, 100) == machine.run(compiled(fill_free_step, "orbits"), 100)
    for name in ("user", "ends", "channels", "waiting"):
        assert np.array_equal(getattr(plain, name), getattr(machine, name)), name


def test_moves_fill_more() -> None:
    """With long ways only, ruin and recreate fills more channels than the greedy beginning."""
    used = []
    for moves in (0, 3000):
        step = Filled(network("torus:6x6"))
        step.pending[step.net.distances < 4] = 0
        step.run(compiled(fill_free_step), moves)
        used.append(int((step.user >= 0).sum()))
    assert used[0] < used[1]


@pytest.mark.parametrize("kernel", [spread_loads, compiled(spread_loads)], ids=["plain", "compiled"])
def test_loads_of_messages_spread_evenly(kernel: Callable[..., None]) -> None:
    """Loads sum to the lengths of all ways; they are equal in a torus, and largest in the middle of a mesh."""
    for text, is_even in (("torus:4x4", True), ("mesh:4x4", False)):
        step = Filled(network(text))
        loads = step.spread(kernel)
        assert loads.sum() == pytest.approx(step.net.distances.sum())
        assert (loads.max() - loads.min() < 1e-9) == is_even


def test_loads_of_one_message() -> None:
    """A message across a square takes either way with half of its load."""
    step = Filled(network("ring:4"))
    step.pending[:] = 0
    step.pending[0, 2] = 1
    loads = step.spread(spread_loads)
    assert sorted(loads) == [0.0] * 4 + [0.5] * 4
