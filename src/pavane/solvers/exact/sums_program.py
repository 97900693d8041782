"""The constraint program of "is there an allreduce of S steps?": running sums as sets of contributions.

Its variables say which contributions the running sum of a piece has at each location when a step begins, and which
sums are sent where. A location is a processor or, under store-and-forward, a pure switch r written as ~r, unless
switches pass. Pieces are alike, whatever part they belong to: every member contributes to each, and wants each. Under
combining one transfer carries all of them, so one piece decides.

Every admissible path is listed, so the answer "no" is a proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule, Transfer
from pavane.parallel.budget import Budget
from pavane.solvers.exact.paths import Path, paths_between
from pavane.solvers.exact.program import Literal, Location, OutOfTime, Unit
from pavane.solvers.exact.tree_loads import TreeLoads, TreeRun

MOST_LISTED = 200_000
"""With more ways than this, for all pieces, no program is small enough to be decided."""

MOST_DIGITS = 40
"""Pieces are distinguished by this many transfers at most: numbers of CP-SAT have 63 bits."""

FAR = 1_000_000
"""The steps to a location that cannot be reached."""


class Way(NamedTuple):
    """A sum's way from one location to another in one step."""

    sender: Location
    receiver: Location
    path: Path


class SumsProgram:
    """The running sums of the pieces of an allreduce, in `num_steps` steps."""

    def __init__(self, problem: Problem, num_steps: int, budget: Budget) -> None:
        from ortools.sat.python import cp_model

        self.problem, self.num_steps, self.budget = problem, num_steps, budget
        self.model: Any = cp_model.CpModel()
        self.members = sorted(problem.collective.senders)
        self.pieces = range(1 if problem.rules.combining else problem.num_messages)
        self.paths: dict[tuple[Location, Location], list[Path]] = {}
        for way in ways(problem):
            self.paths.setdefault((way.sender, way.receiver), []).append(way.path)
        self.away = _steps_between(locations(problem), self.paths)
        self.capacity = problem.network.capacity.tolist() + problem.injection.tolist() + problem.ejection.tolist()
        self.uses: dict[tuple[Unit, int], list[Literal]] = {}
        self.idle: dict[tuple[Unit, int], Literal] = {}
        """What is left unused of a unit in a step."""
        self.has: dict[tuple[int, Location, int, int], Literal] = {}
        """Whether a piece's sum at a location has a member's contribution when a step begins; unlisted: it has not."""
        self.sends: dict[tuple[int, Location, Location, int], Literal] = {}
        self.runs: dict[tuple[int, Way, int], Literal] = {}
        self.brings: dict[tuple[int, Location, Location, int, int], Literal] = {}
        for piece in self.pieces:
            self._start(piece)
            for step in range(num_steps):
                self._send_what_is_there(piece, step)
                if problem.has_trees:
                    self._run_along_trees(piece, step)
                for receiver in locations(problem):
                    self._add_or_replace(piece, receiver, step)
            self._end(piece)
        self._respect_capacities()
        self._use_enough()
        self._order_pieces()

    # -- sums

    def _start(self, piece: int) -> None:
        """At first every member has its own contribution, and nothing else."""
        for member in self.members:
            self.has[piece, member, member, 0] = self.model.new_constant(1)

    def _send_what_is_there(self, piece: int, step: int) -> None:
        """A location sends its sum as it is when the step begins, along one path; other locations have none to send.

        What could no longer come to a member is not sent: it would do no good.
        """
        model = self.model
        for (sender, receiver), paths in self.paths.items():
            sum_there = self._sum_at(piece, sender, step)
            left = self.num_steps - step - 1
            if not sum_there or min(self.away[receiver, member] for member in self.members) > left:
                continue
            sent = model.new_bool_var("")
            self.sends[piece, sender, receiver, step] = sent
            runs = [sent] if len(paths) == 1 else [model.new_bool_var("") for _ in paths]
            if len(paths) > 1:
                model.add_exactly_one(*runs, ~sent)
            for path, run in zip(paths, runs, strict=True):
                self._run(piece, Way(sender, receiver, path), step, run)
            if sender not in sum_there:
                model.add_bool_or(*sum_there.values(), ~sent)
            for member, there in sum_there.items():
                self.brings[piece, sender, receiver, member, step] = self._both(sent, there, is_sure=member == sender)

    def _run(self, piece: int, way: Way, step: int, run: Literal) -> None:
        """A transfer uses every channel of its path, and a port at each processor, unless it is in a tree."""
        self.runs[piece, way, step] = run
        for unit in _units(self.problem, way) if not self.problem.has_trees else ():
            self.uses.setdefault((unit, step), []).append(run)

    def _run_along_trees(self, piece: int, step: int) -> None:
        """Where routers copy and add, transfers of one piece use what the trees use that they form."""
        runs = [TreeRun(*way, run) for (number, way, at), run in self.runs.items() if (number, at) == (piece, step)]
        TreeLoads(
            self.model, self.problem, runs, lambda unit, used: self.uses.setdefault((unit, step), []).append(used)
        )

    def _both(self, sent: Literal, there: Literal, *, is_sure: bool) -> Literal:
        """Return whether a sum is sent and has a contribution."""
        if is_sure:
            return sent
        brought = self.model.new_bool_var("")
        self.model.add_implication(brought, sent)
        self.model.add_implication(brought, there)
        self.model.add_bool_or(brought, ~sent, ~there)
        return brought

    def _add_or_replace(self, piece: int, receiver: Location, step: int) -> None:
        """What arrives has no contribution in common; it is added to the sum there, or one of it contains that sum."""
        model, before = self.model, self._sum_at(piece, receiver, step)
        senders = [sender for sender, end in self.paths if end == receiver]
        senders = [sender for sender in senders if (piece, sender, receiver, step) in self.sends]
        replacing = {sender: self._replaces(piece, sender, receiver, step) for sender in senders}
        model.add_at_most_one(replacing.values())
        if self.problem.has_trees:
            self._bring_something(piece, receiver, step, senders)
        for member in self.members:
            brought = {
                sender: self.brings[piece, sender, receiver, member, step]
                for sender in senders
                if (piece, sender, receiver, member, step) in self.brings
            }
            model.add_at_most_one(brought.values())
            if member in before and member != receiver:
                for sender in senders:
                    one = brought.get(sender)
                    if one is None:
                        model.add_implication(replacing[sender], ~before[member])
                    else:
                        model.add_bool_or(~one, ~before[member], replacing[sender])
                        model.add_bool_or(one, ~before[member], ~replacing[sender])
            self._grow(piece, receiver, member, step, [*brought.values()])

    def _bring_something(self, piece: int, receiver: Location, step: int, senders: list[Location]) -> None:
        """Every transfer brings something new: one less and a tree would no longer join all with all."""
        before = self._sum_at(piece, receiver, step)
        for sender in senders:
            new = []
            for member in self._sum_at(piece, sender, step):
                one = self.brings[piece, sender, receiver, member, step]
                if member == receiver:
                    continue
                new.append(one if member not in before else self._both(one, ~before[member], is_sure=False))
            self.model.add_bool_or(~self.sends[piece, sender, receiver, step], *new)

    def _replaces(self, piece: int, sender: Location, receiver: Location, step: int) -> Literal:
        """Return whether a sum contains the one at its receiver: at a member it does if it has its contribution."""
        if receiver not in self.members:
            return self.model.new_bool_var("")
        own = self.brings.get((piece, sender, receiver, receiver, step))
        return self.model.new_constant(0) if own is None else own

    def _grow(self, piece: int, receiver: Location, member: int, step: int, brought: list[Literal]) -> None:
        """A sum has the contributions that it had, and those that have arrived."""
        before = self.has.get((piece, receiver, member, step))
        if before is None and not brought:
            return
        if member == receiver:
            self.has[piece, receiver, member, step + 1] = self.has[piece, receiver, member, step]
            return
        after = self.model.new_bool_var("")
        self.has[piece, receiver, member, step + 1] = after
        reasons = brought if before is None else [before, *brought]
        self.model.add_bool_or(*reasons, ~after)
        for reason in reasons:
            self.model.add_implication(reason, after)

    def _end(self, piece: int) -> None:
        """In the end every member has all contributions; on the way there 2 (n - 1) sums are sent.

        The second row follows from the first: n - 1 transfers join n contributions, and then all members but one must
        still receive. Branching on single transfers would not find it.
        """
        for member in self.members:
            for other in self.members:
                there = self.has.get((piece, member, other, self.num_steps))
                self.model.add_bool_or(*([] if there is None else [there]))
        sent = [one for (number, *_), one in self.sends.items() if number == piece]
        self.model.add(sum(sent) >= 2 * (len(self.members) - 1))
        self.check_time()

    def _sum_at(self, piece: int, location: Location, step: int) -> dict[int, Literal]:
        return {
            member: self.has[piece, location, member, step]
            for member in self.members
            if (piece, location, member, step) in self.has
        }

    # -- capacities and pieces

    def _respect_capacities(self) -> None:
        """No channel, link or port carries more in a step than its capacity."""
        for (unit, step), uses in self.uses.items():
            idle = self.model.new_int_var(0, self.capacity[unit], "")
            self.idle[unit, step] = idle
            if self.capacity[unit] == 1:
                self.model.add_exactly_one(*uses, idle)
            else:
                self.model.add(sum(uses) + idle == self.capacity[unit])

    def _use_enough(self) -> None:
        """Every member sends and receives each piece, over its ports and its router's channels; 2 (p - 1) transfers of
        it run between the p routers with members, one by one where no router copies.

        That follows from the rest, but a search that branches on single transfers would count for ever without it.
        """
        network, count, unit_of = self.problem.network, len(self.pieces), self.problem.units.tolist()
        homes = np.unique(network.router_of[self.members]).tolist()
        for member in self.members:
            for port in (member, network.num_processors + member):
                self._waste_little({network.num_channels + port}, count)
        if len(homes) > 1:
            if not self.problem.has_trees:
                self._waste_little(set(unit_of), 2 * (len(homes) - 1) * count)
            for router in homes:
                out, into = (
                    {unit_of[channel] for channel in at[router]} for at in (network.out_channels, network.in_channels)
                )
                for units, times in ((out, 1), (into, 1), (out | into, 2)):
                    self._waste_little(units, times * count)

    def _waste_little(self, units: set[Unit], least: int) -> None:
        """Some units are used `least` times over all steps, so that only the rest may stay idle."""
        known = [(unit, step) for unit in sorted(units) for step in range(self.num_steps) if (unit, step) in self.idle]
        room = sum(self.capacity[unit] for unit, _ in known)
        self.model.add(sum(self.idle[key] for key in known) <= room - least)

    def _order_pieces(self) -> None:
        """Pieces may exchange their ways, so that what they send in the first step, read as digits, is in order."""
        first = sorted({key[1:] for key in self.sends if key[-1] == 0})[:MOST_DIGITS]
        numbers = [sum(2**digit * self.sends[piece, *key] for digit, key in enumerate(first)) for piece in self.pieces]
        for number, following in pairwise(numbers):
            self.model.add(number <= following)

    def check_time(self) -> None:
        """Give up if the deadline has passed."""
        if self.budget.is_over:
            raise OutOfTime

    # -- answers

    def schedule(self, value: Callable[[Literal], int]) -> Schedule:
        """Return the schedule of an answer, without sums that bring nothing new and steps without any transfer."""
        payloads: list[tuple[int, ...]] = [(piece,) for piece in self.pieces]
        if self.problem.rules.combining:
            payloads = [tuple(range(self.problem.num_messages))]
        transfers = [
            Transfer(step, *way, payloads[piece])
            for (piece, way, step), run in self.runs.items()
            if value(run) and self._is_useful(piece, way, step, value)
        ]
        steps = {step: number for number, step in enumerate(sorted({transfer.start for transfer in transfers}))}
        return Schedule.from_transfers(transfer._replace(start=steps[transfer.start]) for transfer in transfers)

    def _is_useful(self, piece: int, way: Way, step: int, value: Callable[[Literal], int]) -> bool:
        there = self._sum_at(piece, way.receiver, step)
        sent = self._sum_at(piece, way.sender, step)
        return any(value(one) and not (member in there and value(there[member])) for member, one in sent.items())


def locations(problem: Problem) -> list[Location]:
    """List the processors and the pure switches where sums can rest."""
    switches = np.flatnonzero(problem.is_switch).tolist() if problem.rules.switching == "store-and-forward" else []
    return [*range(problem.network.num_processors), *(~switch for switch in switches if not problem.passes_switches)]


def ways(problem: Problem) -> Iterator[Way]:
    """Yield every way that a sum may go in one step."""
    homes = problem.network.router_of.tolist()
    places = locations(problem)
    router_of = {location: homes[location] if location >= 0 else ~location for location in places}
    known: dict[tuple[int, int], list[Path]] = {}
    paths = paths_between(problem)
    for sender in places:
        for receiver in places:
            ends = router_of[sender], router_of[receiver]
            if sender == receiver:
                continue
            if ends not in known:
                known[ends] = []
                for path in paths(*ends):
                    known[ends].append(path)
                    yield Way(sender, receiver, path)
            else:
                yield from (Way(sender, receiver, path) for path in known[ends])


def _units(problem: Problem, way: Way) -> list[Unit]:
    """Return the units that a transfer takes."""
    network = problem.network
    units: list[Unit] = problem.units[list(way.path)].tolist()
    if way.sender >= 0:
        units.append(network.num_channels + way.sender)
    if way.receiver >= 0:
        units.append(network.num_channels + network.num_processors + way.receiver)
    return units


def _steps_between(
    places: list[Location], paths: dict[tuple[Location, Location], list[Path]]
) -> dict[tuple[Location, Location], int]:
    """Return the least number of steps from every location to every other."""
    away = {(one, other): 0 if one == other else FAR for one in places for other in places}
    away |= dict.fromkeys(paths, 1)
    for via in places:
        for one in places:
            for other in places:
                away[one, other] = min(away[one, other], away[one, via] + away[via, other])
    return away


def num_sums(problem: Problem) -> float:
    """Return about how many variables one step takes; infinite where the ways are too many to list."""
    num_members = len(problem.collective.senders)
    num_pieces = 1 if problem.rules.combining else problem.num_messages
    at_rest = num_pieces * len(locations(problem)) * num_members
    # Every location can receive from some other, so this is half of them at most.
    if 2 * at_rest > MOST_LISTED:
        return inf
    listed = list(islice(ways(problem), MOST_LISTED // num_pieces))
    if len(listed) == MOST_LISTED // num_pieces:
        return inf
    num_pairs = len({(way.sender, way.receiver) for way in listed})
    return at_rest + num_pieces * (len(listed) + num_pairs * num_members)
