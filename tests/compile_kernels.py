"""Compiles the kernels of most searches: `python -m tests.compile_kernels`, before tests run in parallel.

Otherwise their processes would wait for each other's compilers. Machine code depends on the types of a kernel's
arguments, which only a search determines; so small searches use the kernels, and their results are not used.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from pavane.errors import PavaneError
from pavane.io.request import Request
from pavane.jit import clock
from pavane.jit.cache_folder import kernel_cache
from pavane.parallel.cores import usable_cores
from pavane.parallel.pools import as_workers
from pavane.parallel.tasks import TaskContext
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve

SECONDS = 3.0
"""How long a rehearsal without a number of evaluations may take, but for compiling: most are over in one."""


@dataclass(frozen=True)
class Rehearsal:
    """One search: a problem, as on the command line, the solver, and limits."""

    network: str
    collective: str
    method: str
    rules: dict[str, Any] = field(default_factory=dict)
    num_steps: int | None = None
    evaluations: int | None = None

    def __call__(self) -> None:
        """Search; whether there is an answer does not matter."""
        with suppress(PavaneError):
            problem = Request(self.network, self.collective, **self.rules).problem()
            seconds = SECONDS if self.evaluations is None else None
            options = SearchOptions(seconds=seconds, evaluations=self.evaluations)
            solve(problem, options, method=self.method, num_steps=self.num_steps)


@dataclass(frozen=True)
class RehearsalOfBounds:
    """The bounds of one problem, as on the command line."""

    network: str
    collective: str

    def __call__(self) -> None:
        """Compute all bounds; they are not used."""
        from pavane.bounds import lower_bounds

        lower_bounds(Request(self.network, self.collective).problem(), clock.now() + SECONDS)


@dataclass(frozen=True)
class RehearsalOfTimes:
    """A search for start times, on links that are all alike."""

    network: str
    collective: str

    def __call__(self) -> None:
        """Search; the schedule is not used."""
        from pavane.model.links import Links

        problem = Request(self.network, self.collective, **RELAYED).problem()
        links = Links.uniform(problem.network, latency_ps=10**6, bytes_per_second=10**10)
        solve(replace(problem, links=links, num_bytes=1_000), SearchOptions(seconds=SECONDS))


RELAYED: dict[str, Any] = {"switching": "store-and-forward"}

REHEARSALS: dict[str, tuple[Rehearsal | RehearsalOfBounds | RehearsalOfTimes, ...]] = {
    "packing": (
        Rehearsal("torus:6x6", "aas", "first-fit"),
        Rehearsal("torus:8x8", "aas", "packing"),
        Rehearsal("random-regular:64,4", "aas", "packing"),
    ),
    "combining": (
        Rehearsal("octagon", "aas", "combining", {"combining": True}),
        Rehearsal("octagon", "aab", "combining", {"combining": True}),
        Rehearsal("octagon", "aas", "combining", {"combining": True}, num_steps=3),
    ),
    "evolutionary algorithms": (
        Rehearsal("octagon", "aas", "ga", num_steps=4, evaluations=300),
        Rehearsal("octagon", "aab", "mboa", num_steps=4, evaluations=300),
    ),
    "broadcast": (
        Rehearsal("random-regular:128,4", "aab", "rarest-first"),
        Rehearsal("fat-tree:6", "aab", "rarest-first", {**RELAYED, "switches": "pass"}, evaluations=10_000),
        Rehearsal("random-regular:1100,3", "oab", "informed-sets"),
        Rehearsal("random-regular:40,3", "allreduce", "trees"),
        Rehearsal("torus:40x40", "aab", "translated-trees"),
    ),
    "start times": (RehearsalOfTimes("mesh:3x3", "aas"), RehearsalOfTimes("mesh:3x3", "allreduce")),
    "annealing": (Rehearsal("torus:6x6", "aab", "hgsa", evaluations=100),),
    "ejection": (
        Rehearsal("kautz:3,2", "aas", "ejection"),
        Rehearsal("torus:4x4", "aas", "time-ejection", RELAYED),
        Rehearsal("torus:4x4", "aas", "planned", RELAYED),
    ),
    "packing along plans": (
        Rehearsal("mesh:8x8", "aas", "packing"),
        Rehearsal("random-regular:400,3", "mns", "packing", {"senders": "0-5"}),
    ),
    "bounds": (RehearsalOfBounds("random-regular:160,4", "aas"),),
}
"""By what they have in common: those of one name share parts, which a process compiles once.

The longest come first, so that all workers end at about the same time; those that share kernels are apart, because a
process waits for a kernel that another one compiles.
"""


def main() -> None:
    """Compile, in as many processes as there are cores."""
    kernel_cache()  # chosen here, so that all processes share it
    names = list(REHEARSALS)
    with as_workers(usable_cores()).pool(len(names), None) as pool:
        for _ in pool.results(_rehearse, [(name,) for name in names], in_order=False):
            pass


def _rehearse(shared: None, context: TaskContext, name: str) -> None:
    for rehearsal in REHEARSALS[name]:
        rehearsal()


if __name__ == "__main__":
    main()
