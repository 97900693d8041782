"""All-to-all scatter on networks that look the same from every router: rings, tori, circulants and their products.

Where every translation of an abelian group is a symmetry, one message per displacement stands for all: the message of
displacement w from router 0 starts in step s along some path, and its translation by g starts in step s + f(g), counted
round the schedule, along the translated path. With a homomorphism f that is not 0 the symmetry moves steps as well as
routers, which is what tori without slack need. What is left is a small packing problem for the ejection search: each
generator (kind of channel) must be used at most once in each step, as seen from where it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd, prod

import numpy as np
import numpy.typing as npt

from pavane.bounds import lower_bounds
from pavane.judge.result import Provenance, Result
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.translation_groups import generators, translations
from pavane.solvers.candidates import Candidates, Longs, PathFinder
from pavane.solvers.ejection.ejection import search
from pavane.workers.budget import Budget


@dataclass(frozen=True)
class Translation:
    """One message per displacement, translated in space and time; for tori and what looks alike from every router."""

    name: str = "translation"
    most_paths: int = 24
    most_trials: int = 20_000_000
    most_homomorphisms: int = 12

    def supports(self, problem: Problem) -> bool:
        """Say yes to all-to-all scatter, wormhole and all-port, on a network with an abelian group of translations."""
        network, rules = problem.network, problem.rules
        return (
            problem.collective.kind == "AAS"
            and network.is_slim
            and network.num_routers <= 1024
            and problem.num_messages == network.num_routers * (network.num_routers - 1)
            and rules.switching == "wormhole"
            and rules.ports == "all"
            and rules.duplex == "full"
            and not rules.combining
            and problem.restriction is None
            and next(translations(problem), None) is not None
        )

    def __call__(self, problem: Problem, num_steps: int | None, seed: int, budget: Budget) -> Result:
        """Look for a schedule of exactly `num_steps` steps; None: of as many as the best bound says."""
        rng = np.random.default_rng(seed)
        asked = lower_bounds(problem)[0].steps if num_steps is None else num_steps
        for sizes in translations(problem):
            for offsets in self._homomorphisms(sizes, asked, rng):
                if budget.is_over:
                    break
                schedule = self._attempt(problem, sizes, offsets, asked, rng, budget)
                if schedule is not None:
                    return Result(problem, schedule, provenance=Provenance(self.name, seed), asked=num_steps)
        return Result(problem, None, asked=num_steps)

    def _homomorphisms(self, sizes: tuple[int, ...], num_steps: int, rng: np.random.Generator) -> Iterator[Longs]:
        """Yield the step offset of every router, for several homomorphisms, the zero one first."""
        elements = np.stack(np.unravel_index(np.arange(prod(sizes)), sizes), axis=1)
        quanta = np.array([num_steps // gcd(size, num_steps) for size in sizes])
        seen = set()
        for number in range(self.most_homomorphisms):
            factors = np.array([int(rng.random() * gcd(size, num_steps)) for size in sizes]) * (number > 0)
            if tuple(factors.tolist()) not in seen:
                seen.add(tuple(factors.tolist()))
                yield (elements @ (factors * quanta)) % num_steps

    def _attempt(
        self,
        problem: Problem,
        sizes: tuple[int, ...],
        offsets: Longs,
        num_steps: int,
        rng: np.random.Generator,
        budget: Budget,
    ) -> Schedule | None:
        network = problem.network
        generator = generators(problem, sizes)
        if generator is None:
            return None
        finder = PathFinder(problem, rng, self.most_paths, 0)
        first_path, unit_offsets = [0], [0]
        units: list[int] = []
        shifts: list[int] = []
        paths: list[tuple[int, ...]] = []
        tails = network.tails.tolist()
        for router in range(1, network.num_routers):
            for path in finder.between(0, router):
                used = [int(generator[channel]) for channel in path]
                # The translation that brings channel number i of the path here starts that much earlier.
                when = [int(-offsets[tails[channel]]) % num_steps for channel in path]
                if len(set(zip(used, when, strict=True))) == len(used):
                    units += used
                    shifts += when
                    paths.append(path)
                    unit_offsets.append(len(units))
            first_path.append(len(paths))
        candidates = Candidates(
            problem,
            None,
            np.arange(network.num_routers - 1),
            np.array(first_path),
            np.array(unit_offsets),
            np.array(units, dtype=np.int32),
            np.array(shifts, dtype=np.int32),
            np.zeros(len(paths)),
            np.array(unit_offsets),
            np.concatenate([np.array(path, dtype=np.int32) for path in paths])
            if paths
            else np.zeros(0, dtype=np.int32),
            np.ones(int(generator.max()) + 1, dtype=np.int64),
        )
        if not candidates.is_complete:
            return None
        places = search(candidates, num_steps, self.most_trials, rng, budget)
        return None if places is None else _lifted(problem, sizes, offsets, num_steps, generator, paths, *places)


def _lifted(
    problem: Problem,
    sizes: tuple[int, ...],
    offsets: Longs,
    num_steps: int,
    generator: Longs,
    paths: list[tuple[int, ...]],
    step_of: Longs,
    path_of: Longs,
) -> Schedule:
    """Translate the messages of router 0 to every router."""
    network = problem.network
    num_routers = network.num_routers
    by_kind = np.zeros((num_routers, int(generator.max()) + 1), dtype=np.int64)
    by_kind[network.tails, generator] = np.arange(network.num_channels)
    elements = np.stack(np.unravel_index(np.arange(num_routers), sizes), axis=1)
    everyone = np.arange(num_routers)

    def moved(router: int) -> npt.NDArray[np.int64]:
        """Return where each translation takes a router."""
        images = (elements + elements[router]) % np.array(sizes)
        return np.asarray(np.ravel_multi_index(tuple(images.T), sizes), dtype=np.int64)

    steps, targets, lengths, channels = [], [], [], []
    for entry, number in enumerate(path_of.tolist()):
        path = paths[number]
        steps.append((step_of[entry] + offsets) % num_steps)
        targets.append(moved(entry + 1))
        lengths.append(np.full(num_routers, len(path)))
        columns = [by_kind[moved(int(network.tails[channel])), generator[channel]] for channel in path]
        channels.append(np.stack(columns, axis=1).reshape(-1))
    senders, receivers = np.tile(everyone, num_routers - 1), np.concatenate(targets)
    step = np.concatenate(steps)
    used = np.unique(step)
    return Schedule.from_columns(
        len(used),
        np.searchsorted(used, step),
        senders,
        receivers,
        np.concatenate(lengths),
        np.concatenate(channels),
        np.ones(len(senders), dtype=np.int64),
        problem.message_numbers(np.column_stack((senders, receivers))),
    )
