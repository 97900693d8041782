"""Transfers along listed paths, under wormhole switching and tdm: one variable per message, path and step.

"Shortest between its own ends" is a property of whole paths, so minimal routing needs the list of them all, and so do
the restrictions of meshes and tori. Under any routing the list can be made longer, by paths with a small detour, but it
is hardly ever complete; for slots it has all simple paths, where they are few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

import numpy as np
import numpy.typing as npt

from pavane.bounds.cut_loads import entering, leaving
from pavane.bounds.tail import link_ends
from pavane.model.arrays import Reals
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.routing import Restriction, StateHops
from pavane.model.schedule import Transfer
from pavane.solvers.exact.program import Literal, Location, ScheduleProgram, Unit
from pavane.solvers.exact.tree_loads import TreeLoads, TreeRun

Path = tuple[int, ...]


class PathVariables:
    """Chooses paths for the arrivals of a program, with at most `detour` channels more than the shortest."""

    def __init__(self, program: ScheduleProgram, detour: int = 0) -> None:
        self.program = program
        self.runs: dict[tuple[int, Location, Location, Path, int], Literal] = {}
        self.known: dict[tuple[int, int], list[Path]] = {}
        self.between = paths_between(program.problem, detour)
        for message in range(len(program.journeys)):
            program.check_time()
            self._run_from_holders(message)
        self._use_channels_and_ports()
        program.order_pieces()
        if program.problem.pattern == "private" and program.has_slots:
            if program.problem.rules.wrap:
                program.fix_rotation()
        elif program.problem.has_trees:
            pass  # what follows counts single transfers
        elif program.problem.pattern == "private":
            program.order_steps([self._forced(message) for message in range(len(program.journeys))])
        elif program.problem.rules.duplex == "full":
            self._pass_seldom()
        elif not program.has_slots:
            self._take_few_links()

    def paths(self, sender: Location, receiver: Location) -> list[Path]:
        """Return the paths between two processors that are listed."""
        start, end = self.program.router_of[sender], self.program.router_of[receiver]
        if (start, end) not in self.known:
            self.known[start, end] = list(self.between(start, end))
        return self.known[start, end]

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
                    if sender == receiver or program.busy > program.num_steps:
                        continue
                    for path in self.paths(sender, receiver):
                        start = program.start(step, len(path))
                        if start not in sending:
                            continue
                        run = model.new_bool_var("")
                        self.runs[message, sender, receiver, path, start] = run
                        runs.append(run)
                        if sender != journey.origin:
                            model.add_implication(run, program.holds[message, sender, start])
                model.add_exactly_one(*runs, ~arrival)

    def _use_channels_and_ports(self) -> None:
        """A transfer uses every channel of its path and a port at its sender; its arrival uses the other port."""
        program = self.program
        if program.problem.has_trees:
            self._run_along_trees()
            return
        hop = program.problem.rules.hop_slots if program.has_slots else 0
        for (_, sender, _, path, step), run in self.runs.items():
            for number, channel in enumerate(path, 1):
                program.use(program.channel_unit[channel], step + number * hop, run)
            program.use(program.injection(sender), step, run)

    def _run_along_trees(self) -> None:
        """Where routers copy, transfers of one message in one step use what the trees use that they form."""
        program = self.program
        together: dict[tuple[int, int], list[TreeRun]] = {}
        for (message, sender, receiver, path, step), run in self.runs.items():
            together.setdefault((message, step), []).append(TreeRun(sender, receiver, path, run))
        for (_, step), runs in together.items():
            program.check_time()
            TreeLoads(program.model, program.problem, runs, partial(_use_in_step, program, step))

    def _pass_seldom(self) -> None:
        """Channels into a router that messages must enter are left to those that only pass it as far as not needed."""
        program, network = self.program, self.program.problem.network
        passing: list[list[Literal]] = [[] for _ in range(network.num_routers)]
        for (_, _, _, path, _), run in self.runs.items():
            for channel in path[:-1]:
                passing[network.heads[channel]].append(run)
        for router, runs in enumerate(passing):
            cut = leaving(program.loads, np.arange(network.num_routers) != router)
            program.model.add(program.busy * sum(runs) <= program.num_steps * cut.per_step - cut.num_messages)

    def _take_few_links(self) -> None:
        """Half duplex: a message takes a link between two routers with processors to enter the second, or two others.

        What it takes beyond that is as good as idle.
        """
        program, network = self.program, self.program.problem.network
        ends = link_ends(program.problem, [frozenset([router]) for router in set(network.router_of.tolist())])
        if ends is None:
            return
        taken = [ends.get(unit, 0) for unit in program.channel_unit]
        wasted = sum(
            (sum(taken[channel] for channel in path) - 2) * run for (*_, path, _), run in self.runs.items() if path
        )
        spare = program.num_steps * sum(number * int(network.capacity[unit]) for unit, number in ends.items())
        program.waste_little(ends, spare - 2 * entering(program.loads).num_messages, wasted)

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


def _use_in_step(program: ScheduleProgram, step: int, unit: Unit, literal: Literal) -> None:
    program.use(unit, step, literal)


def simple_paths(network: Network, start: int, end: int, longest: int) -> Iterator[Path]:
    """Yield every path of at most `longest` channels between two routers that meets no router twice, as channels."""
    heads, to_end = network.heads.tolist(), network.distances[:, end].tolist()

    def onward(here: int, left: int, met: Path) -> Iterator[Path]:
        if here == end:
            yield ()
            return
        for channel in network.out_channels[here]:
            head = heads[channel]
            if head not in met and 0 <= to_end[head] < left:
                for rest in onward(head, left - 1, (*met, here)):
                    yield (channel, *rest)

    return onward(start, longest, ())


def paths_between(problem: Problem, detour: int | None = None) -> Callable[[int, int], Iterator[Path]]:
    """Return a function that yields the paths of one step between two routers.

    With a detour, paths that the rules do not order have at most so many channels more than the shortest.
    """
    network, rules, restriction = problem.network, problem.rules, problem.restriction
    if rules.switching == "store-and-forward":
        passes = (problem.is_switch & problem.passes_switches).tolist()
        heads = network.heads.tolist()

        def hops(start: int, end: int, met: tuple[int, ...] = ()) -> Iterator[Path]:
            if start == end:
                yield ()
                return
            for channel in network.out_channels[start]:
                head = heads[channel]
                if problem.takes_shortest_hops and network.distances[head, end] >= network.distances[start, end]:
                    continue
                if head == end:
                    yield (channel,)
                elif passes[head] and head not in met:
                    for rest in hops(head, end, (*met, start)):
                        yield (channel, *rest)

        return hops
    if restriction is not None:
        moves = StateHops(network, restriction)
        to_end = restriction.distances(np.arange(network.num_routers)).T.tolist()
        return lambda start, end: restricted_paths(moves, to_end[end], moves.start(start))
    if detour is None:
        detour = network.num_routers if rules.routing == "any" else 0
    return lambda start, end: simple_paths(network, start, end, int(network.distances[start, end]) + detour)


def restricted_paths(moves: StateHops, to_end: list[int], state: int) -> Iterator[Path]:
    """Yield every admissible path from a state to the router at distance 0 in `to_end`, as channels."""
    here = to_end[moves.router(state)]
    if here == 0:
        yield ()
        return
    for channel, head in moves.out[state]:
        if to_end[moves.router(head)] == here - 1:
            for rest in restricted_paths(moves, to_end, head):
                yield (channel, *rest)


MOST_PATHS_COUNTED = 20_000
"""Simple paths of any length are counted one by one, up to this many from a router; more take seconds."""


def num_paths(problem: Problem, detour: int = 0) -> float:
    """Return how many paths all messages together may choose from in one step; a float, for it may be astronomical.

    A detour of more than one channel stands for all simple paths.
    """
    if problem.rules.switching == "store-and-forward":
        return problem.num_messages * _num_hops(problem)
    network = problem.network
    homes = network.router_of
    processors = np.arange(network.num_processors)
    by_source: dict[int, list[npt.NDArray[np.intp]]] = {}
    if problem.pattern == "private":
        for origin in np.unique(problem.ends[:, 0]).tolist():
            targets = problem.ends[problem.ends[:, 0] == origin, 1]
            by_source.setdefault(int(homes[origin]), []).append(targets)
    else:
        for sender in processors.tolist():
            by_source.setdefault(int(homes[sender]), []).append(np.delete(processors, sender))
    total, restriction = 0.0, problem.restriction
    for source, receivers in by_source.items():
        if restriction is not None:
            counts = _restricted_counts(restriction, source)
        elif detour > 1:
            counts = _simple_counts(network, source)
        else:
            counts = _path_counts(network, source, detour)
        total += float(sum(counts[homes[some]].sum() for some in receivers))
    return total if problem.pattern == "private" else total * problem.num_messages


def _num_hops(problem: Problem) -> float:
    """Count the ways over switches from each processor to each other, one by one."""
    homes, between = problem.network.router_of.tolist(), paths_between(problem)
    pairs = ((one, other) for at, one in enumerate(homes) for number, other in enumerate(homes) if at != number)
    found = sum(1 for _ in islice((path for ends in pairs for path in between(*ends)), MOST_PATHS_COUNTED))
    return found if found < MOST_PATHS_COUNTED else np.inf


def _path_counts(network: Network, source: int, detour: int) -> Reals:
    """Count the paths from a router to every router with at most `detour`, 0 or 1, channels more than the shortest."""
    distances = network.distances_from(source)
    tails, heads = network.tails, network.heads
    levels = distances[tails]
    shortest, longer = np.zeros((2, network.num_routers))
    shortest[source] = 1
    with np.errstate(over="ignore"):
        for level in range(int(distances.max(initial=0)) + 1):
            here = levels == level
            onward, sideways = (here & (distances[heads] == further) for further in (level + 1, level))
            np.add.at(longer, heads[sideways], shortest[tails[sideways]])
            np.add.at(longer, heads[onward], longer[tails[onward]])
            np.add.at(shortest, heads[onward], shortest[tails[onward]])
    return shortest + longer * detour


def _simple_counts(network: Network, source: int) -> Reals:
    """Count the simple paths from a router to every router, one by one; infinitely many where there are too many."""
    counts = np.zeros(network.num_routers)
    stack = [(source, frozenset((source,)))]
    for _ in range(MOST_PATHS_COUNTED):
        if not stack:
            return counts
        router, met = stack.pop()
        counts[router] += 1
        heads = network.heads[list(network.out_channels[router])].tolist()
        stack += [(head, met | {head}) for head in heads if head not in met]
    return counts + np.inf


def _restricted_counts(restriction: Restriction, source: int) -> Reals:
    """Count the paths from a router to every router that a restriction admits."""
    network = restriction.network
    away = restriction.distances(np.array([source]))[0]
    counts = np.zeros((network.num_routers, restriction.num_phases))
    counts[source, 0] = 1
    for router in np.argsort(away, kind="stable").tolist():
        for channel in network.out_channels[router]:
            head, phase = int(network.heads[channel]), int(restriction.phases[channel])
            if away[head] == away[router] + 1:
                counts[head, phase] += counts[router, : phase + 1].sum()
    total: Reals = counts.sum(axis=1)
    return total
