"""Refutes a number of steps of a broadcast by the last steps in blocks of routers, such as rings on a larger ring.

Every message must enter every block that it does not begin in. What links let in limits how many messages can have
entered early, so the others enter for the first time in the last steps, and must be copied inside by the channels of
the block. A message that entered earlier takes nothing of these here, which only makes the task easier.

One program says how many messages enter which block in which of the last steps, as far as links let them in; another
one says whether a block can do with that. If it cannot, it cannot with more such messages either, nor with fewer
copies that enter besides, and nor can blocks like it: the first program learns this, and is solved again (Benders
decomposition). If it has no solution left, no schedule has so few steps.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pavane.bounds.tail import Block, blocks_alike, must_enter, steps_needed
from pavane.model.problem import Problem
from pavane.parallel.budget import Budget
from pavane.solvers.cp_sat_runs import new_solver, run_beside
from pavane.solvers.exact.paths import paths_between

WINDOWS = range(2, 9)
"""How many of the last steps are looked at, fewer first: each takes some times as long as the one before."""

MOST_PATHS = 2_000
"""Paths inside a block; a program of more is not decided in seconds."""

EFFORT_PER_VARIABLE = 1e-5
"""What it takes to write down a variable, in the deterministic time of CP-SAT: about the seconds of a quiet machine."""


def supports(problem: Problem) -> bool:
    """Supports broadcasts by wormhole under half duplex, where each transfer counts by itself and paths are few.

    Under full duplex every block has its own channels in, and on no network tried was more refuted than by the bound
    of cuts with a tail.
    """
    rules = problem.rules
    is_plain = not (rules.combining or rules.has_slots or problem.has_trees)
    is_wormhole = rules.runs_whole_paths and rules.routing != "any" and rules.duplex == "half"
    return problem.pattern == "broadcast" and is_wormhole and is_plain


class Refutation(NamedTuple):
    """Whether it is proven that no schedule has so few steps, which says nothing where it is not; and the conflicts."""

    is_proven: bool
    num_conflicts: int = 0


def refuted(problem: Problem, num_steps: int, effort: float, seed: int, budget: Budget) -> Refutation:
    """Try to refute a number of steps with an effort in the deterministic time of CP-SAT."""
    if not supports(problem):
        return Refutation(False)
    runs = _Runs(effort, seed, budget)
    families = [(steps_needed(problem, blocks), blocks) for blocks in blocks_alike(problem)]
    most = max((steps for steps, _ in families), default=0)
    for blocks in (blocks for steps, blocks in families if steps == most):
        places = [_placed(problem, block) for block in blocks]
        if any(len(place.inside.paths) > MOST_PATHS for place in places):
            continue
        search = _Search(places, _let_in(problem, blocks), num_steps, runs)
        for window in WINDOWS:
            if window < num_steps and not runs.is_over and search.is_refuted(window):
                return Refutation(True, runs.num_conflicts)
    return Refutation(False, runs.num_conflicts)


# -- blocks


class _Path(NamedTuple):
    """A path inside a block to a processor, from another one or from outside (None), and the units that it takes."""

    sender: int | None
    receiver: int
    units: tuple[int, ...]


class _Inside(NamedTuple):
    """The inside of a block with numbers of its own, so that blocks that look alike are equal."""

    num_processors: int
    receivers: tuple[int, ...]
    injection: tuple[int, ...]
    ejection: tuple[int, ...]
    capacity: tuple[int, ...]
    """Of channels and links, then of each router's entrance."""
    paths: tuple[_Path, ...]


class _Place(NamedTuple):
    """A block: its inside, how many messages must enter, and how many transfers links let in in a step."""

    inside: _Inside
    num_messages: int
    let_in: int


def _placed(problem: Problem, block: Block) -> _Place:
    """Return a block as the programs see it."""
    network, homes = problem.network, problem.network.router_of.tolist()
    inside = [number for number, home in enumerate(homes) if home in block]
    local = {processor: number for number, processor in enumerate(inside)}
    entrances: dict[int, int] = defaultdict(int)
    for unit, head in {(int(problem.units[channel]), head) for channel, head in _channels_into(problem, block)}:
        entrances[head] += int(network.capacity[unit])
    unit_of: dict[int, int] = {}
    capacity: list[int] = []

    def taken(path: Sequence[int]) -> tuple[int, ...]:
        for unit in (int(problem.units[channel]) for channel in path):
            if unit not in unit_of:
                unit_of[unit] = len(capacity)
                capacity.append(int(network.capacity[unit]))
        return tuple(unit_of[int(problem.units[channel])] for channel in path)

    between = paths_between(problem)

    def paths(start: int, receiver: int) -> Iterator[tuple[int, ...]]:
        for path in between(start, homes[receiver]):
            if all(int(network.heads[channel]) in block for channel in path):
                yield taken(path)

    found = [
        _Path(local[sender], local[receiver], units)
        for sender in inside
        for receiver in inside
        if sender != receiver
        for units in paths(homes[sender], receiver)
    ]
    for head, let_in in sorted(entrances.items()):
        ways = [(local[receiver], units) for receiver in inside for units in paths(head, receiver)]
        capacity.append(let_in)
        found += [_Path(None, receiver, (*units, len(capacity) - 1)) for receiver, units in ways]
    return _Place(
        _Inside(
            len(inside),
            tuple(local[one] for one in problem.collective.receivers if one in local),
            tuple(problem.injection[inside].tolist()),
            tuple(problem.ejection[inside].tolist()),
            tuple(capacity),
            tuple(found),
        ),
        must_enter(problem, block),
        _let_in(problem, [block]),
    )


def _channels_into(problem: Problem, block: Block) -> Iterator[tuple[int, int]]:
    """Yield each channel into a block, with its head."""
    for channel, (tail, head) in enumerate(problem.network.channels.tolist()):
        if head in block and tail not in block:
            yield channel, head


def _let_in(problem: Problem, blocks: Sequence[Block]) -> int:
    """Return how many transfers links let into all blocks together in a step; under half duplex each link once."""
    into = {int(problem.units[channel]) for block in blocks for channel, _ in _channels_into(problem, block)}
    return sum(int(problem.network.capacity[unit]) for unit in into)


# -- programs


class _Entries(NamedTuple):
    """What enters a block in each of the last steps."""

    first: tuple[int, ...]
    """Messages that enter for the first time."""
    further: tuple[int, ...]
    """Transfers from outside besides, of these messages."""


@dataclass
class _Runs:
    """Runs of CP-SAT that share an effort and a limit of conflicts."""

    effort: float
    seed: int
    budget: Budget
    spent: float = field(default=0.0, init=False)
    num_conflicts: int = field(default=0, init=False)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be decided with."""
        most = self.budget.evaluations
        return self.spent >= self.effort or self.budget.is_over or (most is not None and self.num_conflicts >= most)

    def solved(self, model: Any) -> tuple[Any, Any]:
        """Solve a program; return the solver and its status."""
        solver = new_solver(max(0.0, self.effort - self.spent), self.seed, self.budget)
        if self.budget.evaluations is not None:
            solver.parameters.max_number_of_conflicts = max(0, self.budget.evaluations - self.num_conflicts)
        status = run_beside(solver, model, self.budget)
        self.spent += solver.response_proto.deterministic_time + EFFORT_PER_VARIABLE * len(model.proto.variables)
        self.num_conflicts += solver.num_conflicts
        return solver, status


class _Search:
    """What blocks can let in late, and what each can do with."""

    def __init__(self, places: Sequence[_Place], let_in: int, num_steps: int, runs: _Runs) -> None:
        self.places, self.let_in, self.num_steps, self.runs = places, let_in, num_steps, runs
        self.excluded: list[tuple[_Inside, _Entries]] = []
        """What a block cannot do with, in the last steps of the latest window."""

    def is_refuted(self, window: int) -> bool:
        """Return whether what must enter in so many last steps cannot."""
        from ortools.sat.python import cp_model

        plan = _EntryPlan(self.places, self.let_in, self.num_steps, window)
        # Nothing enters for the first time before, and what enters before without that is of no use.
        self.excluded = [
            (
                inside,
                _Entries(
                    (0,) * (window - len(first)) + first, (sum(inside.capacity),) * (window - len(first)) + further
                ),
            )
            for inside, (first, further) in self.excluded
        ]
        for inside, entries in self.excluded:
            plan.exclude(inside, entries)
        possible: set[tuple[_Inside, _Entries]] = set()
        while not self.runs.is_over:
            solver, status = self.runs.solved(plan.model)
            if status == cp_model.INFEASIBLE:
                return True
            if status not in (cp_model.FEASIBLE, cp_model.OPTIMAL):
                return False
            planned = [(place.inside, plan.entries(number, solver.value)) for number, place in enumerate(self.places)]
            unknown = [pair for pair in dict.fromkeys(planned) if pair not in possible]
            failing = [pair for pair in unknown if self._fails(*pair)]
            if not failing:
                return False
            possible |= set(unknown) - set(failing)
            for inside, entries in failing:
                self.excluded.append((inside, self._hardest(inside, entries)))
                plan.exclude(*self.excluded[-1])
        return False

    def _fails(self, inside: _Inside, entries: _Entries) -> bool:
        """Return whether a block cannot do with what enters it."""
        from ortools.sat.python import cp_model

        return bool(self.runs.solved(_written(inside, entries))[1] == cp_model.INFEASIBLE)

    def _hardest(self, inside: _Inside, entries: _Entries) -> _Entries:
        """Return fewer first entries and more further ones that a block cannot do with either."""
        room = sum(inside.capacity)
        for step in range(len(entries.first)):
            easier = entries._replace(further=_with(entries.further, step, room))
            entries = easier if self._fails(inside, easier) else entries
        for step in range(len(entries.first)):
            while entries.first[step]:
                easier = entries._replace(first=_with(entries.first, step, entries.first[step] - 1))
                if not self._fails(inside, easier):
                    break
                entries = easier
        return entries


def _with(values: tuple[int, ...], at: int, value: int) -> tuple[int, ...]:
    return (*values[:at], value, *values[at + 1 :])


class _EntryPlan:
    """The program of what enters which block in which of the last steps."""

    def __init__(self, places: Sequence[_Place], let_in: int, num_steps: int, window: int) -> None:
        from ortools.sat.python import cp_model

        self.places, self.model = places, cp_model.CpModel()
        self.first = [[self._number(place.let_in) for _ in range(window)] for place in places]
        self.further = [[self._number(place.let_in) for _ in range(window)] for place in places]
        early = num_steps - window
        for place, first, further in zip(places, self.first, self.further, strict=True):
            self.model.add(sum(first) >= place.num_messages - early * place.let_in)
            for one, other in zip(first, further, strict=True):
                self.model.add(one + other <= place.let_in)
        self.model.add(sum(map(sum, self.first)) >= sum(place.num_messages for place in places) - early * let_in)
        for entering in zip(*self.first, *self.further, strict=True):
            self.model.add(sum(entering) <= let_in)

    def _number(self, most: int) -> Any:
        return self.model.new_int_var(0, most, "")

    def entries(self, block: int, value: Callable[[Any], int]) -> _Entries:
        """Return what enters a block."""
        first, further = (tuple(map(value, some[block])) for some in (self.first, self.further))
        return _Entries(first, further)

    def exclude(self, inside: _Inside, entries: _Entries) -> None:
        """Every block that looks like this needs fewer first entries in some step, or more further ones."""
        for number, place in enumerate(self.places):
            if place.inside == inside:
                fewer = [(self.first[number][step], most - 1) for step, most in enumerate(entries.first) if most]
                more = [
                    (self.further[number][step], least + 1)
                    for step, least in enumerate(entries.further)
                    if least < place.let_in
                ]
                self.model.add_bool_or(
                    *(self._whether(variable, most, at_most=True) for variable, most in fewer),
                    *(self._whether(variable, least, at_most=False) for variable, least in more),
                )

    def _whether(self, variable: Any, limit: int, *, at_most: bool) -> Any:
        """Return a literal that implies a limit of a variable."""
        literal = self.model.new_bool_var("")
        self.model.add(variable <= limit if at_most else variable >= limit).only_enforce_if(literal)
        return literal


def _written(inside: _Inside, entries: _Entries) -> Any:
    """Write down the program of a block in the last steps: which transfers copy what enters it."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    num_steps = len(entries.first)
    used: dict[tuple[str, int, int], list[Any]] = defaultdict(list)
    further: dict[int, list[Any]] = defaultdict(list)
    for entry in range(num_steps):
        for _ in range(entries.first[entry]):
            knows: list[Any] = [0] * inside.num_processors
            for step in range(entry, num_steps):
                arriving: list[list[Any]] = [[] for _ in knows]
                entering: list[Any] = []
                for path in inside.paths:
                    if path.sender is not None and step == entry:
                        continue
                    run = model.new_bool_var("")
                    arriving[path.receiver].append(run)
                    for unit in path.units:
                        used["capacity", unit, step].append(run)
                    used["ejection", path.receiver, step].append(run)
                    if path.sender is None:
                        entering.append(run)
                    else:
                        used["injection", path.sender, step].append(run)
                        model.add(run <= knows[path.sender])
                if step == entry:
                    model.add(sum(entering) >= 1)
                further[step].append(sum(entering) - (step == entry))
                after = [model.new_bool_var("") for _ in knows]
                for now, before, runs in zip(after, knows, arriving, strict=True):
                    model.add(now <= before + sum(runs))
                knows = after
            for receiver in inside.receivers:
                model.add(knows[receiver] == 1)
    for (limit, number, _), runs in used.items():
        model.add(sum(runs) <= getattr(inside, limit)[number])
    for step, more in further.items():
        model.add(sum(more) <= entries.further[step])
    return model
