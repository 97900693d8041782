"""Few start-ups, little traffic: schedules under the combining rule, for a given number of steps (noc section 3).

A schedule is sought in two layers. The outer one is the sets: for every step, transfers whose paths share nothing.
The inner one is the payloads: messages run through the steps that the sets span, private ones on priced shortest
paths, broadcasts on trees. First the sets are annealed until every target can hear from its origins at all, which
is a matter of bits; then sets and payloads together, until the largest payloads of all steps add up to as little as can
be. A move pushes one transfer into a step, ejects what is in its way and fills up.

Where the problem has symmetries that move every processor, trials apply every move to whole orbits: fewer things
to decide, and the evenness that good schedules have comes for free. Which group of symmetries suits is found out by
short trials. Reductions are solved backwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from pavane.bounds import lower_bounds
from pavane.errors import InputError
from pavane.judge.result import Provenance, Result, Run
from pavane.kernels import compiled
from pavane.kernels.combining import Scratch, Sets, anneal_reach, fill, free_inlet, put, spread
from pavane.model.collectives import dual
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, time_reversed
from pavane.solvers.combining.groups import Group, free_groups
from pavane.solvers.combining.payloads import UNKNOWN, Arborescences, Paths
from pavane.solvers.combining.state import Places
from pavane.workers.budget import Budget

MOST_MESSAGES = 300_000
"""Above this the tables of ways take too much room."""

MOST_STEPS = 4096
"""Above this combining has nothing to offer that schedules without it have not."""

REACH = 0.3
"""What part of the work the search for sets that reach all targets may take."""

HEAT_OF_PATHS, HEAT_OF_TREES = (0.02, 0.0012), (0.006, 0.0008)
"""The heat at first and in the end, as parts of what is annealed; paths are led greedily, so they need more."""

CHUNK = 2e7
"""Work between two looks at the clock; a fraction of a second."""

Longs = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Combining:
    """Annealing of sets of transfers and of the payloads on them."""

    name: str = "combining"
    goal: int = 0
    """A TCO that is good enough to stop at."""
    trials: int = 3
    """How many groups of symmetries to try before the best of them is taken up again."""
    group: int | None = None
    """Which of the groups to use alone, by its place among them; None: find out which."""
    reach_moves: int = 400_000
    """Moves until every target must be reached."""
    most_moves: int = 100_000
    """Moves that lower the payloads, in all trials."""
    work: float = 4e8
    """What all moves of all trials may cost, about, in looks at transfers; a few seconds' worth."""

    def supports(self, problem: Problem) -> bool:
        """Say yes to every problem under the combining rule whose tables fit."""
        size = problem.num_deliveries * (4 if problem.pattern == "private" else 1)
        return problem.rules.combining and size <= 4 * MOST_MESSAGES and problem.network.num_routers <= 4096

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of at most `num_steps` start-ups with little TCO; None: of the fewest start-ups."""
        forwards = dual(problem) if problem.pattern == "reduction" else problem
        rng = np.random.default_rng(seed)
        lowest = lower_bounds(forwards)[0].steps
        schedule, made = None, 0
        asked = count(lowest) if num_steps is None else [num_steps] if num_steps >= lowest else []
        for steps in asked:
            if budget.is_over or steps > MOST_STEPS:
                break
            search = _Search(self, forwards, steps, rng, budget, made)
            schedule, made = search.best(), search.made
            if schedule is not None or search.is_spent:
                break
        if schedule is not None and problem.pattern == "reduction":
            schedule = time_reversed(forwards, schedule, problem)
        about = Provenance(self.name, seed)
        return Result(problem, schedule, provenance=about, asked=num_steps, run=Run(made))


class _Search:
    """One search for a number of steps."""

    def __init__(
        self, solver: Combining, problem: Problem, num_steps: int, rng: np.random.Generator, budget: Budget, made: int
    ) -> None:
        self.solver, self.problem, self.num_steps, self.rng = solver, problem, num_steps, rng
        self.budget, self.made = budget, made

    @property
    def is_spent(self) -> bool:
        """Whether time or evaluations are used up."""
        evaluations = self.budget.evaluations
        return self.budget.is_over or (evaluations is not None and self.made >= evaluations)

    def _left(self, moves: int) -> int:
        evaluations = self.budget.evaluations
        return moves if evaluations is None else max(0, min(moves, evaluations - self.made))

    def best(self) -> Schedule | None:
        """Try several groups of symmetries with little effort, then the best of them with as much as all others."""
        best: tuple[Paths | Arborescences, Group] | None = None
        no_group: Group = ()
        efforts, are_known = [(no_group, 0.0)], False
        while efforts and not self.is_spent and (best is None or best[0].tco > self.solver.goal):
            group, share = efforts.pop(0)
            places = Places.of(self.problem, group)
            sets, scratch = places.sets(self.num_steps), places.scratch()
            if (share > 0.0 or self._exchange(places, sets, scratch)) and self._reach(places, sets, scratch, share):
                found = self._lower(places, sets, scratch, group, share)
                if found is not None and found.tco < (UNKNOWN if best is None else best[0].tco):
                    best = found, group
            if not are_known:
                groups, are_known = self._groups(), True
                efforts = [(group, 0.5 / len(groups) if len(groups) > 1 else 1.0) for group in groups]
            elif not efforts and share < 0.5 and best is not None:
                efforts.append((best[1], 0.5))
        return None if best is None else best[0].schedule()

    def _groups(self) -> list[Group]:
        """Return the groups to try: one of each order, from the largest on, which leaves the least to decide."""
        groups = free_groups(self.problem)
        number = self.solver.group
        if number is not None:
            if not 0 <= number < len(groups):
                raise InputError(f"group {number}: the problem has groups 0 to {len(groups) - 1}; choose one of them")
            return [groups[number]]
        orders = sorted({len(group) for group in groups}, reverse=True)[: self.solver.trials]
        of_order = [[group for group in groups if len(group) == order] for order in orders]
        return [some[int(self.rng.integers(len(some)))] for some in of_order]

    def _exchange(self, places: Places, sets: Sets, scratch: Scratch) -> bool:
        """Put in the exchange along the bits of processors' numbers (hypercubes); False where paths are in the way."""
        fabric, num_processors = places.fabric, self.problem.network.num_processors
        if num_processors != 1 << (num_processors.bit_length() - 1) or num_processors > 1 << self.num_steps:
            return False
        for step in range(num_processors.bit_length() - 1):
            for processor in range(num_processors):
                partner = processor ^ (1 << step)
                is_free = sets.sending[step, processor] < fabric.injection[processor]
                inlet = compiled(free_inlet)(fabric, sets, step, partner)
                if not is_free or inlet < 0:
                    return False
                compiled(spread)(fabric, sets, scratch, step, processor, 0.0, self.rng)
                if not compiled(put)(fabric, sets, scratch, step, processor, inlet, self.rng):
                    return False
        return True

    def _reach(self, places: Places, sets: Sets, scratch: Scratch, share: float) -> bool:
        """Anneal the sets until all targets are reached; False where they are not."""
        heard, wanted = _wishes(places, self.num_steps)
        for step in range(self.num_steps):
            if not self.is_spent:
                compiled(fill)(places.fabric, sets, scratch, step, self.rng)
        cost = 3 * (len(places.fabric.home) * self.num_steps * heard.shape[2] + 4 * len(places.fabric.unit_of))
        total = max(2_000, min(self.solver.reach_moves, int(REACH * share * self.solver.work / cost)))
        done = 0
        while not self.is_spent and done < total:
            # Cooled in stages, so that the clock can be looked at.
            heat = 1.0 * 0.3 ** (done / total)
            moves = self._left(min(total - done, max(100, int(CHUNK / cost))))
            following = 1.0 * 0.3 ** ((done + moves) / total)
            missing, made = compiled(anneal_reach)(
                places.fabric, sets, scratch, heard, wanted, heat, following, moves, 4, self.rng
            )
            done += max(1, made)
            self.made += made
            if missing == 0:
                return True
        return False

    def _lower(
        self, places: Places, sets: Sets, scratch: Scratch, group: Group, share: float
    ) -> Paths | Arborescences | None:
        """Anneal sets and payloads; None where there is no time to find any."""
        few = self.num_steps <= 2.5 * np.log2(max(2, places.problem.network.num_processors))
        kind = Paths if self.problem.pattern == "private" else Arborescences
        found = kind(places, sets, group, 8.0 if few else 4.0)
        for _ in found.start(sets, self.rng):
            if self.budget.is_over:
                return None
        num_steps, num_inlets = sets.sender.shape
        level = self._level(found)
        # What a move strands goes through all steps again.
        cost = num_steps * num_inlets * (8.0 + 6.0 * level / num_steps / (1 + len(group)))
        total = max(200, int(share * min(self.solver.work / cost, self.solver.most_moves)))
        chunk, done = max(1, int(CHUNK / cost)), 0
        hot, cold = (part * level for part in (HEAT_OF_PATHS if kind is Paths else HEAT_OF_TREES))
        while done < total:
            moves = self._left(min(chunk, total - done))
            heat = np.array([hot, cold, done / total, 1.0 / total, 4.0 + 0.1 * level])
            made = found.anneal(sets, scratch, self.solver.goal, heat, max(1, moves), self.rng)
            done += max(1, made)
            self.made += made
            if self.is_spent or found.tco <= self.solver.goal:
                break
        return found

    def _level(self, found: Paths | Arborescences) -> float:
        books = found.ways if isinstance(found, Paths) else found.trees
        return float((np.maximum(books.powers, 0.0) ** (1.0 / books.exponent)).sum())


def _wishes(places: Places, num_steps: int) -> tuple[Words, Words]:
    """Return who has heard from which origin at the start, with room for all steps, and who wants to."""
    problem, num_places = places.problem, len(places.fabric.home)
    origins = np.unique(problem.labels[:, 0])
    num_words = (len(origins) + 63) // 64
    heard = np.zeros((num_steps + 1, num_places, num_words), dtype=np.uint64)
    wanted = np.zeros((num_places, num_words), dtype=np.uint64)
    word, bit = np.arange(len(origins)) // 64, np.uint64(1) << (np.arange(len(origins)) % 64).astype(np.uint64)
    heard[0, origins, word] = bit
    if problem.pattern == "private":
        number = np.searchsorted(origins, problem.labels[:, 0])
        np.bitwise_or.at(wanted, (problem.labels[:, 1], word[number]), bit[number])
    else:
        for receiver in problem.collective.receivers:
            np.bitwise_or.at(wanted[receiver], word, bit)
    wanted &= ~heard[0]
    return heard, wanted
