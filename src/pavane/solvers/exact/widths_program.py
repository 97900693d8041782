"""Exact answers under combining: "are there T start-ups of TCO R?", for store-and-forward with all ports.

Which transfers there are is no question then: in step t every channel of capacity c carries up to c * w[t] messages, in
c transfers, and the widths w add up to R (SCCL requires the same of its steps and rounds). The widths are variables, so
a "no" holds for all of them.

Where switches pass, a hop is a way over them, and the messages that share a transfer have it in common: each hop has a
number of transfers, whose sum over the hops of a channel is at most its capacity. Where no channel joins two switches
all hops are listed; else a "no" proves nothing, because ways over more switches than needed are left out.

Private messages of one origin are one flow through the network unrolled in time, which comes apart into their paths.
Broadcast messages are followed one by one; pieces of one message are alike, so they are put in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pavane.model.arrays import Longs
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.model.switch_hops import SwitchHop, hops, joins_switches, single_hops
from pavane.parallel.budget import Budget
from pavane.solvers.bundles import Bundles, Hops
from pavane.solvers.cp_sat_runs import new_solver, run_beside

Move = tuple[int, int, int]
"""A message that moves: its step, its hop and its number."""


SIZE_OF_A_HOP = 4
"""Hops that share channels make a program as slow to decide as one of this many times their number does otherwise."""


@dataclass(frozen=True)
class Decision:
    """The answer of CP-SAT: a schedule, a refutation, or neither."""

    schedule: Schedule | None = None
    is_refuted: bool = False


def num_variables(problem: Problem, num_steps: int) -> int:
    """Return about how many variables the program has."""
    followed = len(np.unique(problem.ends[:, 0])) if problem.pattern == "private" else problem.num_messages
    bundles = Bundles.of(problem.network)
    weight = SIZE_OF_A_HOP if problem.passes_switches else 1
    return weight * followed * len(_hops_of(problem, bundles)) * num_steps


def decide(problem: Problem, num_steps: int, tco: int, *, effort: float, seed: int, budget: Budget) -> Decision:
    """Decide whether there is a schedule of `num_steps` start-ups whose TCO is at most `tco`.

    The effort is CP-SAT's deterministic time, so that a run can be repeated.
    """
    from ortools.sat.python import cp_model

    kind = _Flows if problem.pattern == "private" else _CopyProgram
    program = kind(problem, num_steps, tco)
    solver = new_solver(effort, seed, budget)
    status = run_beside(solver, program.model, budget)
    if status in (cp_model.FEASIBLE, cp_model.OPTIMAL):
        return Decision(program.schedule(solver.value))
    is_whole = not (problem.passes_switches and joins_switches(problem))
    return Decision(is_refuted=status == cp_model.INFEASIBLE and is_whole)


def _hops_of(problem: Problem, bundles: Bundles) -> list[SwitchHop]:
    """List what one step may do, over bundles of channels."""
    joined = bundles.network
    if not problem.passes_switches:
        return [SwitchHop((bundle,), tail, head) for bundle, (tail, head) in enumerate(joined.channels.tolist())]
    bundled = replace(problem, network=joined)
    return hops(bundled) if joins_switches(bundled) else single_hops(bundled)


class _WidthProgram:
    """The widths of the steps, and what every bundle has room for. The channels of its network are hops."""

    def __init__(self, problem: Problem, num_steps: int, tco: int) -> None:
        from ortools.sat.python import cp_model

        self.problem, self.num_steps, self.bundles = problem, num_steps, Bundles.of(problem.network)
        joined, self.hops = self.bundles.network, _hops_of(problem, self.bundles)
        ends = [(hop.tail, hop.head) for hop in self.hops]
        self.network = Network(joined.name, joined.routers, ends, joined.router_of)
        self.model: Any = cp_model.CpModel()
        self.most_wide = max(1, tco - num_steps + 1)
        self.widths = [self.model.new_int_var(1, self.most_wide, "") for _ in range(num_steps)]
        self.model.add(sum(self.widths) == tco)
        processor_on = {router: processor for processor, router in enumerate(self.network.router_of.tolist())}
        self.location_of = [processor_on.get(router, ~router) for router in range(self.network.num_routers)]
        self.into: list[list[int]] = [[] for _ in range(self.network.num_routers)]
        self.out_of: list[list[int]] = [[] for _ in range(self.network.num_routers)]
        for number, hop in enumerate(self.hops):
            self.out_of[hop.tail].append(number)
            self.into[hop.head].append(number)

    def _fit(self, loads: Callable[[int, int], list[Any]]) -> None:
        """A bundle carries as many messages in a step as its capacity times the width."""
        if self.problem.passes_switches:
            self._fit_over_switches(loads)
            return
        for number, hop in enumerate(self.hops):
            for step in range(self.num_steps):
                load = loads(number, step)
                if load:
                    self.model.add(sum(load) <= int(self.bundles.network.capacity[hop.path[0]]) * self.widths[step])

    def _fit_over_switches(self, loads: Callable[[int, int], list[Any]]) -> None:
        """Transfers of a hop carry the width of the step each; a bundle has no more of them than its capacity."""
        capacity: list[int] = self.bundles.network.capacity.tolist()
        for step in range(self.num_steps):
            over: dict[int, list[Any]] = {}
            for number, hop in enumerate(self.hops):
                load = loads(number, step)
                if load:
                    most = min(capacity[bundle] for bundle in hop.path)
                    transfers = self.model.new_int_var(0, most, "")
                    carried = self.model.new_int_var(0, most * self.most_wide, "")
                    self.model.add_multiplication_equality(carried, [transfers, self.widths[step]])
                    self.model.add(sum(load) <= carried)
                    for bundle in hop.path:
                        over.setdefault(bundle, []).append(transfers)
            for bundle, shares in over.items():
                self.model.add(sum(shares) <= capacity[bundle])

    def _schedule(self, moves: list[Move], value: Any) -> Schedule:
        """Put together what goes over one bundle, or the same way over switches, in one step."""
        steps, numbers, messages = (np.array(column, dtype=np.int64) for column in zip(*moves, strict=True))
        location_of = np.array(self.location_of)
        senders, receivers = location_of[self.network.tails[numbers]], location_of[self.network.heads[numbers]]
        widths = np.array([value(width) for width in self.widths])
        made = Hops(steps, senders, receivers, numbers, messages)
        return self.bundles.schedule(made, [hop.path for hop in self.hops], widths=widths)


class _Flows(_WidthProgram):
    """Private messages: those of one origin are a flow."""

    def __init__(self, problem: Problem, num_steps: int, tco: int) -> None:
        super().__init__(problem, num_steps, tco)
        homes = self.network.router_of
        self.origins = np.unique(problem.ends[:, 0]).tolist()
        self.flow: dict[tuple[int, int, int], Any] = {}
        """How many messages of an origin go over a hop in a step."""
        self.rest: dict[tuple[int, int, int], Any] = {}
        """How many of them stay on a router during a step."""
        for origin in self.origins:
            wanted = np.bincount(
                homes[problem.ends[problem.ends[:, 0] == origin, 1]], minlength=self.network.num_routers
            )
            self._flow_out(origin, int(homes[origin]), wanted)
        self._fit(lambda hop, step: [self.flow[origin, hop, step] for origin in self.origins])

    def _flow_out(self, origin: int, home: int, wanted: Longs) -> None:
        """Messages of an origin stay or move on in every step, and end where they are wanted."""
        total, model = int(wanted.sum()), self.model
        for router in range(self.network.num_routers):
            for step in range(self.num_steps):
                for hop in self.out_of[router]:
                    self.flow[origin, hop, step] = model.new_int_var(0, total, "")
                self.rest[origin, router, step] = model.new_int_var(0, total, "")
        for router in range(self.network.num_routers):
            held: Any = total if router == home else 0
            for step in range(self.num_steps):
                out = sum(self.flow[origin, hop, step] for hop in self.out_of[router])
                model.add(out + self.rest[origin, router, step] == held)
                arriving = sum(self.flow[origin, hop, step] for hop in self.into[router])
                held = self.rest[origin, router, step] + arriving
            model.add(held == int(wanted[router]))

    def schedule(self, value: Any) -> Schedule:
        """Take the flows apart, a path for each message."""
        made: list[Move] = []
        flow = {key: value(variable) for key, variable in self.flow.items()}
        rest = {key: value(variable) for key, variable in self.rest.items()}
        homes = self.network.router_of
        for message, (origin, target) in enumerate(self.problem.ends.tolist()):
            path = self._taken(origin, int(homes[target]), flow, rest)
            made += [(step, hop, message) for step, hop in _without_loops(path, self.network.channels)]
        return self._schedule(made, value)

    def _taken(
        self, origin: int, router: int, flow: dict[tuple[int, int, int], int], rest: dict[tuple[int, int, int], int]
    ) -> list[tuple[int, int]]:
        """Take a message's way out of the flow, from its end backwards: steps and hops."""
        path: list[tuple[int, int]] = []
        for step in reversed(range(self.num_steps)):
            if rest[origin, router, step]:
                rest[origin, router, step] -= 1
                continue
            hop = next(number for number in self.into[router] if flow[origin, number, step])
            flow[origin, hop, step] -= 1
            path.append((step, hop))
            router = int(self.network.tails[hop])
        return path[::-1]


def _without_loops(path: list[tuple[int, int]], channels: Any) -> Iterator[tuple[int, int]]:
    """Leave out what comes back to a router where the message had been: it may rest there instead."""
    kept: list[tuple[int, int]] = []
    for step, hop in path:
        kept.append((step, hop))
        head = int(channels[hop, 1])
        for at, (_, before) in enumerate(kept):
            if channels[before, 0] == head:
                del kept[at:]
                break
    yield from kept


class _CopyProgram(_WidthProgram):
    """Broadcast messages, one by one: a router gets each at most once, from one that had it before."""

    def __init__(self, problem: Problem, num_steps: int, tco: int) -> None:
        super().__init__(problem, num_steps, tco)
        homes = self.network.router_of.tolist()
        self.targets = {homes[receiver] for receiver in problem.collective.receivers}
        self.home_of = [homes[label[0]] for label in problem.ends.tolist()]
        self.moves: dict[tuple[int, int, int], Any] = {}
        """Whether a message goes over a hop in a step."""
        for message, home in enumerate(self.home_of):
            self._spread(message, home)
        for first in range(len(self.home_of) - 1):
            if (problem.ends[first] == problem.ends[first + 1]).all():
                self._order(first, first + 1)
        self._fit(self._load)

    def _load(self, hop: int, step: int) -> list[Any]:
        """Return the variables of the messages that may go over a hop in a step."""
        named = ((message, hop, step) for message in range(len(self.home_of)))
        return [self.moves[key] for key in named if key in self.moves]

    def _spread(self, message: int, home: int) -> None:
        """A target gets a message once, any other router at most once; a sender has got it before."""
        away = self.network.distances[home].tolist()
        for hop, (tail, head) in enumerate(self.network.channels.tolist()):
            if head != home and away[tail] >= 0:
                for step in range(away[tail], self.num_steps):
                    self.moves[message, hop, step] = self.model.new_bool_var("")
        for router in range(self.network.num_routers):
            if router == home:
                continue
            arrivals = list(self._arrivals(message, router, self.num_steps))
            if router in self.targets:
                self.model.add_exactly_one(arrivals)
            else:
                self.model.add_at_most_one(arrivals)
            for hop in self.out_of[router]:
                for step in range(self.num_steps):
                    if (message, hop, step) in self.moves:
                        before = self._arrivals(message, router, step)
                        self.model.add_bool_or(~self.moves[message, hop, step], *before)

    def _arrivals(self, message: int, router: int, before: int) -> Iterator[Any]:
        for hop in self.into[router]:
            for step in range(before):
                if (message, hop, step) in self.moves:
                    yield self.moves[message, hop, step]

    def _order(self, first: int, second: int) -> None:
        """Of two pieces that are alike the first comes to the farthest target by the lower hop, or earlier."""
        home = self.home_of[first]
        far = max(self.targets - {home}, key=lambda router: (int(self.network.distances[home, router]), router))

        def line(message: int) -> Any:
            return sum(
                (number * self.num_steps + step) * self.moves[message, hop, step]
                for number, hop in enumerate(self.into[far])
                for step in range(self.num_steps)
                if (message, hop, step) in self.moves
            )

        self.model.add(line(first) <= line(second))

    def schedule(self, value: Any) -> Schedule:
        """Keep the copies that lead to a target in the end."""
        made = sorted((key for key, move in self.moves.items() if value(move)), key=lambda key: -key[2])
        wanted = {(message, target) for message in range(len(self.home_of)) for target in self.targets}
        needed: list[Move] = []
        for message, hop, step in made:
            tail, head = self.network.channels[hop].tolist()
            if (message, head) in wanted:
                wanted.add((message, tail))
                needed.append((step, hop, message))
        return self._schedule(needed, value)
