"""mpi-c and mpi-python of a table: a function that computes the partners and paths of each step from it.

The translations must be those of a grid, so that routers are added coordinate by coordinate; messages are whole. Each
process looks at the rows that are under way in a step, and finds by differences whose messages it sends and receives.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pavane.io.formats.buffer_layout import BufferLayout, buffers_in_words
from pavane.io.formats.export import Export, Options
from pavane.io.formats.templates import c_numbers, fill_template, in_comment, in_docstring
from pavane.judge.result import Result
from pavane.model.arrays import Longs
from pavane.model.channel_kinds import ChannelKinds, grid_sizes
from pavane.model.problem import Problem
from pavane.model.table_schedule import TableSchedule
from pavane.text import VERSION, counted

MOST_ROWS = 2_000_000
"""A table of more rows is not written as a program: C compilers take a minute for a million numbers."""

Columns = dict[str, list[Any]]
"""Numbers, or lists of them, by the name of their mark."""


def is_computed(result: Result) -> bool:
    """Return whether a program can compute the schedule of a result from its table."""
    table = result.table
    return (
        isinstance(table, TableSchedule)
        and len(table) <= MOST_ROWS
        and result.problem.collective.pieces == 1
        and grid_sizes(table.translations) is not None
    )


def of_table(export: Export, render: Callable[[Result, Options], str]) -> Export:
    """Return an export of MPI programs that writes tables as programs that compute their partners."""
    form = Export(export.name, "A function that computes its partners from a table.", export.ending, render, sized=True)
    return replace(export, of_table=lambda result: form if is_computed(result) else None)


def render_c(result: Result, options: Options) -> str:
    """Return the C program of a table."""
    values, columns, variants = _contents(result, options)
    values["TITLE"] = in_comment(str(values["TITLE"]))
    values["BUFFERS"] = "\n".join(f" * {line}" for line in buffers_in_words(BufferLayout(result.problem)))
    braced = {name: [_braced(entry) for entry in entries] for name, entries in columns.items()}
    return fill_template(
        "mpi_table.c", values | {name: c_numbers(entries) for name, entries in braced.items()}, *variants
    )


def render_python(result: Result, options: Options) -> str:
    """Return the Python module of a table."""
    values, columns, variants = _contents(result, options)
    values["TITLE"] = in_docstring(str(values["TITLE"]))
    values["BUFFERS"] = "\n".join(buffers_in_words(BufferLayout(result.problem)))
    return fill_template("mpi_table.py", values | {name: _flat(column) for name, column in columns.items()}, *variants)


def _braced(entry: Any) -> str:
    """Return a number, or numbers in lists, as C has them."""
    return json.dumps(entry).replace("[", "{").replace("]", "}")


def _flat(column: list[Any]) -> str:
    """Return all numbers of a column in lines; Python reads a text of numbers sooner than a list of them."""
    words = [str(number) for number in np.ravel(column).tolist()]
    return "\n".join(" ".join(words[i : i + 24]) for i in range(0, len(words), 24))


def _contents(result: Result, options: Options) -> tuple[dict[str, object], Columns, list[str]]:
    """Return the single values of a program, its columns, and its variants."""
    problem, table = result.problem, result.table
    assert isinstance(table, TableSchedule)
    sizes = grid_sizes(table.translations)
    assert sizes is not None
    kinds, layout = ChannelKinds.of(problem.network, table.translations), BufferLayout(problem)
    order = np.argsort(table.steps, kind="stable")
    runs = np.concatenate([np.arange(*table.run_offsets[[row, row + 1]]) for row in order])
    variants = list(_variants(problem, table))
    values = {
        "TITLE": f"{problem}: {counted(table.num_steps, 'step')}, {counted(len(table), 'row')} of a table.",
        "VERSION": VERSION,
        "PROCESSORS": layout.num_processors,
        "DIMENSIONS": len(sizes),
        "ROWS": len(table),
        "MOST_AT_ONCE": _most_at_once(table, hop_by_hop="hops" in variants),
        "MOST_MODULI": _most_moduli(table),
        "INPUTS": layout.inputs.num_blocks,
        "OUTPUTS": layout.outputs.num_blocks,
        "STEPS": table.num_steps,
        "NAME": f"pavane_{problem.collective.kind.lower()}",
        "BYTES": options.size,
    }
    columns: Columns = {
        "SIZES": sizes,
        "HOPS": kinds.heads[0].tolist(),
        "FIRST_STEPS": table.steps[order].tolist(),
        "TAILS": table.tails[order].tolist(),
        "MESSAGES": table.messages[order].tolist(),
        "RUNS_OF": [0, *np.cumsum(np.diff(table.run_offsets)[order]).tolist()],
        "KINDS": table.run_kinds[runs].tolist(),
        "LENGTHS": table.run_lengths[runs].tolist(),
        **(_clock_columns(table, kinds, sizes, order) if table.clocks else {}),
    }
    return values, columns, variants


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


def _most_moduli(table: TableSchedule) -> int:
    return max([1, *(len(clock.moduli) for clock in table.clocks)])


def _clock_columns(table: TableSchedule, kinds: ChannelKinds, sizes: Sequence[int], order: Longs) -> Columns:
    """Return the clocks; phases of routers are sums of those one step along each dimension.

    Clocks with fewer dimensions than others have dimensions modulo 1 instead, which add nothing.
    """
    most = _most_moduli(table)
    units = [int(np.prod(sizes[axis + 1 :], dtype=np.int64)) for axis in range(len(sizes))]

    def padded(numbers: Sequence[int], filling: int = 0) -> list[int]:
        return [*numbers, *[filling] * (most - len(numbers))]

    phases = [clock.phases(kinds) for clock in table.clocks]
    return {
        "MODULI": [padded(clock.moduli, 1) for clock in table.clocks],
        "UNIT_PHASES": [[padded(each[unit % len(each)].tolist()) for unit in units] for each in phases],
        "CLOCK_OF": table.row_clocks[order].tolist(),
        "PHASES": [padded(row) for row in table.row_phases[order].tolist()],
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
