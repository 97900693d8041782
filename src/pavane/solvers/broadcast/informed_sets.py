"""Broadcast from one origin by a search over informed sets, with maximum flows as the oracle.

A wormhole broadcast of one message is a chain of sets: the processors informed after 0, 1, 2, ... steps. Copies are
alike, so one step leads from the informed set I to a larger set J exactly if a flow of unit channels does: an informed
processor emits at most its injection ports, a new one absorbs one unit. What a maximum flow cannot do, a minimum cut
forbids, and the cut says which sources stand on the wrong side. Processors of one router are alike too, so routers are
the vertices.

Flows run over channels of one unit each; one that carries several comes as parallel ones (unit_capacities.py).

The search (`chains`) runs backwards from "all targets are informed"; an oracle computes what one step can do; it
makes the flows (`one_step`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pavane.bounds.growth import informed
from pavane.model.arrays import Longs
from pavane.model.maximum_flow import simple_paths_of
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.parallel.budget import Budget
from pavane.solvers.broadcast.informed_chains import Chains, InformedSet
from pavane.solvers.broadcast.step_flows import StepFlow
from pavane.solvers.broadcast.step_oracle import Oracle, OutOfEffort
from pavane.solvers.solving import solve_once
from pavane.solvers.supports import Supports

FLOWS_FAR_ABOVE = 1000
"""The most flows for a number of steps far above the bound."""


@dataclass(frozen=True)
class InformedSets:
    """A search over informed sets, for one broadcast message or one reduction."""

    name: str = "informed-sets"
    most_flows: int = 6000
    """The most flows for one number of steps."""
    most_arcs: int = 120_000_000
    """The most arcs of all these flows together: large networks get fewer flows."""

    supports = Supports(patterns=("broadcast", "reduction"), switching=("wormhole",), restricted=False, most_messages=1)

    def find(
        self, problem: Problem, num_steps: int | None, rng: np.random.Generator, budget: Budget
    ) -> Schedule | None:
        """Inform by quick chains forwards, then look for shorter ones backwards, from the bound upwards."""
        if not self.supports(problem):
            return None
        root = int(problem.ends[0, 0])
        targets = np.setdiff1d(problem.collective.receivers, [root])
        growth = informed(problem, root, len(targets))
        oracle = Oracle(problem, budget)
        search = Chains(oracle, root, targets, growth)
        try:
            chain = search.forwards(num_steps, rng)
        except OutOfEffort:
            return None
        least = len(growth) - 1
        with suppress(OutOfEffort):
            chain = search.flooded(num_steps or 0 if chain is None else len(chain) - 2) or chain
        if num_steps is None:
            tries = range(least, len(chain or ()) - 1)
        else:
            tries = range(max(least, num_steps), num_steps + 1 if chain is None else 0)
        for tried in tries:
            # Far above the bound the sets have room, and what is not found soon is not found at all.
            flows = max(1, min(self.most_flows, self.most_arcs // oracle.size))
            if tried >= least + 2 and tried != num_steps:
                flows = min(flows, FLOWS_FAR_ABOVE)
            try:
                shorter = search.backwards(tried, rng, flows)
            except OutOfEffort:
                shorter = None
            if shorter is not None:
                chain = shorter
                break
            if oracle.is_over:
                break
        return None if chain is None else _schedule(oracle, chain, targets)

    __call__ = solve_once


def _schedule(oracle: Oracle, chain: list[InformedSet], targets: Longs) -> Schedule:
    """Take the flow of every step apart, and leave out relays that pass nothing on."""
    oracle.most_flows, oracle.budget = None, Budget()
    needed = set(targets.tolist())
    steps: list[list[Transfer]] = []
    for before, after in reversed(list(pairwise(chain))):
        useful = [transfer for transfer in _transfers(oracle, before, after) if transfer.receiver in needed]
        needed |= {transfer.sender for transfer in useful}
        steps += [useful] if useful else []
    return Schedule.from_transfers(
        transfer._replace(start=number) for number, step in enumerate(reversed(steps)) for transfer in step
    )


def _transfers(oracle: Oracle, before: InformedSet, after: InformedSet) -> Iterator[Transfer]:
    """Yield the transfers of one step, not yet numbered: its flows as simple paths."""
    holders, wanted = before.members, after.members & ~before.members
    step = after.step
    if step is None or not oracle.is_minimal:
        # Shortest paths where they are enough: a flow over all channels wanders.
        short = oracle.step(holders, wanted, shortest=True)
        step = short if not short.missing else step or oracle.step(holders, wanted)
    receivers: dict[int, list[int]] = {}
    for receiver in np.flatnonzero(wanted).tolist():
        receivers.setdefault(int(oracle.home[receiver]), []).append(receiver)
    senders: dict[int, list[int]] = {}
    for sender in np.flatnonzero(holders).tolist():
        senders.setdefault(int(oracle.home[sender]), []).extend([sender] * int(oracle.ports[sender]))
    for flow in step.flows:
        for start, path, end in _paths(oracle, flow):
            yield Transfer(0, senders[start].pop(), receivers[end].pop(), path, (0,))


def _paths(oracle: Oracle, flow: StepFlow) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """Take a flow apart into simple paths, each with the routers at its ends."""
    network, channels = oracle.problem.network, flow.on_channels
    if oracle.is_half:
        back = network.opposite[channels]
        channels = channels[(back < 0) | ~np.isin(back, channels)]
    starts = np.repeat(np.arange(oracle.num_routers), flow.emitted).tolist()
    return simple_paths_of(network, channels, starts, flow.absorbed.tolist())
