"""Open shops whose operations take one step each: the operations of a job may come in any order.

Jobs and machines are the vertices of a bipartite multigraph, operations its edges, and the steps are colours: no two
edges at one vertex have the same. Such a graph has a colouring with as many colours as its largest degree (Koenig
1916), so the most operations that a job or a machine has are steps enough. And whatever number of colours is enough,
all may be used equally often (de Werra 1971), so a limit to the operations of a step costs no more than it must: all
operations divided by the limit.
"""

from __future__ import annotations

import numpy as np

from pavane.model.arrays import Longs


def colour_operations(jobs: Longs, machines: Longs, num_steps: int, most_at_once: int) -> Longs:
    """Return a step for each operation, given by its job and its machine.

    `num_steps` must be at least the most operations of a job, of a machine, and of all divided by the limit.

    No job and no machine has two operations in a step, and no step more than `most_at_once`.
    """
    colouring = _EdgeColours(num_steps, most_at_once)
    for job, machine in zip(jobs.tolist(), machines.tolist(), strict=True):
        # Machines are negative, so that one numbering has all vertices.
        colouring.add(job, ~machine)
    colouring.even_out()
    return np.array(colouring.step_of, dtype=np.int64)


class _EdgeColours:
    """A proper colouring of the edges so far."""

    def __init__(self, num_steps: int, most_at_once: int) -> None:
        self.most_at_once = most_at_once
        self.ends: list[tuple[int, int]] = []
        self.step_of: list[int] = []
        self.edge_at: dict[tuple[int, int], int] = {}
        """The edge at a vertex in a step."""
        self.all_steps = (1 << num_steps) - 1
        self.free: dict[int, int] = {}
        """The steps without an edge at each vertex, as the bits of one number."""
        self.not_full = self.all_steps
        self.edges_in: list[set[int]] = [set() for _ in range(num_steps)]

    def add(self, job: int, machine: int) -> None:
        """Colour one edge more; where no step is free at both ends a chain of others is turned round first."""
        at_job = self.free.setdefault(job, self.all_steps)
        at_machine = self.free.setdefault(machine, self.all_steps)
        both = at_job & at_machine
        if both:
            step = _lowest(both & self.not_full or both)
        else:
            # The chain leaves the machine in a step that is free at the job. It comes to all jobs in that step, so
            # never to this one, and when it is turned the step is free at both.
            step, other = _lowest(at_job), _lowest(at_machine)
            self._turn(self._chain(machine, step, other), step, other)
        self.ends.append((job, machine))
        self.step_of.append(step)
        self._put(len(self.ends) - 1, step)

    def even_out(self) -> None:
        """Turn chains round until no step has more edges than the limit: each moves one edge to another step."""
        for step, edges in enumerate(self.edges_in):
            while len(edges) > self.most_at_once:
                other = _lowest(self.not_full)
                self._turn(self._longer_chain(step, other), step, other)

    def _longer_chain(self, step: int, other: int) -> list[int]:
        """Return a chain with one edge more of `step` than of `other`: there is one where `step` has more edges."""
        starts = (
            vertex
            for edge in sorted(self.edges_in[step])
            for vertex in self.ends[edge]
            if (vertex, other) not in self.edge_at
        )
        return next(chain for start in starts if len(chain := self._chain(start, step, other)) % 2)

    def _chain(self, vertex: int, step: int, other: int) -> list[int]:
        """Return the edges on the way from a vertex that takes an edge of `step`, one of `other`, and so on."""
        chain = []
        while (edge := self.edge_at.get((vertex, step))) is not None:
            chain.append(edge)
            vertex = sum(self.ends[edge]) - vertex
            step, other = other, step
        return chain

    def _turn(self, chain: list[int], step: int, other: int) -> None:
        """Exchange the two steps along a chain."""
        for edge in chain:
            self._take(edge)
        for edge in chain:
            self._put(edge, step + other - self.step_of[edge])

    def _take(self, edge: int) -> None:
        step = self.step_of[edge]
        self.edges_in[step].remove(edge)
        if len(self.edges_in[step]) < self.most_at_once:
            self.not_full |= 1 << step
        for vertex in self.ends[edge]:
            del self.edge_at[vertex, step]
            self.free[vertex] |= 1 << step

    def _put(self, edge: int, step: int) -> None:
        self.step_of[edge] = step
        self.edges_in[step].add(edge)
        if len(self.edges_in[step]) >= self.most_at_once:
            self.not_full &= ~(1 << step)
        for vertex in self.ends[edge]:
            self.edge_at[vertex, step] = edge
            self.free[vertex] &= ~(1 << step)


def _lowest(bits: int) -> int:
    """Return the number of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1
