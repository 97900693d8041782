"""What transfers of one message use in one step where routers copy, as rows of a constraint program.

Transfers that share channels form a tree, or count one by one. The rules of a tree are those of the judge: one way from
the sender to a channel and one from there to each receiver, and routers that copy where it parts. A tree uses each of
its channels once, and a processor's port once if its router copies; elsewhere once for each channel that it begins
with. One constraint is one method.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from pavane.model.problem import Problem

Literal = Any
"""A variable of the program, or its negation; CP-SAT comes without types."""


class TreeRun(NamedTuple):
    """A transfer that the program may choose."""

    sender: int
    receiver: int
    path: tuple[int, ...]
    chosen: Literal


class Place(NamedTuple):
    """A turn of a path at a router: what it comes by, and what it goes by; processors are written as ~p."""

    router: int
    came_by: int
    goes_by: int


class TreeLoads:
    """Enters what the transfers of one message in one step use, by `use(unit, literal)`."""

    def __init__(
        self, model: Any, problem: Problem, runs: Sequence[TreeRun], use: Callable[[int, Literal], None]
    ) -> None:
        self.model, self.problem, self.runs, self.use = model, problem, runs, use
        self.homes: list[int] = problem.network.router_of.tolist()
        self.heads: list[int] = problem.network.heads.tolist()
        self.copies: list[bool] = problem.is_copying.tolist()
        self.joined = list(self._join_or_stay_alone())
        self.uses_channel = self._any_of((channel, number) for number, run in self._numbered() for channel in run.path)
        self._use_channels()
        self._go_one_way()
        self._begin_at_one_sender()
        self._turn_at_copying_routers()
        self._use_ports()

    def _numbered(self) -> list[tuple[int, TreeRun]]:
        return list(enumerate(self.runs))

    def _any_of(self, members: Any) -> dict[Any, Literal]:
        """Return for each key a literal that holds if a joined transfer of it does."""
        listed: dict[Any, list[Literal]] = {}
        for key, number in members:
            listed.setdefault(key, []).append(self.joined[number])
        literals = {}
        for key, some in listed.items():
            literals[key] = some[0] if len(some) == 1 else self.model.new_bool_var("")
            for one in some if len(some) > 1 else ():
                self.model.add_implication(one, literals[key])
        return literals

    # -- trees

    def _join_or_stay_alone(self) -> list[Literal]:
        """A transfer is part of a tree, or counts alone, which helps only where a channel carries it twice."""
        if self.problem.network.capacity.max(initial=1) == 1:
            return [run.chosen for run in self.runs]
        joined = []
        for run in self.runs:
            joined.append(self.model.new_bool_var(""))
            self.model.add_implication(joined[-1], run.chosen)
        return joined

    def _use_channels(self) -> None:
        """A tree uses each of its channels once; what counts alone shares no channel with a tree."""
        units = self.problem.units.tolist()
        for channel, literal in self.uses_channel.items():
            self.use(units[channel], literal)
        for run, joined in zip(self.runs, self.joined, strict=True):
            if run.chosen is joined:
                continue
            alone = self.model.new_bool_var("")
            self.model.add_exactly_one(joined, alone, ~run.chosen)
            for channel in run.path:
                self.use(units[channel], alone)
                self.model.add_implication(alone, ~self.uses_channel[channel])
            self.use(self._port(run.sender), alone)

    def _go_one_way(self) -> None:
        """A sender has one way to each channel of a tree, and a receiver has one from it."""
        before, after = [], []
        for number, run in self._numbered():
            for at, channel in enumerate(run.path):
                before.append(((channel, run.sender, run.path[:at]), number))
                after.append(((channel, run.receiver, run.path[at:]), number))
        for ways in (before, after):
            by_end: dict[tuple[int, int], list[Literal]] = {}
            for (channel, end, _), literal in self._any_of(ways).items():
                by_end.setdefault((channel, end), []).append(literal)
            self._choose_one(by_end.values())

    def _begin_at_one_sender(self) -> None:
        """Over a channel a broadcast has one sender."""
        over = (((channel, run.sender), number) for number, run in self._numbered() for channel in run.path)
        senders: dict[int, list[Literal]] = {}
        for (channel, _), literal in self._any_of(over).items():
            senders.setdefault(channel, []).append(literal)
        self._choose_one(senders.values())

    def _turn_at_copying_routers(self) -> None:
        """Only at a router that copies does a channel lead to several ends, or do several lead into one."""
        places = [(place, number) for number, run in self._numbered() for place in self._turns(run)]
        places = [(place, number) for place, number in places if not self.copies[place.router]]
        parts: dict[int, list[Literal]] = {}
        meets: dict[int, list[Literal]] = {}
        for place, literal in self._any_of(places).items():
            if place.came_by >= 0:
                parts.setdefault(place.came_by, []).append(literal)
            if place.goes_by >= 0:
                meets.setdefault(place.goes_by, []).append(literal)
        self._choose_one([*parts.values(), *meets.values()])

    def _turns(self, run: TreeRun) -> list[Place]:
        steps = [~run.sender, *run.path, ~run.receiver]
        routers = [self.homes[run.sender], *(self.heads[channel] for channel in run.path)]
        return [Place(router, *ends) for router, ends in zip(routers, pairwise(steps), strict=True)]

    def _choose_one(self, groups: Any) -> None:
        for literals in groups:
            if len(literals) > 1:
                self.model.add_at_most_one(literals)

    # -- ports

    def _use_ports(self) -> None:
        """A tree uses the sender's port once where the router copies, else once for each channel."""
        streams = []
        for number, run in self._numbered():
            stream: object = None
            if not self.copies[self.homes[run.sender]]:
                stream = run.path[0] if run.path else ~number
            streams.append(((run.sender, stream), number))
        for (end, _), literal in self._any_of(streams).items():
            self.use(self._port(end), literal)

    def _port(self, processor: int) -> int:
        return self.problem.network.num_channels + processor
