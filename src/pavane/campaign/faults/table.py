"""The table of a study of faults, as gecco08 Table 5 has it: no fault first, then each fault, then all others.

A single figure is proven to be the least number of steps; `9, bound 8` means that 9 steps were reached and that no
schedule has fewer than 8. If messages are cut into pieces, message times follow in brackets: steps divided by pieces.
Figures above those without fault are marked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pavane.campaign.faults.study import FaultColumn, FaultRow, FaultStudy, Replan
from pavane.text.table import Column, Table

MOST_ROWS = 12
"""A table with more faults than this groups equal rows."""


def figure(replan: Replan, column: FaultColumn) -> str:
    """Return steps, with the bound if it is lower, or why there are none."""
    if replan.steps is None:
        return replan.outcome
    steps = f"{replan.steps}{column.message_times(replan.steps)}"
    return steps if replan.outcome == "optimal" else f"{steps}, bound {replan.bound}"


def _rows(study: FaultStudy, whole: bool, marked: Callable[[str], str]) -> Iterator[list[str]]:
    """Yield a name, the text of each collective, and the fault whose plans are shared.

    `marked` marks a figure that the fault made worse.
    """

    def texts(row: FaultRow) -> tuple[str, ...]:
        figures = map(figure, row.replans, study.columns)
        return tuple(
            marked(text) if study.is_degraded(replan, at) else text
            for at, (text, replan) in enumerate(zip(figures, row.replans, strict=True))
        )

    yield ["no fault", *map(figure, study.no_fault.replans, study.columns), ""]
    if whole or len(study.rows) <= MOST_ROWS:
        yield from ([row.fault.name, *texts(row), row.same_as or ""] for row in study.rows)
        return
    groups: dict[tuple[str, ...], list[str]] = {}
    for row in study.rows:
        groups.setdefault(texts(row), []).append(row.fault.name)
    largest = max(groups, key=lambda key: len(groups[key]))
    yield from ([_together(names), *key, ""] for key, names in groups.items() if key != largest)
    number = len(groups[largest])
    yield [f"all other ({number})" if len(groups) > 1 else f"each of {number}", *largest, ""]


def _together(names: Sequence[str]) -> str:
    """Name several faults, the first ones if they are many."""
    if len(names) <= 3:
        return ", ".join(names)
    return f"{names[0]}, {names[1]} and {len(names) - 2} more (--all names them)"


def text_table(study: FaultStudy, whole: bool = False) -> list[str]:
    """Return the table in columns, with a star at what is worse than without fault."""
    columns = [Column("fault"), *(Column(f"{column.title} ", align="right") for column in study.columns), Column("")]
    # The star follows its column, so that figures are aligned.
    rows = [
        [name, *(text if text.endswith("*") else f"{text} " for text in texts), f" as {same_as}" if same_as else ""]
        for name, *texts, same_as in _rows(study, whole, lambda text: text + "*")
    ]
    return list(Table(columns, rows).lines(gap=" "))


def summary(study: FaultStudy, names_all: bool = False) -> list[str]:
    """Return worst cases, histograms, faults that disconnect and times, in lines."""
    width = max(len(column.title) for column in study.columns)
    lines = []
    for at, column in enumerate(study.columns):
        steps_word = f"{column.problem.rules.step_word}s"
        whole, worst = study.no_fault.replans[at].steps, study.worst(at)
        counts = [f"{number} at {steps}" for steps, number in study.histogram(at).items()]
        worst_text = "none possible" if worst is None else f"{worst} {steps_word}{column.message_times(worst)}"
        whole_text = f"{whole}{'' if whole is None else column.message_times(whole)}"
        start = f"worst       {column.title:<{width}}  {worst_text}"
        lines.append(f"{start}, {whole_text} without a fault; faults by {steps_word}: {', '.join(counts) or 'none'}")
    for at, column in enumerate(study.columns):
        for why, names in study.impossible(at).items():
            most = len(names) if names_all else 8
            shown = ", ".join(names[:most]) + (
                f" and {len(names) - 8} more (--all names them)" if len(names) > most else ""
            )
            lines.append(f"{WHY[why]:<11} {column.title:<{width}}  {len(names)} of {len(study.rows)}: {shown}")
    if study.interrupted:
        lines.append(f"interrupted {study.num_not_planned} of {len(study.columns) * (1 + len(study.rows))} not planned")
    some = "single figures; 9, bound 8: 9 were reached, and 8 are needed"
    lines.append(f"proven      {'every figure' if study.is_proven else some}")
    if any(column.pieces > 1 for column in study.columns):
        lines.append("pieces      in brackets: message times, which are steps by the pieces of a message")
    times = study.seconds
    saved = sum(r.same_as is not None for row in study.rows for r in row.replans)
    lines.append(
        f"time        median {study.median_seconds:.2f} s, worst {max(times, default=0.0):.2f} s a re-plan; "
        f"{len(times)} planned, {saved} more by symmetry"
    )
    return lines


WHY = {"disconnects": "disconnect", "no root": "no root", "nothing": "nothing", "unknown": "no answer"}
