"""The candidate paths of every message, as flat arrays for the kernels.

Small numbers of shortest paths are listed in full; of larger ones a random sample is drawn, every path with the same
chance. Under restricted routing these are shortest paths between states (see `routing`). Under any routing paths with a
few more channels are added, at a toll, so that detours are taken only where they help. With a group of symmetries that
move every message and every unit there is one message per orbit, units are orbits of units, and paths that would meet
an image of theirs are left out.

Under tdm each unit of a path has a shift: the slots from the start of the packet to its use, counted round the period
where the schedule repeats; a packet of several slots uses each unit as often. A schedule in slots may read the same
backwards in time: then one entry stands for a message and for the one of the way back, at the mirrored time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pavane.model.arrays import Ints, Longs, Reals, ranges
from pavane.model.problem import Problem
from pavane.model.routing import Restriction, StateHops
from pavane.model.schedule import Schedule
from pavane.solvers.slot_timing import Timing
from pavane.symmetry.involutions import Symmetry
from pavane.symmetry.time_reversal import TimeReversal


@dataclass(frozen=True, eq=False)
class Candidates:
    """Messages, their candidate paths, and the units that each path uses."""

    problem: Problem
    symmetries: tuple[Symmetry, ...]
    """The group without the identity; empty where every message is an entry."""
    messages: Longs
    """The message that each entry stands for; with symmetries, the first of its orbit."""
    first_path: Longs
    unit_offsets: Longs
    units: Ints
    shifts: Ints
    """How long after the start of the path each unit is used."""
    tolls: Reals
    channel_offsets: Longs
    channels: Ints
    capacity: Longs
    back: Longs | None = None
    """The message of the way back that each entry stands for as well, or -1; None where no entry does."""
    barred: Longs | None = None
    """For each path up to two steps in which it must not start, or -1: it would meet its way back."""

    @property
    def is_complete(self) -> bool:
        """Whether every entry has some path."""
        return bool((np.diff(self.first_path) > 0).all())

    def starts(self, num_steps: int) -> Longs:
        """Return the number of steps, from the first one, in which each path may start; all where slots wrap."""
        rules = self.problem.rules
        if not rules.has_slots or rules.wrap:
            # A packet that is longer than the period would meet itself.
            is_short = rules.has_slots and num_steps < rules.packet_slots
            return np.full(len(self.tolls), 0 if is_short else num_steps, dtype=np.int64)
        last_uses: Longs = rules.flight(np.diff(self.channel_offsets)) + rules.packet_slots - 1
        return np.maximum(0, num_steps - last_uses)

    def schedule(self, step_of: Longs, path_of: Longs, num_steps: int) -> Schedule:
        """Return the schedule in which entry i runs along path path_of[i] in step step_of[i] of `num_steps`."""
        lengths = self.channel_offsets[path_of + 1] - self.channel_offsets[path_of]
        channels = self.channels[ranges(self.channel_offsets[path_of], lengths)].astype(np.int64)
        messages, group = self.messages, self.symmetries
        if self.back is not None:
            is_paired = self.back >= 0
            from_end = -ranges(1 - np.cumsum(lengths)[is_paired], lengths[is_paired])
            ways_back = self.problem.network.opposite[channels[from_end]]
            last_uses = self.problem.rules.flight(lengths) + self.problem.rules.packet_slots - 1
            starts = (num_steps - 1 - step_of - last_uses) % num_steps
            channels, messages = np.concatenate((channels, ways_back)), np.append(messages, self.back[is_paired])
            step_of, lengths = np.append(step_of, starts[is_paired]), np.append(lengths, lengths[is_paired])
        step_of, lengths = np.tile(step_of, 1 + len(group)), np.tile(lengths, 1 + len(group))
        channels = np.concatenate((channels, *(symmetry.channels[channels] for symmetry in group)))
        messages = np.concatenate((messages, *(symmetry.messages[messages] for symmetry in group)))
        ends_of = self.problem.ends[messages]
        # In a slot of tdm no packet need begin; steps without transfers are left out.
        size = num_steps if self.problem.rules.has_slots else None
        return Schedule.from_columns(size, step_of, ends_of[:, 0], ends_of[:, 1], (lengths, channels), messages)


def candidate_paths(
    problem: Problem,
    finder: PathFinder,
    *,
    symmetries: Sequence[Symmetry] = (),
    period: int | None = None,
    reversal: TimeReversal | None = None,
) -> Candidates:
    """List candidate paths for private messages that run along whole paths, as the finder lists them.

    Shifts are counted round a period. With a reversal an entry stands for a message and the one of its way back.
    """
    network = problem.network
    capacity = np.concatenate((network.capacity, problem.injection, problem.ejection)).astype(np.int64)
    messages, back = _entries(problem, symmetries, reversal)
    uses = _Uses(problem, symmetries, period)
    first_path, unit_offsets, channel_offsets = [0], [0], [0]
    units: list[int] = []
    shifts: list[int] = []
    channels: list[int] = []
    tolls: list[float] = []
    barred: list[tuple[int, int]] = []
    router_of, ends = network.router_of.tolist(), problem.ends.tolist()
    is_paired = [False] * len(messages) if back is None else (back >= 0).tolist()
    for message, is_mirrored in zip(messages.tolist(), is_paired, strict=True):
        origin, target = ends[message]
        paths = finder.between(router_of[origin], router_of[target])
        shortest = min(map(len, paths), default=0)
        for path in paths:
            made = uses.of(origin, target, path, is_mirrored)
            if made is None:
                continue
            units += made[0]
            shifts += made[1]
            barred.append(made[2])
            channels += path
            tolls.append(0.25 * (len(path) - shortest))
            unit_offsets.append(len(units))
            channel_offsets.append(len(channels))
        first_path.append(len(tolls))
    return Candidates(
        problem,
        tuple(symmetries),
        messages,
        np.array(first_path),
        np.array(unit_offsets),
        np.array(units, dtype=np.int32),
        np.array(shifts, dtype=np.int32),
        np.array(tolls),
        np.array(channel_offsets),
        np.array(channels, dtype=np.int32),
        capacity,
        back,
        None if back is None else np.array(barred, dtype=np.int64).reshape(-1, 2),
    )


def _entries(
    problem: Problem, symmetries: Sequence[Symmetry], reversal: TimeReversal | None
) -> tuple[Longs, Longs | None]:
    """Return the first message of every orbit, and with a reversal the message of its way back; -1 in its own orbit."""
    messages: Longs = np.arange(problem.num_messages)
    firsts = np.min([messages, *(symmetry.messages for symmetry in symmetries)], axis=0)
    if reversal is None:
        return messages[firsts == messages], None
    back = firsts[reversal.messages]
    entries = messages[(firsts == messages) & (back >= messages)]
    return entries, np.where(back[entries] == entries, -1, reversal.messages[entries])


class _Uses:
    """Which units a path uses, and when after its start."""

    def __init__(self, problem: Problem, symmetries: Sequence[Symmetry], period: int | None) -> None:
        unit_of, inject, eject = _units(problem, symmetries)
        self.opposite: list[int] = problem.network.opposite.tolist()
        self.units_of_channel, self.injects, self.ejects = unit_of.tolist(), inject.tolist(), eject.tolist()
        self.ports_matter = not (problem.network.is_slim and problem.rules.ports == "all")
        self.timing, self.period = Timing.of(problem, period), period or 0
        self.has_images = bool(symmetries)

    def of(
        self, origin: int, target: int, path: Sequence[int], is_mirrored: bool
    ) -> tuple[list[int], list[int], tuple[int, int]] | None:
        """Return the units of a path, each as often as a packet uses it, the shift of every use, and barred starts.

        Where it stands for its way back, too, those of both; see `with_mirrored`. None where it would meet an image.
        """
        used = [self.units_of_channel[channel] for channel in path]
        if self.ports_matter:
            used += [self.injects[origin], self.ejects[target]]
        units, shifts = self.timing.uses(used, len(path))
        if self.has_images and len(set(zip(units, shifts, strict=True))) < len(units):
            return None
        if not is_mirrored:
            return units, shifts, NEVER
        back = [self.units_of_channel[self.opposite[channel]] for channel in path]
        if self.ports_matter:
            back += [self.ejects[origin], self.injects[target]]
        back = [unit for unit in back for _ in range(self.timing.busy)]
        return with_mirrored(units, shifts, back, self.timing, self.period)


NEVER = (-1, -1)
"""A path has no start in which it meets its way back."""


def with_mirrored(
    units: list[int], shifts: list[int], back: list[int], timing: Timing, num_steps: int
) -> tuple[list[int], list[int], tuple[int, int]] | None:
    """Return the uses of a path and of its way back, which are mirrored in time, and the starts in which they meet.

    The way back of a use s slots after the start is one in slot num_steps - 1 - s - start. None for more starts than
    two; all are the same where ports alone meet.
    """
    mirrored = [max(0, num_steps - 1 - shift) for shift in shifts]
    starts: set[int] = set()
    if not set(units).isdisjoint(back):
        sums = {
            late - early
            for u, early in zip(units, shifts, strict=True)
            for v, late in zip(back, mirrored, strict=True)
            if u == v
        }
        rounds = (0, num_steps) if timing.period is not None else (0,)
        wraps = timing.period is not None
        doubled = {(total % num_steps if wraps else total) + more for total in sums for more in rounds}
        starts = {total // 2 for total in doubled if total >= 0 and total % 2 == 0}
    if len(starts) > len(NEVER):
        return None
    first, second = (*sorted(starts), *NEVER)[:2]
    return units + back, shifts + [~slot for slot in mirrored], (first, second)


def _units(problem: Problem, symmetries: Sequence[Symmetry]) -> tuple[Longs, Longs, Longs]:
    """Return the unit of each channel, and of each processor's two ports: the first one of its orbit."""
    network, units = problem.network, problem.units.astype(np.int64)
    inject = network.num_channels + np.arange(network.num_processors)
    for symmetry in symmetries:
        # Compared with the images of the original numbers: these are all members of an orbit.
        units = np.minimum(units, problem.units[symmetry.channels])
        inject = np.minimum(inject, network.num_channels + symmetry.processors)
    return units, inject, inject + network.num_processors


class PathFinder:
    """Lists or samples admissible paths between routers, also under a narrower restriction than the problem's."""

    def __init__(
        self,
        problem: Problem,
        rng: np.random.Generator,
        most_paths: int = 32,
        detour: int = 0,
        restriction: Restriction | None = None,
    ) -> None:
        network, restriction = problem.network, restriction or problem.restriction
        self.rng, self.most_paths, self.detour = rng, most_paths, detour
        self.moves = StateHops(network, restriction)
        everyone = np.arange(network.num_routers)
        self.distances = network.distances if restriction is None else restriction.distances(everyone)
        self.known: dict[tuple[int, int], list[tuple[int, ...]]] = {}
        self.counted: dict[int, tuple[list[int], list[int]]] = {}

    def draw_again(self) -> None:
        """Forget the paths listed so far, so that new samples are drawn."""
        self.known.clear()

    def between(self, source: int, target: int) -> list[tuple[int, ...]]:
        """Return candidate paths, shortest first."""
        key = (source, target)
        if key not in self.known:
            to_target, counts = self._paths_to(target)
            start = self.moves.start(source)
            if counts[start] <= self.most_paths:
                paths = self._all(start, to_target, counts, 0)
            else:
                paths = self._sample(start, to_target, counts)
            for extra in range(1, self.detour + 1):
                if len(paths) < self.most_paths:
                    paths += self._all(start, to_target, counts, extra)[: self.most_paths - len(paths)]
            self.known[key] = paths
        return self.known[key]

    def _paths_to(self, target: int) -> tuple[list[int], list[int]]:
        """Return the distance of every state to the target, and its number of shortest paths."""
        if target not in self.counted:
            distances = np.repeat(self.distances[:, target], self.moves.num_phases)
            to_target: list[int] = distances.tolist()
            counts = [0] * len(to_target)
            for state in self.moves.ends(target):
                counts[state] = 1
            for state in np.argsort(distances, kind="stable").tolist():
                if to_target[state] > 0:
                    counts[state] = sum(
                        counts[head] for _, head in self.moves.out[state] if to_target[head] == to_target[state] - 1
                    )
            self.counted[target] = to_target, counts
        return self.counted[target]

    def _all(self, start: int, to_target: list[int], counts: list[int], extra: int) -> list[tuple[int, ...]]:
        """List the simple paths with exactly `extra` channels more than the shortest."""
        found: list[tuple[int, ...]] = []
        stack: list[tuple[int, tuple[int, ...], frozenset[int], int]] = [(start, (), frozenset((start,)), extra)]
        while stack:
            state, path, visited, spare = stack.pop()
            if to_target[state] == 0:
                if spare == 0:
                    found.append(path)
                continue
            for channel, head in self.moves.out[state]:
                left = spare - (to_target[head] + 1 - to_target[state])
                if counts[head] and left >= 0 and head not in visited:
                    stack.append((head, (*path, channel), visited | {head}, left))
        order = self.rng.permutation(len(found)).tolist()
        return [found[i] for i in order]

    def _sample(self, start: int, to_target: list[int], counts: list[int]) -> list[tuple[int, ...]]:
        """Draw shortest paths, each with the same chance."""
        drawn: dict[tuple[int, ...], None] = {}
        for _ in range(3 * self.most_paths):
            state, path = start, []
            while to_target[state]:
                number = int(self.rng.random() * counts[state])
                for channel, head in self.moves.out[state]:
                    if to_target[head] == to_target[state] - 1:
                        number -= counts[head]
                        if number < 0:
                            path.append(channel)
                            state = head
                            break
            drawn[tuple(path)] = None
            if len(drawn) == self.most_paths:
                break
        return list(drawn)
