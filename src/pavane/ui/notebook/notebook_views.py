"""How networks, schedules, results and comparisons look in a notebook: a picture where it is quick, tables, proofs."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from html import escape
from itertools import islice
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.text import counted, microseconds
from pavane.text.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pavane.campaign.comparison import Comparison
    from pavane.campaign.solver_study import Study
    from pavane.judge.result import Result
    from pavane.model.network import Network
    from pavane.model.problem import Problem
    from pavane.model.schedule import Schedule

MOST_TABLE_ROWS = 12
"""Rows of a table of one router that a notebook shows."""

MOST_ROUTERS_DRAWN = 300
"""Larger networks are described in words: a picture would take seconds."""

MOST_TRANSFERS_DRAWN = 100
"""Schedules of more transfers show what each channel carries in place of each path."""

MOST_ROWS = 24
"""Steps that a table lists."""

MOST_TRANSFERS_LISTED = 10
"""Transfers that a table lists of each step."""


def network_view(network: Network) -> str:
    """Return a network as HTML: a picture and its figures."""
    rows = [
        ["routers", f"{network.num_routers:,}"],
        ["channels", f"{network.num_channels:,}"],
        ["processors", f"{network.num_processors:,}"],
    ]
    if network.capacities is not None:
        rows.append(["capacity", f"{network.capacity.min():,} to {network.capacity.max():,}"])
    picture = ""
    if network.num_routers <= MOST_ROUTERS_DRAWN:
        if network.is_connected:
            rows.append(["diameter", str(network.diameter)])
        picture = drawn(network.plot)
    return section(f"Network {network.name}", picture, Table.of(["", ""], rows).html())


def schedule_view(schedule: Schedule) -> str:
    """Return a schedule as HTML: a table of its steps, with senders and receivers."""
    if schedule.has_times:
        return section(f"Schedule of {counted(len(schedule), 'transfer')} with start times", "")
    rows = []
    for step in range(min(schedule.num_steps, MOST_ROWS)):
        numbers = schedule.of_step(step)
        ends = (f"{_end(schedule.senders[i])}→{_end(schedule.receivers[i])}" for i in numbers)
        rows.append([str(step + 1), f"{len(numbers):,}", _first(ends, len(numbers))])
    title = f"Schedule of {counted(schedule.num_steps, 'step')}, {counted(len(schedule), 'transfer')}"
    return section(title, Table.of(["step", "transfers", "from processor to processor"], rows).html(), _more(schedule))


def result_view(result: Result) -> str:
    """Return a result as HTML: the problem, a picture, a table of the steps, and the proof."""
    from pavane.io.result_texts import proof_sentences

    problem, schedule = result.problem, result.schedule
    step = problem.rules.step_word
    about = f"<p>{escape(str(problem))}</p>"
    if result.table is not None:
        return _table_view(result, about)
    if result.finish is not None:
        is_drawn = problem.network.num_routers <= MOST_ROUTERS_DRAWN
        return section(
            f"{microseconds(result.finish)}: {result.status_text}", about, drawn(result.plot) if is_drawn else ""
        )
    if schedule is None:
        requested = "" if result.requested_steps is None else f" in {counted(result.requested_steps, step)}"
        bound = "" if result.bound is None else f" The bound is {counted(result.bound.figure, step)}."
        return section(f"No schedule{requested}: {result.status_text}", about, f"<p>{bound}</p>")
    what = "schedule" if len(schedule) <= MOST_TRANSFERS_DRAWN else "load"
    proof = "".join(f"<li>{escape(sentence)}</li>" for sentence in proof_sentences(result))
    provenance = result.provenance
    made = f"<p>Found by {escape(provenance.solver)} (seed {provenance.seed}) in {provenance.seconds:.2f} s.</p>"
    return section(
        f"{counted(schedule.num_steps, step)}: {result.status_text}",
        about,
        drawn(lambda: result.plot(what)) if problem.network.num_routers <= MOST_ROUTERS_DRAWN else "",
        Table.of([step, "transfers", "paths"], _step_rows(problem, schedule)).html(),
        _more(schedule, step),
        _slots(problem, schedule),
        f"<ul>{proof}</ul>",
        made,
    )


def _table_view(result: Result, about: str) -> str:
    """Return a table as HTML: its size, what it proves, and the first rows of router 0."""
    from pavane.io.result_texts import proof_sentences, symmetry_text, table_text
    from pavane.io.router_rows import rows_of_router

    assert result.table is not None
    step, rows = result.problem.rules.step_word, rows_of_router(result.problem, result.table, 0)
    cells = [[str(row.step + 1), row.message, row.path] for row in rows[:MOST_TABLE_ROWS]]
    sentences = [f"Table: {table_text(result)}.", f"Proven {symmetry_text(result)}.", *proof_sentences(result)]
    return section(
        f"{counted(result.table.num_steps, step)}: {result.status_text}",
        about,
        Table.of([step, "message", "path"], cells).html(),
        f"<p>{len(rows) - len(cells):,} more rows of router 0</p>" if len(rows) > len(cells) else "",
        f"<ul>{''.join(f'<li>{escape(sentence)}</li>' for sentence in sentences)}</ul>",
    )


def comparison_view(found: Comparison) -> str:
    """Return a comparison as HTML: the table, with the Pareto set in bold."""
    table = found.table()
    best = set(map(id, found.pareto()))
    cells = [
        [f"<b>{escape(cell)}</b>" if id(row) in best else escape(cell) for cell in line]
        for row, line in zip(found.rows, table.cells(), strict=True)
    ]
    title = f"{counted(len(cells), 'network')} compared for {', '.join(found.collectives)}"
    return section(title, Table.of(table.titles, cells).html(escape=str))


def study_view(study: Study) -> str:
    """Return a study as HTML: the picture, and the figures of its methods side by side."""
    about = f"{study.problem.collective.title} on {study.problem.network.name}"
    title = f"{counted(len(study.runs), 'run')} of {about} in {counted(study.num_steps, study.problem.rules.step_word)}"
    return section(title, drawn(study.plot), study.table().html())


def _step_rows(problem: Problem, schedule: Schedule) -> list[list[str]]:
    """Return a row for each of the first steps, with transfers in the papers' notation."""
    from pavane.io.notation import path_lines

    rows = []
    for number, line in path_lines(problem, schedule, range(min(schedule.num_steps, MOST_ROWS))):
        paths = line.split(", ")
        rows.append([str(number), f"{len(paths):,}", _first(paths, len(paths))])
    return rows


def _slots(problem: Problem, schedule: Schedule) -> str:
    """Return the figures of a table of slots; nothing where there are steps."""
    if not problem.rules.has_slots:
        return ""
    from pavane.model.slot_latencies import slot_figures

    return f"<p>{escape(str(slot_figures(problem, schedule)).capitalize())}.</p>"


def _more(schedule: Schedule, step: str = "step") -> str:
    """Return how many steps a table leaves out, in words."""
    left = schedule.num_steps - MOST_ROWS
    return f"<p>and {counted(left, step)} more</p>" if left > 0 else ""


def _first(texts: Iterable[str], count: int) -> str:
    """Return the first of some texts, and how many follow."""
    left = count - MOST_TRANSFERS_LISTED
    return ", ".join(islice(texts, MOST_TRANSFERS_LISTED)) + (f" and {left:,} more" if left > 0 else "")


def _end(location: int) -> str:
    return f"{location}" if location >= 0 else f"r{~location}"


def drawn(draw: Callable[[], Figure]) -> str:
    """Return a picture as HTML; nothing where no matplotlib is installed."""
    try:
        figure = draw()
    except InputError:
        return ""
    from pavane.ui.plot.figures import figure_bytes

    data = base64.b64encode(figure_bytes(figure, "svg")).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" style="max-width: 100%; background: white" alt="drawn">'


def section(title: str, *parts: str) -> str:
    """Return HTML with a title above its parts."""
    return f'<div class="pavane"><p><b>{escape(title)}</b></p>{"".join(parts)}</div>'
