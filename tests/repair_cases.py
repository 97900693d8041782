"""Random repaired tables, spoiled ones, and a second judge of them that writes all transfers out by plain Python."""

from __future__ import annotations

import random
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from pavane.errors import InputError
from pavane.judge.rules import verify
from pavane.model.collectives import in_pieces, named
from pavane.model.mesh_trees import MeshTrees
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.model.repaired_table import RepairedTable
from pavane.model.schedule import Schedule, Transfer
from pavane.model.table_schedule import TableSchedule
from pavane.networks import mesh
from pavane.search.repair import repair
from pavane.search.tables import solve_by_table
from pavane.solvers.tables.mesh_trees import trees_of_mesh
from pavane.solvers.tables.repairs import repaired_table
from tests.checker import judge
from tests.model.test_mesh_trees import written_out as written_trees
from tests.table_cases import PlainKinds, random_case, rows_of, written_out

EMPTIED = "nothing is left in step"
"""What the judge says of a loss that takes away all that a step of the table does."""


def repaired(problem: Problem, lost: list[int]) -> tuple[Problem, RepairedTable]:
    """Return what is left of a problem, and its repaired table, which the judge has accepted."""
    found = solve_by_table(problem)
    assert found is not None
    assert found.table is not None
    result = repair(problem, found.table, lost).result
    assert isinstance(result.table, RepairedTable)
    return result.problem, result.table


class PlainWays:
    """The ways along the dimensions of a mesh as kinds of channels, by plain Python."""

    def __init__(self, network: Network, sizes: tuple[int, ...]) -> None:
        self.sizes, self.channels = sizes, {tuple(ends): at for at, ends in enumerate(network.channels.tolist())}

    def hop(self, router: int, kind: int) -> tuple[int, int]:
        """Return the channel of a kind at a router, and where it leads; LookupError where it leaves the mesh."""
        axis, is_down = divmod(kind, 2)
        stride = prod(self.sizes[axis + 1 :])
        place = router // stride % self.sizes[axis] + (-1 if is_down else 1)
        if not 0 <= place < self.sizes[axis]:
            raise LookupError("the way leaves the mesh")
        there = router + (-stride if is_down else stride)
        return self.channels[router, there], there


def second_writing(problem: Problem, table: RepairedTable) -> Schedule:
    """Return the schedule of a repaired table by plain Python: transfers that are not listed, then the listed ones.

    Sums are allgathers read backwards, or both ways.
    """
    if problem.pattern in ("private", "broadcast"):
        return _second_writing(problem, table)
    num_steps = table.num_steps // 2 if problem.pattern == "allreduce" else table.num_steps
    allgather = Problem(problem.network, named("AAB", problem.network), problem.rules)
    if problem.collective.pieces > 1:
        allgather = replace(allgather, collective=in_pieces(allgather.collective, problem.collective.pieces))
    forwards = list(_second_writing(allgather, replace(table, num_steps=num_steps)))
    channels = problem.network.channels.tolist()
    sums = []
    for one in forwards:
        # Parallel channels pair up in the order of their numbers.
        number = channels[: one.path[0]].count([one.sender, one.receiver])
        back = [at for at, ends in enumerate(channels) if ends == [one.receiver, one.sender]][number]
        sums.append(Transfer(num_steps - 1 - one.step, one.receiver, one.sender, (back,), one.messages))
    if problem.pattern == "allreduce":
        sums += [one._replace(step=num_steps + one.step) for one in forwards]
    return Schedule.from_transfers(sums, num_steps=table.num_steps)


def _second_writing(problem: Problem, table: RepairedTable) -> Schedule:
    whole = Problem(table.whole, problem.collective, problem.rules)
    left = [channel for channel in range(table.whole.num_channels) if channel not in table.lost.tolist()]
    number = {channel: at for at, channel in enumerate(left)}
    if isinstance(table.table, MeshTrees):
        kinds: Any = PlainWays(table.whole, table.table.sizes)
        of_table = written_trees(whole, table.table)
    else:
        kinds = PlainKinds(table.whole, [tuple(move) for move in table.table.translations.tolist()])
        of_table = written_out(whole, table.table)
    listed: list[Transfer] = []
    for row, message in zip(rows_of(_as_rows(table)), table.messages.tolist(), strict=True):
        here, hops = row.tail, []
        for kind in row.word:
            channel, there = kinds.hop(here, kind)
            hops.append((number[channel], here, there))
            here = there
        if problem.rules.switching == "store-and-forward":
            listed += [Transfer(row.step + i, a, b, (c,), (message,)) for i, (c, a, b) in enumerate(hops)]
        else:
            listed.append(Transfer(row.step, row.tail, here, tuple(c for c, _, _ in hops), (message,)))
    if min((one.step for one in listed), default=table.table.num_steps) < table.table.num_steps:
        raise ValueError("the list begins before the table ends")
    if problem.pattern == "private":
        gone = {one.messages for one in listed}
        kept = [one for one in of_table if one.messages not in gone]
    else:
        copies = {(one.messages, one.receiver) for one in listed}
        kept = [one for one in of_table if (one.messages, one.receiver) not in copies]
    renumbered = [one._replace(path=tuple(number[channel] for channel in one.path)) for one in kept]
    return Schedule.from_transfers([*renumbered, *listed], num_steps=table.num_steps)


def _as_rows(table: RepairedTable) -> TableSchedule:
    """Return the list as the rows of a table."""
    return TableSchedule(
        table.num_steps,
        np.zeros((0, table.num_routers), dtype=np.int32),
        table.steps,
        table.tails,
        table.messages,
        table.run_offsets,
        table.run_kinds,
        table.run_lengths,
    )


def is_valid_repair(problem: Problem, table: RepairedTable) -> bool:
    """Return whether a repaired table is valid: it can be written out, and the second judge finds nothing."""
    try:
        return not judge(problem, second_writing(problem, table))
    except (ArithmeticError, LookupError, ValueError, TypeError):
        return False


def random_repair(rng: random.Random) -> tuple[Problem, RepairedTable] | None:
    """Return a repaired table of a random problem; None where it is not of a kind that is repaired, or separates.

    Some allgathers are read backwards, as sums; then links are lost, and not single channels.
    """
    problem, table = random_trees(rng) if rng.random() < 0.3 else random_case(rng)
    network = problem.network
    if problem.rules.has_slots or problem.pattern not in ("private", "broadcast") or verify(problem, table):
        return None
    lost = set(rng.sample(range(network.num_channels), rng.choice((0, 1, 1, 2))))
    kind = rng.choice(("AAB", "AAR", "ALLREDUCE"))
    collective, is_two_way = problem.collective, bool((network.opposite >= 0).all())
    if problem.pattern == "broadcast" and is_two_way and kind != "AAB":
        collective = in_pieces(named(kind, network), collective.pieces)
        lost |= {int(network.opposite[channel]) for channel in lost}
    gone = np.array(sorted(lost), dtype=np.int32)
    try:
        left = Problem(network.without(channels=gone.tolist()), collective, problem.rules)
        return left, repaired_table(left, table, network, gone)
    except InputError:
        return None


def random_trees(rng: random.Random) -> tuple[Problem, MeshTrees]:
    """Return trees along the lines of a small mesh."""
    sizes = rng.choice([(3, 3), (2, 4), (5, 3), (2, 2, 2), (3, 2, 2), (3, 3, 2), (6,), (4, 4)])
    problem = Problem(mesh(*sizes), "AAB", Rules(rng.choice(("wormhole", "store-and-forward"))))
    table = trees_of_mesh(problem)
    assert table is not None
    return problem, table


SPOILED = ("steps", "tails", "messages", "run_kinds", "run_lengths", "lost")


def spoiled_repair(table: RepairedTable, rng: random.Random) -> RepairedTable:
    """Return a repaired table with one number changed, a transfer less, another number of steps, or other rows."""
    name = rng.choice((*SPOILED, "num_steps", "less", "exchanged", "table"))
    if name == "num_steps":
        return replace(table, num_steps=table.num_steps + rng.choice((-1, 1)))
    if name == "table" and isinstance(table.table, MeshTrees):
        starts = table.table.starts.copy()
        starts.reshape(-1)[rng.randrange(starts.size)] += rng.choice((-1, 1))
        return replace(table, table=replace(table.table, starts=starts))
    if name == "table":
        assert isinstance(table.table, TableSchedule)
        steps = table.table.steps.copy()
        steps[rng.randrange(len(steps))] += rng.choice((-1, 1))
        return replace(table, table=replace(table.table, steps=steps))
    if not table.num_listed:
        return table
    at = rng.randrange(table.num_listed)
    if name == "less":
        keep = np.arange(table.num_listed) != at
        runs = np.repeat(keep, np.diff(table.run_offsets))
        offsets = np.concatenate([[0], np.cumsum(np.diff(table.run_offsets)[keep])])
        columns = {each: getattr(table, each)[keep] for each in ("steps", "tails", "messages")}
        columns |= {each: getattr(table, each)[runs] for each in ("run_kinds", "run_lengths")}
        return replace(table, run_offsets=offsets, **columns)
    if name == "exchanged":
        steps, other = table.steps.copy(), rng.randrange(table.num_listed)
        steps[[at, other]] = steps[[other, at]]
        return replace(table, steps=steps)
    column = getattr(table, name).copy()
    column[rng.randrange(len(column))] += rng.choice((-1, 1, -2, 3, 2**20, -(2**20)))
    return replace(table, **{name: column})


def repair_disagreement(problem: Problem, table: RepairedTable) -> str | None:
    """Return how the judge of repaired tables and the second judge differ; None where they agree.

    What the judge refuses need not be invalid: it also refuses lists that send what the table would send as well.
    """
    violations, is_valid = verify(problem, table), is_valid_repair(problem, table)
    return f"accepted, and not valid: {problem}" if not violations and not is_valid else None
