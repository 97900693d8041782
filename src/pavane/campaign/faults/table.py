"""The table of a study of faults, as gecco08 Table 5 has it: no fault first, then each fault, then all other.

A single figure is proven to be the least number of steps; 8/9 means that 9 steps were reached and 8 are the bound, as
the papers write it. Where messages are cut into pieces, message times stand behind them: steps by pieces, in brackets.
Figures above those without fault are marked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pavane.campaign.faults.study import FaultColumn, FaultRow, FaultStudy, Replan

MOST_ROWS = 12
"""A table with more faults than this groups equal rows."""


@dataclass(frozen=True)
class FaultLine:
    """One line of the table: a name and a text per collective."""

    name: str
    texts: tuple[str, ...]
    same_as: str = ""


def figure(replan: Replan, column: FaultColumn) -> str:
    """Return steps, or bound and steps where they differ, or why there are none."""
    if replan.steps is None:
        return replan.outcome
    steps = str(replan.steps) if replan.outcome == "optimal" else f"{replan.bound}/{replan.steps}"
    return steps + column.message_times(replan.steps)


def table_lines(study: FaultStudy, whole: bool, marked: Callable[[str], str]) -> list[FaultLine]:
    """Return the lines below the heading; `marked` marks a figure that the fault made worse."""

    def texts(row: FaultRow) -> tuple[str, ...]:
        figures = map(figure, row.replans, study.columns)
        return tuple(
            marked(text) if study.is_degraded(replan, at) else text
            for at, (text, replan) in enumerate(zip(figures, row.replans, strict=True))
        )

    first = FaultLine("no fault", tuple(map(figure, study.no_fault.replans, study.columns)))
    if whole or len(study.rows) <= MOST_ROWS:
        return [first, *(FaultLine(row.fault.name, texts(row), row.same_as or "") for row in study.rows)]
    groups: dict[tuple[str, ...], list[str]] = {}
    for row in study.rows:
        groups.setdefault(texts(row), []).append(row.fault.name)
    largest = max(groups, key=lambda key: len(groups[key]))
    lines = [FaultLine(_together(names), key) for key, names in groups.items() if key != largest]
    name = f"all other ({len(groups[largest])})" if lines else f"each of {len(groups[largest])}"
    return [first, *lines, FaultLine(name, largest)]


def _together(names: Sequence[str]) -> str:
    """Name several faults, the first ones if they are many."""
    if len(names) <= 3:
        return ", ".join(names)
    return f"{names[0]}, {names[1]} and {len(names) - 2} more"


def text_table(study: FaultStudy, whole: bool = False) -> list[str]:
    """Return the table in columns, with a star at what is worse than without fault."""
    lines = table_lines(study, whole, lambda text: text + "*")
    titles = [column.title for column in study.columns]
    # The star hangs behind its column, so that figures stand one below the other.
    cells = [tuple(t if t.endswith("*") else t + " " for t in line.texts) for line in lines]
    widths = [max(len(title) + 1, *(len(row[at]) for row in cells)) for at, title in enumerate(titles)]
    name_width = max(len("fault"), *(len(line.name) for line in lines))

    def joined(name: str, texts: Sequence[str], same_as: str = "") -> str:
        parts = [f"{text:>{width}}" for text, width in zip(texts, widths, strict=True)]
        tail = f"  as {same_as}" if same_as else ""
        return (f"{name:<{name_width}} " + " ".join(parts) + tail).rstrip()

    head = joined("fault", [title + " " for title in titles])
    return [head, *(joined(line.name, row, line.same_as) for line, row in zip(lines, cells, strict=True))]


def markdown_table(study: FaultStudy, whole: bool = False) -> list[str]:
    """Return the table in Markdown, with what is worse than without fault in bold."""
    titles = [column.title for column in study.columns]
    lines = table_lines(study, whole, lambda text: f"**{text}**")
    noted = any(line.same_as for line in lines)
    head = ["fault", *titles, *(["as"] if noted else [])]
    rows = [[line.name, *line.texts, *([line.same_as] if noted else [])] for line in lines]
    rule = ["---", *["---:"] * len(titles), *(["---"] if noted else [])]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in (head, rule, *rows)]


def summary(study: FaultStudy) -> list[str]:
    """Return worst cases, histograms, faults that disconnect and times, in lines."""
    width = max(len(column.title) for column in study.columns)
    lines = []
    for at, column in enumerate(study.columns):
        whole, worst = study.no_fault.replans[at].steps, study.worst(at)
        counts = [f"{steps}: {number}" for steps, number in study.histogram(at).items()]
        worst_text = "none possible" if worst is None else f"{worst} steps{column.message_times(worst)}"
        whole_text = f"{whole}{'' if whole is None else column.message_times(whole)}"
        start = f"worst       {column.title:<{width}}  {worst_text}"
        lines.append(f"{start}, without fault {whole_text}; steps: faults {', '.join(counts) or 'none'}")
    for at, column in enumerate(study.columns):
        for why, names in study.impossible(at).items():
            shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
            lines.append(f"{WHY[why]:<11} {column.title:<{width}}  {len(names)} of {len(study.rows)}: {shown}")
    if study.interrupted:
        lines.append(f"interrupted {study.num_not_planned} of {len(study.columns) * (1 + len(study.rows))} not planned")
    lines.append(f"proven      {'every figure' if study.is_proven else 'single figures; 8/9: 9 reached, 8 the bound'}")
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
