"""Wormhole transfers under minimal routing: one variable per message, path and step, with every admissible path.

"Shortest between its own ends" is a property of whole paths, so they are listed, one by one (gecco08 section 4 lists
them for its encodings as well).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from pavane.bounds.cuts import leaving
from pavane.network import Network
from pavane.problem import Problem
from pavane.schedule import Transfer
from pavane.solvers.exact_program import Literal, Place, Program, Unit

Path = tuple[int, ...]


class Paths:
    """Chooses paths for the arrivals of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.runs: dict[tuple[int, Place, Place, Path, int], Literal] = {}
        self.known: dict[tuple[int, int], list[Path]] = {}
        for message in range(len(program.journeys)):
            program.check_time()
            self._run_from_holders(message)
        self._use_channels_and_ports()
        if program.problem.pattern == "private":
            program.order_steps([self._forced(message) for message in range(len(program.journeys))])
        elif program.problem.rules.duplex == "full":
            self._pass_seldom()

    def paths(self, sender: Place, receiver: Place) -> list[Path]:
        """Return the shortest paths between two processors."""
        ends = self.program.router_of[sender], self.program.router_of[receiver]
        if ends not in self.known:
            self.known[ends] = list(shortest_paths(self.program.problem.network, *ends))
        return self.known[ends]

    def _run_from_holders(self, message: int) -> None:
        """A message arrives by exactly one transfer, and a transfer starts where the message is held."""
        program, model = self.program, self.program.model
        journey = program.journeys[message]
        senders = list(journey.senders(program.num_steps))
        direct = program.problem.pattern == "private"
        for receiver, window in journey.windows.items():
            for step in window:
                arrival = program.arrives[message, receiver, step]
                runs = []
                for sender, sending in senders[:1] if direct else senders:
                    if sender == receiver or step not in sending:
                        continue
                    for path in self.paths(sender, receiver):
                        run = model.new_bool_var("")
                        self.runs[message, sender, receiver, path, step] = run
                        runs.append(run)
                        if sender != journey.origin:
                            model.add_implication(run, program.holds[message, sender, step])
                model.add_exactly_one(*runs, ~arrival)

    def _use_channels_and_ports(self) -> None:
        """A transfer uses every channel of its path and a port at its sender; its arrival uses the other port."""
        program = self.program
        for (_, sender, _, path, step), run in self.runs.items():
            for channel in path:
                program.use(program.channel_unit[channel], step, run)
            program.use(program.injection(sender), step, run)

    def _pass_seldom(self) -> None:
        """Channels into a router that messages must enter are left to those that only pass it as far as not needed."""
        program, network = self.program, self.program.problem.network
        passing: list[list[Literal]] = [[] for _ in range(network.num_routers)]
        for (_, _, _, path, _), run in self.runs.items():
            for channel in path[:-1]:
                passing[network.heads[channel]].append(run)
        for router, runs in enumerate(passing):
            cut = leaving(program.problem, np.arange(network.num_routers) != router)
            program.model.add(sum(runs) <= program.num_steps * cut.per_step - cut.num_messages)

    def _forced(self, message: int) -> frozenset[Unit]:
        """Return the units that a private message needs whichever path it takes."""
        program, journey = self.program, self.program.journeys[message]
        (target,) = journey.targets
        ways = [{program.channel_unit[c] for c in path} for path in self.paths(journey.origin, target)]
        return frozenset(set.intersection(*ways) | {program.injection(journey.origin), program.ejection(target)})

    def transfers(self, value: Callable[[Literal], int]) -> Iterator[Transfer]:
        """Yield the transfers that were chosen."""
        for (message, sender, receiver, path, step), run in self.runs.items():
            if value(run):
                yield Transfer(step, sender, receiver, path, (message,))


def shortest_paths(network: Network, start: int, end: int) -> Iterator[Path]:
    """Yield every shortest path between two routers, as channels."""
    if start == end:
        yield ()
        return
    left = network.distances[:, end]
    for channel in network.out_channels[start]:
        head = int(network.heads[channel])
        if left[start] > 0 and left[head] == left[start] - 1:
            for rest in shortest_paths(network, head, end):
                yield (channel, *rest)


def num_paths(problem: Problem) -> int:
    """Return the number of paths that all messages together may choose from in one step."""
    network = problem.network
    counts = _shortest_path_counts(network)[np.ix_(network.router_of, network.router_of)]
    if problem.pattern == "private":
        return int(counts[problem.labels[:, 0], problem.labels[:, 1]].sum())
    return int((counts.sum() - np.trace(counts)) * problem.num_messages)


def _shortest_path_counts(network: Network) -> npt.NDArray[np.float64]:
    """Count the shortest paths from router to router; as floats, for there may be astronomically many."""
    distances = network.distances
    counts = np.eye(network.num_routers)
    for level in range(int(distances.max(initial=0))):
        for tail, head in network.channels.tolist():
            onward = (distances[:, tail] == level) & (distances[:, head] == level + 1)
            counts[onward, head] += counts[onward, tail]
    return counts
