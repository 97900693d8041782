"""`pavane bounds`: every lower bound with its argument in words."""

from __future__ import annotations

from contextlib import nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.io.request import Request
from pavane.jit import clock
from pavane.text import counted
from pavane.text.table import Table
from pavane.ui.cli import options
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import option, seconds_option
from pavane.ui.cli.progress import show_progress, waited_for
from pavane.ui.cli.report import fractional_line, print_json, print_report, table_lines
from pavane.ui.cli.several import CollectivesRequest
from pavane.ui.description import bound_line, fraction_text, headline, with_router_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pavane.bounds.fractional import FractionalBound
    from pavane.model.bound import Bound
    from pavane.model.problem import Problem


def command(
    request: CollectivesRequest,
    seconds: Annotated[
        float | None, seconds_option("--time", "Stop after this many seconds and print what is proven.")
    ] = None,
    as_json: options.JsonOption = False,
    lists_all: Annotated[
        bool, option("--all", "Name all routers and channels that a bound counts; --json always does.")
    ] = False,
) -> None:
    """Print lower bounds, each with its argument."""
    from pavane.bounds.phrases import whole_lists

    with whole_lists() if lists_all or as_json else nullcontext():
        _print_bounds(request, seconds, as_json)


def _print_bounds(request: CollectivesRequest, seconds: float | None, as_json: bool) -> None:
    if seconds is not None and not seconds > 0:
        raise InputError(f"--time must be more than 0 seconds, got {seconds:g}")
    deadline = None if seconds is None else clock.now() + seconds
    if not request.has_one_piece_count:
        _print_several(request, deadline, as_json)
        return
    with waited_for(f"reading {request.network}"):
        problem = request.problem()
    if problem.has_times:
        _print_ends(problem, request, as_json)
        return
    # `--pieces 1` prints the figures of pieces, too.
    is_cut = not problem.has_several and (request.pieces is not None or not problem.collective.is_plain)
    found = _rows(problem, _on_steps(problem, deadline), is_cut)
    occupancy = _on_occupancy(problem, deadline) if problem.rules.combining and not problem.has_several else []
    fractional = _fractional(problem, deadline) if is_cut else None
    if as_json:
        kinds = [collective.kind for collective in problem.collectives]
        what = {"collectives": kinds} if problem.has_several else {"collective": kinds[0]}
        figures: dict[str, Any] = {"network": problem.network.name, **what}
        figures["bounds"] = [*found, *occupancy]
        figures |= {"pieces": problem.collective.pieces, **_fractional_figures(fractional)} if is_cut else {}
        print_json(figures, indent=None)
        return
    print_report(headline(problem, request.collective))
    if is_cut:
        print_report([fractional_line(problem, fractional)])
    print_report(_lines(problem, found, occupancy, is_cut))


def _print_ends(problem: Problem, request: CollectivesRequest, as_json: bool) -> None:
    """Print the bounds on the end of schedules with start times."""
    from pavane.bounds import explain, lower_bounds

    bounds = lower_bounds(problem)
    if as_json:
        rows = [
            {"finish": b.figure, "argument": b.argument, "text": explain(problem, b), "certificate": b.certificate}
            for b in bounds
        ]
        print_json({"network": problem.network.name, "collective": problem.collective.kind, "bounds": rows})
        return
    print_report(headline(problem, request.collective))
    print_report(bound_line(problem, bound) for bound in bounds)


def _lines(
    problem: Problem, found: list[dict[str, Any]], occupancy: list[dict[str, Any]], is_cut: bool
) -> Iterator[str]:
    """Yield a line for each bound, those on the steps first."""
    for row in found:
        scope = f" ({_scope(problem, row)})" if is_cut and not problem.rules.combining else ""
        why = with_router_names(problem.network, row["text"])
        yield f"{counted(row['steps'], problem.rules.step_word):>11}  {row['argument']:<17} {why}{scope}"
    for row in occupancy:
        why = with_router_names(problem.network, row["text"])
        yield f"{row['tco']:>7} TCO  {row['argument']:<17} {why}"


def _scope(problem: Problem, row: dict[str, Any]) -> str:
    """Return for which numbers of pieces a bound holds, and its value before rounding up."""
    from pavane.io.result_texts import times_text

    if row["message_times"] is None:
        return f"{counted(problem.collective.pieces, 'piece')} only"
    return f"any pieces: {times_text(problem, Fraction(row['message_times']))}"


def _fractional(problem: Problem, deadline: float | None) -> FractionalBound | None:
    from pavane.bounds.fractional import fractional_bound

    return fractional_bound(problem, deadline)


def _fractional_figures(fractional: FractionalBound | None) -> dict[str, Any]:
    """Return the fractional bound for JSON."""
    if fractional is None:
        return {"fractional": None, "fractional_bound": None}
    about = {"argument": fractional.bound.argument, "certificate": fractional.bound.certificate}
    return {"fractional": str(fractional.per_message), "fractional_bound": about}


def _print_several(request: Request, deadline: float | None, as_json: bool) -> None:
    """Print the best bound for each of several numbers of pieces."""
    from pavane.io.result_texts import unit_of
    from pavane.search.pieces import cut_into, hinted

    whole, counts = request.in_single_pieces().problem(), request.piece_counts
    fractional = _fractional(whole, deadline)
    cut = [cut_into(whole, n) for n in (hinted(whole, fractional) if counts == "auto" else sorted(set(counts)))]
    found = [(problem.collective.pieces, _rows(problem, _on_steps(problem, deadline), True)) for problem in cut]
    if as_json:
        figures: dict[str, Any] = {"network": whole.network.name, "collective": whole.collective.kind}
        figures |= _fractional_figures(fractional)
        figures["pieces"] = [{"pieces": pieces, "bounds": rows} for pieces, rows in found]
        print_json(figures, indent=None)
        return
    print_report([*headline(whole, request.collective), fractional_line(whole, fractional)])
    lines = []
    for pieces, (best, *_) in found:
        why = with_router_names(whole.network, best["text"])
        lines.append([pieces, best["steps"], Fraction(best["steps"], pieces), best["argument"], why])
    titles = ["pieces", f"{whole.rules.step_word}s", f"{unit_of(whole)} times", "argument", "why"]
    print_report(table_lines(Table.of(titles, lines, align="numbers"), indent=2))


def _on_steps(problem: Problem, deadline: float | None) -> Sequence[Bound]:
    """Return the bounds on steps, the highest first; those on start-ups too, where messages are combined."""
    from pavane.bounds import best_of_each, lower_bounds
    from pavane.bounds.steps import listed, tried_arguments
    from pavane.parallel.progress import Progress

    if problem.has_several:
        return lower_bounds(problem, deadline)
    bounds: list[Bound] = []
    untried: list[str] = []
    started = clock.now()
    with show_progress() as on_progress:
        for tried in tried_arguments(problem, deadline):
            bounds += tried.bounds
            untried += [] if tried.is_tried else [tried.argument.name]
            best = max((bound.figure for bound in bounds), default=0)
            text = f"tried {tried.argument.name}, best bound {counted(best, problem.rules.step_word)}"
            on_progress(Progress(text, clock.now() - started))
    if untried:
        note(f"no time was left to try {', '.join(untried)}; a longer `seconds` may prove more")
    found = listed(bounds)
    if not found:
        problem.check_size()  # of what is too large to be listed, few arguments know anything
    if problem.rules.combining and not _is_over(deadline):
        from pavane.bounds.start_ups import start_up_bounds

        found = best_of_each((*found, *start_up_bounds(problem)))
    return found


def _rows(problem: Problem, bounds: Sequence[Bound], is_cut: bool) -> list[dict[str, Any]]:
    """Return the bounds on steps for JSON; if messages are cut, with their values before rounding up."""
    from pavane.bounds import explain
    from pavane.io.result_texts import times_of

    rows: list[dict[str, Any]] = [
        {"steps": b.figure, "argument": b.argument, "text": explain(problem, b), "certificate": b.certificate}
        for b in bounds
    ]
    for row, bound in zip(rows, bounds, strict=True):
        if is_cut:
            row |= {"exact": fraction_text(bound.exact), "message_times": fraction_text(times_of(problem, bound))}
    return rows


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and clock.now() >= deadline


def _on_occupancy(problem: Problem, deadline: float | None) -> list[dict[str, Any]]:
    """Return the bounds on the TCO, the highest first."""
    if _is_over(deadline):
        note("no time was left to bound the TCO; a longer `seconds` may prove more")
        return []
    from pavane.bounds.occupancy import explain_occupancy, occupancy_bounds

    return [
        {"tco": b.figure, "argument": b.argument, "text": explain_occupancy(problem, b), "certificate": b.certificate}
        for b in occupancy_bounds(problem, None, deadline)
    ]
