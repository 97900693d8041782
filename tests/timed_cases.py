"""Random step schedules with random links and sizes, and timed schedules with a change at random."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.judge.timed_case import TimedCase
from pavane.judge.timed_order import dependences, in_order
from pavane.model.arrays import Longs
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules, Switching
from pavane.model.schedule import Schedule, Transfer
from tests.strategies import Case, cases, problems, valid_case

SWITCHINGS: tuple[Switching, ...] = ("wormhole", "store-and-forward")


@st.composite
def tree_cases(draw: st.DrawFn) -> Case:
    """Return a step schedule in which switches, or all routers, copy and add."""
    problem = draw(problems(draw(st.sampled_from(["broadcast", "reduction", "allreduce"])), slots=False))
    rules = Rules(
        ports=problem.rules.ports, duplex=problem.rules.duplex, routing=draw(st.sampled_from(["any", "minimal"]))
    )
    copying = replace(problem, rules=replace(rules, switches="copy", switching=draw(st.sampled_from(SWITCHINGS))))
    if not copying.has_trees:
        copying = replace(problem, rules=replace(rules, multicast=True))
    return valid_case(copying, draw(st.integers(0, 2**20)), packed=True)


@st.composite
def timed_cases(draw: st.DrawFn, has_trees: bool = False) -> tuple[Problem, Case]:
    """Return a step schedule with random links and sizes, perhaps one in which routers copy and add."""
    case = draw(tree_cases() if has_trees else cases())
    network = case.problem.network
    numbers = st.lists(st.integers(0, 9), min_size=network.num_channels, max_size=network.num_channels)
    latencies, overheads, rates = (np.array(draw(numbers), dtype=np.int64) for _ in range(3))
    links = Links(latencies, overheads, (rates + 1) * 10**11)
    try:
        return replace(case.problem, links=links, num_bytes=draw(st.integers(1, 50))), case
    except InputError:
        reject()  # tdm, combining, or too few bytes for the pieces


def schedule_of(*transfers: Transfer) -> Schedule:
    """Return a schedule of transfers in their order."""
    return Schedule.from_start_times(
        [one.start for one in transfers],
        [one.sender for one in transfers],
        [one.receiver for one in transfers],
        [one.path for one in transfers],
        [one.messages[0] for one in transfers],
        [one.inputs for one in transfers],
    )


def spoiled(problem: Problem, schedule: Schedule, rng: random.Random) -> Schedule:
    """Return a schedule with one change at random, which may leave it valid."""
    rows, network = list(schedule), problem.network
    if not rows:
        return schedule
    number = rng.randrange(len(rows))
    one, other = rows[number], rng.choice(rows)
    match rng.choice(("earlier", "later", "swap", "dropped", "again", "message", "end", "path", "inputs")):
        case "earlier":
            rows[number] = one._replace(start=one.start - rng.choice((1, 1, rng.randint(1, 40))))
        case "later":
            rows[number] = one._replace(start=one.start + rng.choice((1, 1, rng.randint(1, 400))))
        case "swap":
            rows = [
                row._replace(start={one.start: other.start, other.start: one.start}.get(row.start, row.start))
                for row in rows
            ]
        case "dropped":
            rows = [
                row._replace(inputs=tuple(source - (source > number) for source in row.inputs if source != number))
                for row in rows[:number] + rows[number + 1 :]
            ]
        case "again":
            rows.append(one._replace(start=max(row.start for row in rows) + rng.randint(0, 400)))
        case "message":
            rows[number] = one._replace(messages=(rng.randint(-1, problem.num_messages),))
        case "end":
            end = rng.choice((rng.randrange(network.num_processors), ~rng.randrange(network.num_routers)))
            rows[number] = one._replace(sender=end) if rng.random() < 0.5 else one._replace(receiver=end)
        case "path":
            rows[number] = one._replace(path=rng.choice((one.path[1:], one.path[::-1], other.path)))
        case _:
            rows[number] = one._replace(inputs=tuple(rng.sample(range(len(rows)), rng.randint(0, min(3, len(rows))))))
    return schedule_of(*rows)


def self_timed_starts(problem: Problem, schedule: Schedule) -> Longs:
    """Return when each transfer of a valid schedule starts if it waits for nothing but its data, channels and ports."""
    case = TimedCase(problem, schedule, 1)
    edges = dependences(case)
    taken = np.where(edges.is_data, (case.usable - case.starts)[edges.before], case.holds[edges.before])
    by_after = np.argsort(edges.after, kind="stable")
    offsets = np.searchsorted(edges.after[by_after], np.arange(len(schedule) + 1)).tolist()
    before, delay = edges.before[by_after].tolist(), taken[by_after].tolist()
    starts = [0] * len(schedule)
    for number in in_order(case).tolist():
        waits = range(offsets[number], offsets[number + 1])
        starts[number] = max((starts[before[at]] + delay[at] for at in waits), default=0)
    return np.array(starts, dtype=np.int64)
