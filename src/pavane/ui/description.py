"""A result in words and in figures: one description, whatever its clock, its collectives and its form.

The command line prints the lines, `--json` the figures, and notebooks and the player the sentences and the title.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pavane.model.messages import PATTERN_OF
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.schedule import Schedule
from pavane.text import counted
from pavane.text.table import Table
from pavane.timing import picoseconds_text, rate_text, size_text

if TYPE_CHECKING:
    from pavane.judge.refusal import Refusal
    from pavane.judge.result import Result
    from pavane.model.bound import Bound
    from pavane.model.links import Links
    from pavane.model.mesh_table import AnyTable
    from pavane.model.messages import Collective

# -- the problem


def headline(problem: Problem, typed: str | None = None) -> list[str]:
    """Return the lines that describe the problem, with the collective as the user has typed it."""
    what = f"collectives {problem.title}"
    if not problem.has_several:
        what = f"collective  {collective_text(problem.collective, typed)}"
    lines = [network_line(problem.network), f"{what}: {messages_text(problem)}", f"rules       {problem.rules}"]
    return [*lines, f"links       {link_text(problem)}"] if problem.has_times else lines


def network_line(network: Network) -> str:
    """Return the line that describes the network."""
    return (
        f"network     {network.name}: {counted(network.num_routers, 'router')}, "
        f"{counted(network.num_channels, 'channel')}, {counted(network.num_processors, 'processor')}"
    )


def collective_text(collective: Collective, typed: str | None = None) -> str:
    """Return a collective in words, with the name that was typed, as bcast, and that of the papers."""
    text, kind = str(collective), collective.kind
    if typed is None or typed.strip().upper() in PATTERN_OF:
        return text
    return f"{typed.strip().lower().replace('_', '-')} ({kind}){text.removeprefix(collective.title)}"


def messages_text(problem: Problem) -> str:
    """Return the number of messages and, if any has several pieces, of pieces."""
    if not problem.has_pieces:
        return counted(problem.num_messages, "message")
    return f"{counted(problem.num_whole_messages, 'message')} in {counted(problem.num_messages, 'piece')}"


def link_text(problem: Problem) -> str:
    """Return the latencies and bandwidths of the links, and the size of messages, in words."""
    links, num_bytes = problem.timing
    return f"{speed_text(links)}, messages of {size_text(num_bytes)}"


def speed_text(links: Links) -> str:
    """Return the latencies, overheads and bandwidths of links in words."""
    latency = _range(links.latencies.tolist(), picoseconds_text)
    bandwidth = _range(links.bandwidths.tolist(), rate_text)
    overhead = f", overhead {_range(links.overheads.tolist(), picoseconds_text)}" if links.overheads.any() else ""
    return f"latency {latency}{overhead}, bandwidth {bandwidth}"


def _range(values: list[int], text: Callable[[int], str]) -> str:
    low, high = min(values), max(values)
    return text(low) if low == high else f"{text(low)} to {text(high)}"


def with_router_names(network: Network, text: str) -> str:
    """Return a text with the name of its router beside the number of each processor, where routers have names."""
    if network.is_numbered:
        return text

    def both(match: re.Match[str]) -> str:
        number = int(match[1])
        if number >= network.num_processors:  # a schedule file may name any
            return match[0]
        return f"{match[0]} (router {network.routers[network.router_of[number]]})"

    return re.sub(r"\bprocessor (\d+)\b", both, text)


# -- the result


def lines_of(result: Result, typed: str | None = None) -> Iterator[str]:
    """Yield the lines of a result: problem, bounds, what is reached, status and, where it was found here, the time."""
    about = result.provenance
    yield from headline(result.problem, typed)
    yield from (bound_line(result.problem, each) for each in (result.bound, result.occupancy_bound) if each is not None)
    yield from reached_lines(result)
    yield f"status      {result.status_text}{_ratio(result)}"
    if not about.is_claimed:
        yield f"time        {about.seconds:.2f} s (solver {about.solver}, seed {about.seed})"


def bound_line(problem: Problem, bound: Bound) -> str:
    """Return the line with a lower bound and its argument."""
    from pavane.io.result_texts import explain_bound
    from pavane.judge.verdict import figure_text

    why = with_router_names(problem.network, explain_bound(problem, bound))
    return f"bound       {figure_text(bound, problem)} ({bound.argument}): {why}"


def reached_lines(result: Result) -> Iterator[str]:
    """Yield the lines on what is reached: the cost, and what pieces, phases, slots, links and tables add to it."""
    from pavane.io.result_texts import phases_text, pieces_text, symmetry_text, table_text

    problem, schedule = result.problem, result.schedule
    if result.figure is None:
        steps = result.requested_steps
        limit = "" if steps is None else f" in {counted(steps, problem.rules.step_word)}"
        yield f"reached     no schedule{limit}"
    else:
        yield f"reached     {reached_text(result)}"
    if not problem.has_times and not problem.has_several and not problem.collective.is_plain:
        yield f"pieces      {pieces_text(result)}"
    if problem.pattern == "allreduce" and schedule is not None and not problem.has_times:
        yield f"phases      {phases_text(result)}"
    if problem.rules.has_slots and schedule is not None:
        from pavane.model.slot_latencies import slot_figures

        yield f"slots       {slot_figures(problem, schedule)}"
    if problem.has_times and result.bandwidths is not None:
        algorithmic, bus = result.bandwidths
        yield f"bandwidth   {rate_text(algorithmic)} algorithmic, {rate_text(bus)} bus"
    if result.steps_alone:
        yield f"in turn     {counted(sum(result.steps_alone), 'step')}, one collective after the other"
    if result.table is not None:
        yield f"table       {table_text(result)}"
        yield f"proof       {symmetry_text(result)}"


def reached_text(result: Result | Refusal) -> str:
    """Return the cost of a schedule: its end, or its steps, under combining its TCO, under tdm whether it repeats."""
    if result.problem.has_times:
        return picoseconds_text(result.finish or 0)
    return cost_text(result.problem, getattr(result, "table", None) or result.schedule)


def cost_text(problem: Problem, schedule: Schedule | AnyTable | None) -> str:
    """Return the steps of a schedule, under combining its TCO, under tdm whether it repeats."""
    rules, num_steps = problem.rules, 0 if schedule is None else schedule.num_steps
    tco = f", TCO {schedule.tco:,}" if rules.combining and isinstance(schedule, Schedule) else ""
    return f"{counted(num_steps, rules.step_word)}{' (the period)' * rules.repeats}{tco}"


def _ratio(result: Result) -> str:
    """Return how many times the bound an end is that is not proven."""
    bound = result.bound
    if result.finish is None or bound is None or result.status == "optimal":
        return ""
    return f", {result.finish / bound.figure:.3f} times the bound"


def title_of(result: Result | Refusal) -> str:
    """Return a title: the collective, the network and the cost."""
    problem, num_steps = result.problem, result.num_steps or 0
    cost = reached_text(result) if problem.has_times else counted(num_steps, problem.rules.step_word)
    if not problem.has_times and not problem.has_several and problem.collective.pieces > 1:
        cost = f"{cost} ({Fraction(num_steps, problem.collective.pieces)} message times)"
    return f"{problem.title} on {problem.network.name} in {cost}"


def table_of_each(result: Result) -> Table | None:
    """Return a table with a row for collectives that are alike, one after the other; None of one collective."""
    problem = result.problem
    if not problem.has_several or result.schedule is None:
        return None
    alone: Sequence[int | None] = result.steps_alone or [None] * len(problem.collectives)
    of_each = zip(problem.collectives, result.steps_of_each, alone, result.bounds_alone, strict=True)
    listed, at = [], 0
    for row, same in groupby((str(collective), *figures) for collective, *figures in of_each):
        count = len(list(same))
        listed.append([str(at) if count == 1 else f"{at}-{at + count - 1}", *row])
        at += count
    return Table.of(["number", "collective", "steps", "alone", "bound alone"], listed)


# -- figures


def figures_of(result: Result, output: Path | None = None) -> dict[str, Any]:
    """Return the figures of a result, for JSON; the origin of a schedule is left out where a file only claims it."""
    from pavane.io.result_texts import bound_apart, bound_figures, phase_figures, table_figures

    problem, schedule, about = result.problem, result.schedule, result.provenance
    is_sum = problem.pattern == "allreduce" and not problem.has_times
    return {
        "network": problem.network.name,
        **(_figures_of_several(result) if problem.has_several else {"collective": problem.collective.kind}),
        "rules": problem.rules.to_dict(),
        "messages": problem.num_whole_messages if problem.has_pieces else problem.num_messages,
        **piece_figures(result),
        **(phase_figures(problem, schedule) if is_sum else {}),
        **({"bound_of_phases": bound_apart(problem)} if is_sum and result.table is None else {}),
        "bounds": bound_figures(result),
        "bound": result.bound.figure if result.bound else None,
        **(_end_figures(result) if problem.has_times else {"steps": result.num_steps}),
        "requested_steps": result.requested_steps,
        "status": result.status,
        "status_text": result.status_text,
        "optimal": list(result.optimal),
        **({} if result.table is None else table_figures(result)),
        "transfers": None if schedule is None else len(schedule),
        **({} if problem.has_times else {"tco": None if schedule is None else schedule.tco}),
        **({} if about.is_claimed else {"solver": about.solver, "seed": about.seed, "seconds": about.seconds}),
        "file": None if output is None or result.figure is None else str(output),
    }


def piece_figures(result: Result) -> dict[str, Any]:
    """Return the figures that only pieces, sizes and capacities have, for JSON; fractions as text."""
    from pavane.io.result_texts import fractional_times

    problem = result.problem
    if problem.has_times:
        return {"pieces": problem.collective.pieces}
    if problem.is_plain or problem.has_several:
        return {}
    return {
        "pieces": problem.collective.pieces,
        "pieces_in_all": problem.num_messages,
        "message_times": fraction_text(result.per_message),
        "fractional": fraction_text(fractional_times(result)),
    }


def fraction_text(value: Fraction | None) -> str | None:
    """Return a fraction as JSON has it: 7/6, or 2."""
    return None if value is None else str(value)


def _end_figures(result: Result) -> dict[str, Any]:
    """Return the figures that only start times have, for JSON."""
    figures: dict[str, Any] = {"bytes": result.problem.timing.num_bytes, "finish_ps": result.finish}
    if result.bandwidths is not None:
        figures["algorithmic_bandwidth"], figures["bus_bandwidth"] = result.bandwidths
    return figures


def _figures_of_several(result: Result) -> dict[str, Any]:
    """Return the kind, the steps and the bound of each collective, and their sum, for JSON."""
    collectives = result.problem.collectives
    steps: Sequence[int | None] = result.steps_of_each or (None,) * len(collectives)
    listed = [
        {"kind": collective.kind, "steps": own, "bound": bound}
        for collective, own, bound in zip(collectives, steps, result.bounds_alone, strict=True)
    ]
    total = sum(result.steps_of_each) if result.schedule is not None else None
    return {"collectives": listed, "steps_alone": list(result.steps_alone), "sum": total}
