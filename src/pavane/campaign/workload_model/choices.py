"""The fastest schedule of a phase for messages of a size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pavane.campaign.workload_model.own_channels import channels_of_their_own
from pavane.campaign.workload_model.tasks import Variant, WorkloadTask
from pavane.campaign.workload_model.time_bounds import TimeBound, joint_message_times
from pavane.campaign.workload_model.ways import Aim, Ways, WorkloadSearch, is_cut_so, search_ways, simplest_of_fastest
from pavane.judge.joint_rules import verify_joint
from pavane.model.joint import JointProblem
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.parallel.budget import Budget
from pavane.solvers.joint_packing import TransferJobs
from pavane.text import counted
from pavane.timing import Costs, Profile, predicted, profile


@dataclass(frozen=True)
class WorkloadChoice:
    """A schedule for the communication of a phase."""

    problem: Problem
    """Of all groups; of groups side by side that of the first, with the network, rules and pieces of all."""
    schedule: Schedule
    """Of groups side by side, the transfers of all; messages are numbered one group after the other."""
    about: Profile
    size: float
    """The bytes of a message; with sizes, of one unit."""
    how: str
    """The variant in words, if there are several: directly, in one part, in groups side by side."""
    solver: str
    num_groups: int = 1
    """The number of problems that run side by side."""

    def seconds(self, costs: Costs) -> float:
        """Return the time that it takes."""
        return predicted(costs, self.size, self.about)

    def __str__(self) -> str:
        combines = self.about.tco > self.about.num_steps
        text = counted(self.about.num_steps, "start-up" if combines else "step")
        text += f", TCO {self.about.tco:,}" if combines else ""
        text += f", {counted(self.about.pieces, 'piece')}" if self.about.pieces > 1 else ""
        return f"{text}, {self.how}" if self.how else text


@dataclass(frozen=True)
class Solved:
    """The schedules of a task."""

    task: WorkloadTask
    ways: tuple[tuple[Ways, ...], ...]
    """Of each problem of each variant; none of variants whose messages would be smaller than a byte."""
    interrupted: bool = False
    """Whether an interrupt ended the search; variants that were not finished are left out."""

    def bound(self, costs: Costs, size: float) -> float:
        """Return the least time with `size` bytes, as the phase names them; every schedule takes as long.

        Groups side by side take as long as the slowest of them alone at least, and as their loads together.
        """
        variants = zip(self.task.variants, self.ways, strict=True)
        return max(
            _bound_of_all(variant, ways).seconds(costs, size * variant.share)
            for variant, ways in variants
            if variant.is_bounded and ways
        )

    def best(self, costs: Costs, size: float) -> WorkloadChoice | None:
        """Return the fastest schedule with `size` bytes, as the phase names them; None without a schedule."""
        choices = []
        for variant, ways in zip(self.task.variants, self.ways, strict=True):
            if ways and is_usable(self.task, variant, size):
                choices += _choices(variant, ways, costs, size * variant.share)
        return min(choices, key=lambda choice: simplest_of_fastest(costs, choice.size, choice.about), default=None)


def _bound_of_all(variant: Variant, ways: Sequence[Ways]) -> TimeBound:
    """Return the bound of groups that run side by side, or of the only one."""
    alone = [each.bound for each in ways]
    times = max(bound.message_times for bound in alone)
    if len(ways) > 1:
        times = max(times, joint_message_times(variant.problems))
    return TimeBound(max(bound.start_ups for bound in alone), times, max(bound.hops for bound in alone))


def is_usable(task: WorkloadTask, variant: Variant, size: float) -> bool:
    """Return whether messages have at least a byte; parts of an allreduce may be smaller if it is the only variant."""
    return size * variant.share >= 1 or variant.share == 1 or len(task.variants) == 1


def solve(task: WorkloadTask, costs: Costs, sizes: Sequence[float], search: WorkloadSearch, budget: Budget) -> Solved:
    """Search for the schedules of a task that are fast at some sizes; the time is shared by all its problems.

    An interrupt (Ctrl-C) ends the search; if no variant is complete the interrupt is raised.
    """
    used = [variant for variant in task.variants if any(is_usable(task, variant, size) for size in sizes)]
    left = sum(len(variant.problems) for variant in used)
    solved: list[tuple[Ways, ...]] = []
    try:
        for variant in task.variants:
            ways: list[Ways] = []
            aim = Aim(costs, tuple(size * variant.share for size in sizes if is_usable(task, variant, size)))
            problems = variant.problems if aim.sizes else ()
            for problem, own in zip(problems, channels_of_their_own(problems), strict=True):
                if ways and ways[-1].interrupted:
                    raise KeyboardInterrupt
                ways.append(search_ways(problem, aim, search, budget.part(1 / left), own))
                left -= 1
            solved.append(tuple(ways))
            if ways and ways[-1].interrupted:
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        if not any(solved):
            raise
        return Solved(WorkloadTask(task.variants[: len(solved)]), tuple(solved), interrupted=True)
    return Solved(task, tuple(solved))


def _choices(variant: Variant, ways: Sequence[Ways], costs: Costs, size: float) -> list[WorkloadChoice]:
    """Return the fastest of a variant; of groups side by side, one for each number of pieces that all have."""
    if len(ways) == 1:
        found = ways[0].best(costs, size)
        if found is None or found.result.schedule is None:
            return []
        result = found.result
        assert result.schedule is not None
        return [
            WorkloadChoice(result.problem, result.schedule, found.about, size, variant.how, result.provenance.solver)
        ]
    choices = []
    in_common = set.intersection(*({each.pieces for each in one.found} for one in ways))
    for pieces in sorted(number for number in in_common if is_cut_so(size, number)):
        results = [best.result for one in ways if (best := one.best(costs, size, pieces)) is not None]
        # One set of rules for all: a schedule without combining is valid with combining, too.
        combines = any(result.problem.rules.combining for result in results)
        problems = [_as(result.problem, combines=combines) for result in results]
        schedules = [result.schedule for result in results if result.schedule is not None]
        together = [(each, profile(each, pieces)) for each in _dispatched(problems, schedules)]
        if not together:
            continue
        schedule, about = min(together, key=lambda one: simplest_of_fastest(costs, size, one[1]))
        solvers = "+".join(dict.fromkeys(result.provenance.solver for result in results))
        how = f"{variant.how}, " if variant.how else ""
        how += f"{len(ways)} groups side by side"
        choices.append(WorkloadChoice(problems[0], schedule, about, size, how, solvers, len(ways)))
    return choices


def _dispatched(problems: Sequence[Problem], schedules: Sequence[Schedule]) -> Iterator[Schedule]:
    """Yield schedules of all groups together that are valid: their transfers dispatched in several orders."""
    joint = JointProblem(problems[0].network, [problem.collective for problem in problems], problems[0].rules)
    jobs = TransferJobs.of(joint, joint.joined(schedules))
    for order in jobs.orders():
        schedule = jobs.packed(order.tolist())
        if not verify_joint(joint, schedule, 1):
            yield schedule


def _as(problem: Problem, *, combines: bool) -> Problem:
    rules = replace(problem.rules, combining=combines)
    return problem if problem.rules == rules else replace(problem, rules=rules)
