"""All-to-all scatter on networks that look the same from every router: rings, tori, circulants and their products.

Where every translation of an abelian group is a symmetry, one message per displacement stands for all: the message of
displacement w from router 0 starts in step s along some path, and its translation by g starts in step s + f(g), counted
round the schedule, along the translated path. With a homomorphism f that is not 0 the symmetry moves steps as well as
routers, which is what tori without slack need. That leaves a small packing problem for the ejection search: each
generator (kind of channel) must be used at most once in each step, relative to where it is used.

Under tdm a path uses its channels one after the other, and the ports of a router are two more kinds. Where f is 0, all
routers have the same slot table. Such a table may have a mirror image of its own, which halves the search once more,
and which two-way tori without slack need: it exchanges the displacements w and -w, and reads time backwards or moves
them by half a period.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd, prod
from typing import Literal, NamedTuple

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.path_blocks import PathBlocks, exchange_numbers
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.candidates import NEVER, Candidates, PathFinder, with_mirrored
from pavane.solvers.ejection.assignment import CandidateAssignment, assign_in_runs
from pavane.solvers.slot_timing import Timing
from pavane.solvers.solver import Finding
from pavane.solvers.solving import solve_by_steps
from pavane.solvers.supports import EXCHANGE
from pavane.symmetry.time_reversal import TimeReversal
from pavane.symmetry.translation_groups import TranslationGroup, groups_of

MOST_ROUTERS = 1024
"""In larger networks the packing problem has too many paths."""


@dataclass(frozen=True)
class Translation:
    """One message per displacement, translated in space and time; for tori and what looks alike from every router."""

    name: str = "translation"
    most_paths: int = 24
    most_trials: int = 20_000_000
    most_homomorphisms: int = 12

    supports = replace(
        EXCHANGE,
        switching=("wormhole", "tdm"),
        pieces=False,
        most_routers=MOST_ROUTERS,
        where="one processor on each router, all-port under wormhole, and an abelian group of translations",
        holds=lambda problem: _is_translated(problem),
    )

    def find(self, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget) -> Schedule | Finding:
        """Pack one message per displacement into `num_steps` steps, for one homomorphism after the other."""
        moves = 0
        for group in _groups(problem):
            for translations in self._translations(problem, group, num_steps, rng):
                if budget.is_over:
                    break
                samples = self._samples(translations, rng)
                run = assign_in_runs(samples, num_steps, self.most_trials, rng, budget)
                if run is not None and run.is_full:
                    return translations.lift(translations.table(run))
                moves += 0 if run is None else run.moves
        return Finding(None, evaluations=moves)

    __call__ = solve_by_steps

    def rows(
        self, problem: Problem, group: TranslationGroup, num_steps: int, rng: np.random.Generator, budget: Budget
    ) -> list[Row] | None:
        """Return the table of router 0 that all routers have alike, without delays; None where none is found."""
        for translations in replace(self, most_homomorphisms=1)._translations(problem, group, num_steps, rng):
            run = assign_in_runs(self._samples(translations, rng), num_steps, self.most_trials, rng, budget)
            if run is not None and run.is_full:
                return list(translations.table(run))
        return None

    def _samples(self, translations: Translations, rng: np.random.Generator) -> Iterator[Candidates]:
        """Yield candidates of every displacement, with new paths for each run."""
        problem = translations.problem
        finder = PathFinder(problem, rng, self.most_paths, 0)
        candidates = translations.candidates(finder, range(1, problem.network.num_routers))
        while candidates.is_complete:
            yield candidates
            finder.draw_again()
            candidates = translations.candidates(finder, range(1, problem.network.num_routers))

    def _translations(
        self, problem: Problem, group: TranslationGroup, num_steps: int, rng: np.random.Generator
    ) -> Iterator[Translations]:
        """Yield translations for several homomorphisms, those of tables that read the same backwards first."""
        for offsets in self._homomorphisms(problem, group.sizes, num_steps, rng):
            translations = Translations(problem, group, offsets, num_steps)
            if problem.rules.has_slots and not offsets.any() and translations.kinds_back is not None:
                if problem.rules.wrap and num_steps % 2 == 0:
                    yield replace(translations, mirror="half a period")
                if TimeReversal.of(problem) is not None:
                    yield replace(translations, mirror="backwards")
            yield translations

    def _homomorphisms(
        self, problem: Problem, sizes: tuple[int, ...], num_steps: int, rng: np.random.Generator
    ) -> Iterator[Longs]:
        """Yield the step offset of every router, for several homomorphisms, the zero one first.

        Where slots are not counted round, no other one is possible.
        """
        elements = np.stack(np.unravel_index(np.arange(prod(sizes)), sizes), axis=1)
        quanta = np.array([num_steps // gcd(size, num_steps) for size in sizes])
        seen = set()
        for number in range(self.most_homomorphisms if problem.rules.wrap else 1):
            factors = np.array([int(rng.random() * gcd(size, num_steps)) for size in sizes]) * (number > 0)
            if tuple(factors.tolist()) not in seen:
                seen.add(tuple(factors.tolist()))
                yield (elements @ (factors * quanta)) % num_steps


def _is_translated(problem: Problem) -> bool:
    is_open = problem.rules.has_slots or problem.rules.ports == "all"
    return is_open and EXCHANGE(problem) and TranslationGroup.of(problem) is not None


def _groups(problem: Problem) -> Iterable[TranslationGroup]:
    """Return the groups of a network; in slots those of its own grid first, as hardware wants its tables."""
    if not problem.rules.has_slots or problem.network.grid is None:
        return groups_of(problem)
    sizes = problem.network.grid.sizes
    return sorted(groups_of(problem), key=lambda group: group.sizes != sizes)


class Row(NamedTuple):
    """One row of router 0's table: when a message starts, and the channels that it takes from there."""

    start: int
    path: Sequence[int]


@dataclass(frozen=True, eq=False)
class Translations:
    """The translations of a shape, and by how many steps each delays what it moves."""

    problem: Problem
    group: TranslationGroup
    offsets: Longs
    """The delay of the translation that takes router 0 to each router."""
    num_steps: int
    mirror: Literal["", "backwards", "half a period"] = ""
    """How the table is its own mirror image, if it is: one entry then stands for a displacement and its opposite."""

    @cached_property
    def kinds_back(self) -> list[int] | None:
        """The kind of channel back along each kind; None if some are one-way or parallel."""
        hops = self.group.hops.tolist()
        back = self.group.opposites[hops].tolist()
        if len(set(hops)) < len(hops) or not set(back) <= set(hops):
            return None
        return list(map(hops.index, back))

    def _with_image(self, kinds: list[int], shifts: list[int]) -> tuple[list[int], list[int], tuple[int, int]] | None:
        """Return the uses of a path together with those of its mirror image, and the starts in which they meet."""
        assert self.kinds_back is not None
        inject = len(self.kinds_back)
        if self.mirror == "backwards":
            image = [*self.kinds_back, inject + 1, inject]
            return with_mirrored(kinds, shifts, [image[kind] for kind in kinds], self._timing, self.num_steps)
        image = [*self.kinds_back, inject, inject + 1]
        later = [(shift + self.num_steps // 2) % self.num_steps for shift in shifts]
        return kinds + [image[kind] for kind in kinds], shifts + later, NEVER

    @property
    def _timing(self) -> Timing:
        return Timing.of(self.problem, self.num_steps)

    def candidates(self, finder: PathFinder, targets: Iterable[int]) -> Candidates:
        """List the paths from router 0 to some others that do not meet their own translations."""
        network, group = self.problem.network, self.group
        opposites: list[int] = group.opposites.tolist()
        if self.mirror:
            targets = [router for router in targets if router <= opposites[router]]
        timing = self._timing
        # With all ports of slim routers, the channels are the bottleneck.
        ports = self.problem.rules.ports
        has_ports = ports != "all"
        inject, eject = group.num_kinds, group.num_kinds + 1
        first_path, unit_offsets = [0], [0]
        units: list[int] = []
        shifts: list[int] = []
        channels: list[int] = []
        tails = network.tails.tolist()
        channel_offsets = [0]
        barred: list[tuple[int, int]] = []
        for router in targets:
            for path in finder.between(0, router):
                kinds = [int(group.kinds[channel]) for channel in path] + [inject, eject] * has_ports
                # The translation that brings a use of the path here starts that much earlier.
                moved = [int(self.offsets[tails[channel]]) for channel in path]
                moved += [0, int(self.offsets[router])] * has_ports
                used, shift = timing.uses(kinds, len(path))
                when = [
                    (slot - moved[number // timing.busy]) % self.num_steps if self.problem.rules.wrap else slot
                    for number, slot in enumerate(shift)
                ]
                meetings = NEVER
                if self.mirror and router != opposites[router]:
                    both = self._with_image(used, when)
                    if both is None:
                        continue
                    used, when, meetings = both
                if len(set(zip(used, when, strict=True))) == len(used):
                    barred.append(meetings)
                    units += used
                    shifts += when
                    channels += path
                    unit_offsets.append(len(units))
                    channel_offsets.append(len(channels))
            first_path.append(len(unit_offsets) - 1)
        return Candidates(
            self.problem,
            symmetries=(),
            messages=np.arange(len(first_path) - 1),
            first_path=np.array(first_path),
            unit_offsets=np.array(unit_offsets),
            units=np.array(units, dtype=np.int32),
            shifts=np.array(shifts, dtype=np.int32),
            tolls=np.zeros(len(unit_offsets) - 1),
            channel_offsets=np.array(channel_offsets),
            channels=np.array(channels, dtype=np.int32),
            capacity=np.array([1] * group.num_kinds + [ports] * (2 * has_ports), dtype=np.int64),
            barred=np.array(barred, dtype=np.int64).reshape(-1, 2),
        )

    def table(self, assignment: CandidateAssignment) -> Iterator[Row]:
        """Yield the rows of a full assignment."""
        heads, opposites, candidates = self.problem.network.heads, self.group.opposites, assignment.candidates
        for entry, number in enumerate(assignment.path_of.tolist()):
            path = candidates.channels[slice(*candidates.channel_offsets[number : number + 2])].tolist()
            start, target = int(assignment.step_of[entry]), int(heads[path[-1]])
            yield Row(start, path)
            if self.mirror and target != opposites[target]:
                yield self._image(start, path)

    def _image(self, start: int, path: list[int]) -> Row:
        """Return the row of the opposite displacement, along a path backwards or along its half turn."""
        assert self.kinds_back is not None
        late = start + self.num_steps // 2
        if self.mirror == "backwards":
            late, path = self.num_steps - 1 - start - self._timing.arrival(len(path)), path[::-1]
        way, router = [], 0
        for channel in path:
            way.append(int(self.group.channels[router, self.kinds_back[self.group.kinds[channel]]]))
            router = int(self.problem.network.heads[way[-1]])
        return Row(late % self.num_steps, way)

    def lift(self, table: Iterable[Row]) -> Schedule:
        """Translate the messages of router 0 to every router."""
        group, network = self.group, self.problem.network
        senders, blocks = np.arange(network.num_routers), PathBlocks()
        for start, path in table:
            steps = (start + self.offsets) % self.num_steps
            targets = group.sums[network.heads[path[-1]]]
            channels = [group.channels[group.sums[network.tails[channel]], group.kinds[channel]] for channel in path]
            numbers = exchange_numbers(len(senders), senders, targets)
            blocks.add(steps, senders, targets, numbers, np.stack(channels, axis=1))
        return blocks.schedule(self.num_steps if self.problem.rules.has_slots else None)
