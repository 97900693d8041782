"""The words of `pavane time`: times of schedules side by side, step by step, and over message sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.text import counted, point_text
from pavane.text.table import Table
from pavane.timing import (
    COMPARED_BY,
    MODELS,
    Costs,
    Profile,
    Stretch,
    decision_table,
    predicted,
    size_text,
    step_times,
    time_text,
)
from pavane.ui.cli.nccl_tables import EXPLANATION, TimesAtSize, one_size_table, sizes_table, times_object
from pavane.ui.cli.report import headline, print_json, print_report, print_table

MOST_STEPS_LISTED = 32
MOST_COLUMNS = 6


@dataclass(frozen=True)
class TimeEntry:
    """A schedule to time."""

    file: Path
    problem: Problem
    about: Profile
    schedule: Schedule

    @property
    def num_parts(self) -> int:
        """Return how many parts an allreduce has."""
        return len(self.problem.distinct_ends)

    @property
    def num_units(self) -> Fraction:
        """Return how many units the messages have in all: those of the vector, of an allreduce."""
        return Fraction(self.problem.num_messages, self.problem.collective.pieces)

    @property
    def name(self) -> str:
        """Return collective and network."""
        return f"{self.problem.collective.title} on {self.problem.network.name}"

    @property
    def short_label(self) -> str:
        """Return what distinguishes schedules of one problem: steps, what is combined, parts and pieces."""
        steps, tco, pieces = self.about.num_steps, self.about.tco, self.about.pieces
        parts = [counted(steps, "step") if steps == tco else point_text(steps, tco)]
        parts += [counted(self.num_parts, "part")] * (self.problem.pattern == "allreduce")
        return ", ".join([*parts, *([counted(pieces, "piece")] if pieces > 1 else [])])

    @property
    def label(self) -> str:
        """Return collective, network, start-ups and TCO; with pieces also what that is in whole messages."""
        what = self.name
        if self.problem.pattern == "allreduce":
            what += f" in {counted(self.num_parts, 'part')}"
        figures = f"{what}: {point_text(self.about.num_steps, self.about.tco)}"
        if self.about.pieces == 1:
            return figures
        unit = "unit" if self.problem.collective.sizes else "message"
        return f"{figures} in {self.about.pieces} pieces, {self.about.message_times} a {unit}"

    @property
    def shown_models(self) -> tuple[str, ...]:
        """Return the models of time to print: on machines of GPUs not those of the papers."""
        return (COMPARED_BY,) if self.problem.network.has_gpus else tuple(MODELS)


@dataclass(frozen=True)
class RetimedEntry:
    """A schedule with its ends in picoseconds: with a barrier after each step, and without."""

    file: Path
    num_steps: int
    barriers: int
    asynchronous: int


def print_without_barriers(entries: list[RetimedEntry], as_json: bool) -> None:
    """Print what barriers cost, schedule by schedule."""
    if as_json:
        print_json([{**asdict(entry), "file": str(entry.file)} for entry in entries])
        return
    rows = [
        {
            "schedule": str(entry.file),
            "steps": entry.num_steps,
            "with barriers": time_text(entry.barriers / 1e12),
            "without": time_text(entry.asynchronous / 1e12),
            "ratio": f"{entry.asynchronous / entry.barriers:.3f}",
        }
        for entry in entries
    ]
    print_table(Table.from_records(rows))


def of_one_vector(entries: list[TimeEntry]) -> list[TimeEntry]:
    """Return allreduces such that all add up the same vector: sizes are those of its parts where there are the most."""
    if not _are_allreduces(entries):
        return entries
    most = max(entry.num_units for entry in entries)
    return [replace(entry, about=replace(entry.about, units=most / entry.num_units)) for entry in entries]


def _are_allreduces(entries: Sequence[TimeEntry]) -> bool:
    return all(entry.problem.pattern == "allreduce" for entry in entries)


def _vector(entries: Sequence[TimeEntry]) -> Fraction:
    """Return how many times a size is in the vector that allreduces add up."""
    return max(entry.num_units for entry in entries)


def title_and_labels(entries: Sequence[TimeEntry]) -> tuple[str, list[str]]:
    """Return the title of a picture, and short labels: what all schedules have in common stands in the title."""
    first, short = entries[0], [entry.short_label for entry in entries]
    if len({entry.name for entry in entries}) == 1:
        return first.name, _distinguished(short, entries)
    if len({entry.problem.collective.title for entry in entries}) == 1:
        networks = [f"{entry.problem.network.name}, {text}" for entry, text in zip(entries, short, strict=True)]
        return first.problem.collective.title, _distinguished(networks, entries)
    return "", _distinguished([f"{entry.name}, {text}" for entry, text in zip(entries, short, strict=True)], entries)


def _distinguished(texts: Sequence[str], entries: Sequence[TimeEntry]) -> list[str]:
    """Return labels with the names of their files where two are alike."""
    counts = Counter(texts)
    return [
        text if counts[text] == 1 else f"{text} ({entry.file.name})" for text, entry in zip(texts, entries, strict=True)
    ]


def print_times(
    costs: Costs, size: int, entries: list[TimeEntry], as_json: bool, beside: TimesAtSize | None = None
) -> None:
    """Print how long schedules take at one message size."""
    times = [{name: predicted(costs, size, entry.about, name) for name in MODELS} for entry in entries]
    shortest = min(row[COMPARED_BY] for row in times)
    fastest = [row[COMPARED_BY] <= shortest * (1 + 1e-12) for row in times]
    if as_json:
        rows = [
            {**_about(entry), "steps": _steps(costs, size, entry.about), "seconds": row, "fastest": best}
            for entry, row, best in zip(entries, times, fastest, strict=True)
        ]
        figures = {"costs": asdict(costs), "bytes": size, "schedules": rows, "remarks": _remarks(entries)}
        libraries = {} if beside is None else {"nccl": times_object(beside)}
        print_json({**figures, **_vector_figures(costs, (size,), entries), **libraries})
        return
    if len(entries) == 1:
        _print_one(costs, size, entries[0], times[0])
    else:
        _print_side_by_side(costs, size, entries, times, fastest)
    if beside is not None:
        names = ["this schedule"] if len(entries) == 1 else [str(entry.file) for entry in entries]
        print_report([""])
        print_table(one_size_table(beside, names))
        print_report([f"nccl        {EXPLANATION}"])


def _print_side_by_side(
    costs: Costs, size: int, entries: list[TimeEntry], times: list[dict[str, float]], fastest: list[bool]
) -> None:
    print_report([f"costs       {_costs_line(costs, size)}{_vector_text(size, entries)}"])
    for remark in _remarks(entries):
        print_report([f"remark      {remark}"])
    is_cut = any(entry.about.pieces > 1 for entry in entries)
    has_parts = _are_allreduces(entries)
    models = [name for name in MODELS if any(name in entry.shown_models for entry in entries)]
    heads = ["with barriers"] if models == [COMPARED_BY] else models
    columns = ["start-ups", "TCO", *["pieces", "TCO/pieces"] * is_cut, *heads]
    titles = ["", "file", "network", "collective", *["parts"] * has_parts, *columns]
    rows = []
    for entry, row, best in zip(entries, times, fastest, strict=True):
        rows.append(
            [
                "*" if best else "",
                str(entry.file),
                entry.problem.network.name,
                entry.problem.collective.title,
                *[str(entry.num_parts)] * has_parts,
                str(entry.about.num_steps),
                str(entry.about.tco),
                *[str(entry.about.pieces), str(entry.about.message_times)] * is_cut,
                *(time_text(row[name]) for name in models),
            ]
        )
    print_table(Table.of(titles, rows, align="numbers", leading=2))
    print_report(["* the fastest" if len(models) == 1 else f"* the fastest by {COMPARED_BY}"])


def _print_one(costs: Costs, size: int, entry: TimeEntry, times: dict[str, float]) -> None:
    from pavane.io.result_texts import times_text, unit_of

    print_report(headline(entry.problem))
    about, unit = entry.about, unit_of(entry.problem)
    reached = point_text(about.num_steps, about.tco)
    cut = f" in {about.pieces:,} pieces a {unit}: {times_text(entry.problem, about.message_times)}"
    print_report([f"schedule    {reached}{cut if about.pieces > 1 else ''}"])
    piece = f", {size_text(about.piece_of(size))} a piece" if about.pieces > 1 else ""
    print_report([f"costs       {_costs_line(costs, size, unit)}{piece}{_vector_text(size, [entry])}"])
    print_report(_one_part_lines(costs, entry))
    carried = "pieces" if entry.problem.has_pieces else "messages"
    seconds = step_times(costs, size, entry.about)
    rows = list(zip(entry.about.payloads, entry.about.hops, seconds, strict=True))
    if len(rows) <= MOST_STEPS_LISTED:
        titles = ["step", carried, "channels", "time"]
        lines = [[i, f"{k:,}", f"{h:,}", time_text(each)] for i, (k, h, each) in enumerate(rows, 1)]
    else:
        # Steps that are alike stand in one line.
        titles = ["steps", carried, "channels", "time of each"]
        lines = [[f"{n:,}", f"{k:,}", f"{h:,}", time_text(t)] for (k, h, t), n in sorted(Counter(rows).items())]
    print_table(Table.of(titles, lines, align="numbers"))
    print_report([""])
    if entry.shown_models == (COMPARED_BY,):
        print_report([f"time        {time_text(times[COMPARED_BY])} with a barrier after each step"])
        return
    models = ((name, model.formula, time_text(times[name]), model.about) for name, model in MODELS.items())
    print_table(Table.of(["model", "formula", "time", ""], models, align="numbers"))


def _swept(costs: Costs, sizes: tuple[int, ...], entries: list[TimeEntry]) -> tuple[list[int], list[Stretch]]:
    """Return the fastest schedule at each size, and from which size on which schedule is the fastest."""
    stretches = [s for s in decision_table(costs, [entry.about for entry in entries]) if s.first <= sizes[-1]]
    # Where two are equally fast the table and the stretches name the same, whatever rounding does.
    fastest = [[s.fastest for s in stretches if s.first <= size * (1 + 1e-12)][-1] for size in sizes]
    while len(stretches) > 1 and stretches[1].first <= sizes[0]:
        stretches.pop(0)
    return fastest, stretches


def print_sweep(
    costs: Costs,
    sizes: tuple[int, ...],
    entries: list[TimeEntry],
    as_json: bool,
    beside: Sequence[TimesAtSize] = (),
) -> None:
    """Print how long schedules take at many message sizes, and which is the fastest where."""
    seconds = [[predicted(costs, size, entry.about) for size in sizes] for entry in entries]
    fastest, stretches = _swept(costs, sizes, entries)
    if as_json:
        print_json(
            {
                "costs": asdict(costs),
                "sizes": sizes,
                "schedules": [{**_about(e), "seconds": row} for e, row in zip(entries, seconds, strict=True)],
                "fastest": fastest,
                "crossovers": [{"bytes": one.first, "fastest": one.fastest} for one in stretches[1:]],
                "remarks": _remarks(entries),
                **_vector_figures(costs, sizes, entries),
                **({"nccl": [times_object(times) for times in beside]} if beside else {}),
            }
        )
        return
    has_gpus = all(entry.problem.network.has_gpus for entry in entries)
    model = "with a barrier after each step" if has_gpus else f"by {COMPARED_BY}"
    print_report([f"costs       {_costs_line(costs, None)}, {model}"])
    for remark in _remarks(entries):
        print_report([f"remark      {remark}"])
    files = ((number, entry.file, entry.label) for number, entry in enumerate(entries, 1))
    print_table(Table.of(["", "file", "schedule"], files, align="numbers"))
    print_report([""])
    print_table(_sweep_table(sizes, entries, seconds, fastest))
    print_report([""])
    print_report(_stretch_lines(stretches, entries))
    if len(entries) == 1:
        print_report(_one_part_lines(costs, entries[0]))
    if beside:
        print_report([""])
        print_table(sizes_table(beside))
        print_report([f"nccl        {EXPLANATION}"])


def _sweep_table(
    sizes: Sequence[int], entries: list[TimeEntry], seconds: list[list[float]], fastest: list[int]
) -> Table:
    """Return a row per size; of many schedules only those that are the fastest somewhere get a column."""
    columns = list(range(len(entries))) if len(entries) <= MOST_COLUMNS else sorted(set(fastest))
    vector = [_vector(entries)] * _are_allreduces(entries)
    titles = ["size", *["vector" for _ in vector], *(str(column + 1) for column in columns), "fastest"]
    rows = []
    for index, (size, best) in enumerate(zip(sizes, fastest, strict=True)):
        times = (time_text(seconds[column][index]) for column in columns)
        rows.append([size_text(size), *(size_text(float(size * each)) for each in vector), *times, best + 1])
    return Table.of(titles, rows, align="numbers")


def _stretch_lines(stretches: list[Stretch], entries: list[TimeEntry]) -> Iterator[str]:
    """Yield from which size to which a schedule is the fastest."""

    def at(size: float) -> str:
        return f"{size_text(size)}{_of_vector(size, entries)}"

    for index, stretch in enumerate(stretches):
        until = f"below {at(stretches[index + 1].first)}" if index + 1 < len(stretches) else ""
        since = f"from {at(stretch.first)}" if index else ""
        between = " and ".join(part for part in (since, until) if part) or "at every size"
        yield f"fastest     {between}: {stretch.fastest + 1} ({entries[stretch.fastest].label})"


def _of_vector(size: float, entries: Sequence[TimeEntry]) -> str:
    """Return the size of the vector of allreduces in words; nothing for other collectives."""
    return f" (vector {size_text(float(size * _vector(entries)))})" if _are_allreduces(entries) else ""


def _vector_text(size: int, entries: Sequence[TimeEntry]) -> str:
    if not _are_allreduces(entries):
        return ""
    return f", {size_text(float(size * _vector(entries)))} the vector"


def _one_part_lines(costs: Costs, entry: TimeEntry) -> Iterator[str]:
    """Yield a line on how an allreduce in parts compares with the best that could be in one part, the whole vector."""
    if entry.problem.pattern != "allreduce" or entry.num_parts == 1:
        return
    steps, below = _against_one_part(costs, entry)
    text = f"one part    reduce-broadcast takes {counted(steps, 'step')} at least, the whole vector in each: "
    if below == 0:
        yield f"{text}it is faster at no size"
    elif below is None:
        yield f"{text}it may be faster at every size"
    else:
        yield f"{text}it can be faster below {size_text(below)}{_of_vector(below, [entry])} only"


def _against_one_part(costs: Costs, entry: TimeEntry) -> tuple[int, float | None]:
    """Return the fewest steps that an allreduce in one part and one piece can have, and up to what size it may win.

    None stands for any size. Its paths are taken to cost nothing, so that none of its schedules does better.
    """
    from pavane.bounds import counted_bounds

    collective = entry.problem.collective
    whole = replace(collective, receivers=collective.receivers[:1], pieces=1, sizes=())
    steps = counted_bounds(replace(entry.problem, collectives=(whole,)))[0].figure
    in_one_part = Profile((1,) * steps, (0,) * steps, units=_vector([entry]))
    table = decision_table(costs, [entry.about, in_one_part])
    return steps, next((stretch.first for stretch in table if stretch.fastest == 0), None)


def _vector_figures(costs: Costs, sizes: Sequence[int], entries: list[TimeEntry]) -> dict[str, Any]:
    """Return what only allreduces have, for JSON: bytes of the vector, and what one part could do."""
    if not _are_allreduces(entries):
        return {}
    figures: dict[str, Any] = {"vector_bytes": [float(size * _vector(entries)) for size in sizes]}
    if len(entries) == 1 and entries[0].num_parts > 1:
        steps, below = _against_one_part(costs, entries[0])
        figures["one_part"] = {"fewest_steps": steps, "faster_below_bytes": below}
    return figures


def _costs_line(costs: Costs, size: int | None, unit: str = "message") -> str:
    parts = [f"{time_text(costs.startup)} start-up", f"{time_text(costs.per_byte)} per byte"]
    parts += [f"{time_text(costs.per_hop)} per hop"] * (costs.per_hop > 0)
    return ", ".join([*parts, *([] if size is None else [f"{size_text(size)} a {unit}"])])


def _remarks(entries: list[TimeEntry]) -> list[str]:
    """Note in what the compared schedules differ."""
    remarks = []
    kinds = sorted({entry.problem.collective.title for entry in entries})
    if len(kinds) > 1:
        remarks.append(f"the schedules are of different collectives: {', '.join(kinds)}")
    if _are_allreduces(entries):
        parts = {entry.num_units for entry in entries}
        if len(parts) > 1:
            remarks.append(
                f"all add up the same vector: a size is that of one of {max(parts)} parts, and fewer parts are larger"
            )
    elif len({entry.problem.collective.sizes for entry in entries}) > 1:
        remarks.append("the schedules are of messages of different sizes")
    if len({entry.problem.rules for entry in entries}) > 1:
        remarks.append("the schedules obey different rules")
    return remarks


def _about(entry: TimeEntry) -> dict[str, Any]:
    return {
        "file": str(entry.file),
        "network": entry.problem.network.name,
        "collective": entry.problem.collective.kind,
        "start_ups": entry.about.num_steps,
        "tco": entry.about.tco,
        **({"parts": entry.num_parts} if entry.problem.pattern == "allreduce" else {}),
        **_pieces(entry),
    }


def _pieces(entry: TimeEntry) -> dict[str, Any]:
    """Return what only messages in pieces have; fractions are text."""
    if entry.problem.collective.is_plain:
        return {}
    return {"pieces": entry.about.pieces, "message_times": str(entry.about.message_times)}


def _steps(costs: Costs, size: int, about: Profile) -> list[dict[str, float]]:
    seconds = step_times(costs, size, about)
    rows = zip(about.payloads, about.hops, seconds, strict=True)
    return [{"messages": payload, "channels": hops, "seconds": each} for payload, hops, each in rows]
