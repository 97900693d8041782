"""mpi-c of a table: a C function that computes the partners and paths of each step from one router's table.

The translations must be those of a grid, so that routers are added coordinate by coordinate; messages are whole. Each
process looks at the rows that are under way in a step, and finds by differences whose messages it sends and receives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pavane.io.formats.buffer_layout import BufferLayout, buffers_in_words
from pavane.io.formats.export import Export, Options
from pavane.io.formats.templates import c_numbers, fill_template, in_comment
from pavane.judge.result import Result
from pavane.model.arrays import Longs
from pavane.model.channel_kinds import ChannelKinds, grid_sizes
from pavane.model.problem import Problem
from pavane.model.table_schedule import TableSchedule
from pavane.text import VERSION, counted

MOST_ROWS = 2_000_000
"""A table of more rows is not written as C: compilers take a minute for a million numbers."""


def is_computed(result: Result) -> bool:
    """Return whether a program can compute the schedule of a result from its table."""
    table = result.table
    return (
        isinstance(table, TableSchedule)
        and len(table) <= MOST_ROWS
        and result.problem.collective.pieces == 1
        and grid_sizes(table.translations) is not None
    )


def _variants(problem: Problem, table: TableSchedule) -> Iterator[str]:
    """Yield what the program does with messages, and whether rows go hop by hop."""
    yield problem.pattern
    yield "reducing" if problem.pattern in ("reduction", "allreduce") else "copying"
    if problem.pattern != "private":
        yield "shared"
    if problem.pattern in ("private", "allreduce"):
        yield "numbered"
    is_whole = problem.pattern == "private" and problem.rules.runs_whole_paths
    yield "paths" if is_whole else "hops"
    yield "clocked" if table.clocks else "unclocked"


def _render(result: Result, options: Options) -> str:
    problem, table = result.problem, result.table
    assert isinstance(table, TableSchedule)
    sizes = grid_sizes(table.translations)
    assert sizes is not None
    kinds = ChannelKinds.of(problem.network, table.translations)
    layout = BufferLayout(problem)
    order = np.argsort(table.steps, kind="stable")
    runs = np.concatenate([np.arange(*table.run_offsets[[row, row + 1]]) for row in order])
    variants = list(_variants(problem, table))
    values = {
        "TITLE": in_comment(f"{problem}: {counted(table.num_steps, 'step')}, {counted(len(table), 'row')} of a table."),
        "VERSION": VERSION,
        "BUFFERS": "\n".join(f" * {line}" for line in buffers_in_words(layout)),
        "PROCESSORS": layout.num_processors,
        "DIMENSIONS": len(sizes),
        "ROWS": len(table),
        "MOST_AT_ONCE": _most_at_once(table, hop_by_hop="hops" in variants),
        "INPUTS": layout.inputs.num_blocks,
        "OUTPUTS": layout.outputs.num_blocks,
        "STEPS": table.num_steps,
        "SIZES": c_numbers(sizes),
        "HOPS": c_numbers(kinds.heads[0].tolist()),
        "FIRST_STEPS": c_numbers(table.steps[order].tolist()),
        "TAILS": c_numbers(table.tails[order].tolist()),
        "MESSAGES": c_numbers(table.messages[order].tolist()),
        "RUNS_OF": c_numbers([0, *np.cumsum(np.diff(table.run_offsets)[order]).tolist()]),
        "KINDS": c_numbers(table.run_kinds[runs].tolist()),
        "LENGTHS": c_numbers(table.run_lengths[runs].tolist()),
        "NAME": f"pavane_{problem.collective.kind.lower()}",
        "BYTES": options.size,
        **(_clock_values(table, kinds, sizes, order) if table.clocks else {}),
    }
    return fill_template("mpi_table.c", values, *variants)


def _clock_values(table: TableSchedule, kinds: ChannelKinds, sizes: Sequence[int], order: Longs) -> dict[str, object]:
    """Return the clocks as arrays of C; phases of routers are sums of those one step along each dimension."""
    most = max(1, *(len(clock.moduli) for clock in table.clocks))
    units = [int(np.prod(sizes[axis + 1 :], dtype=np.int64)) for axis in range(len(sizes))]

    def padded(numbers: Iterable[int]) -> str:
        row = list(numbers)
        return "{" + ", ".join(map(str, row + [0] * (most - len(row)))) + "}"

    unit_phases = [
        "{" + ", ".join(padded(clock.phases(kinds)[unit % len(kinds.heads)].tolist()) for unit in units) + "}"
        for clock in table.clocks
    ]
    return {
        "MOST_MODULI": most,
        "NUM_MODULI": c_numbers(len(clock.moduli) for clock in table.clocks),
        "MODULI": c_numbers(padded(clock.moduli) for clock in table.clocks),
        "UNIT_PHASES": c_numbers(unit_phases),
        "CLOCK_OF": c_numbers(table.row_clocks[order].tolist()),
        "PHASES": c_numbers(padded(row) for row in table.row_phases[order].tolist()),
    }


def _most_at_once(table: TableSchedule, *, hop_by_hop: bool) -> int:
    """Return the most rows that are under way in a step."""
    spans = np.ones(len(table), dtype=np.int64)
    if hop_by_hop:
        spans = table.row_lengths
    elif table.clocks:
        spans = np.array([clock.num_steps for clock in table.clocks])[table.row_clocks]
    times = np.concatenate([table.steps, table.steps + spans])
    changes = np.concatenate([np.ones(len(table), dtype=np.int64), -np.ones(len(table), dtype=np.int64)])
    return int(np.cumsum(changes[np.lexsort((changes, times))]).max(initial=1))


MPI_TABLE_C = Export("mpi-c", "A C function that computes its partners from a table.", ".c", _render, sized=True)
