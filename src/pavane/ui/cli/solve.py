"""`pavane solve`: synthesize one schedule, a Pareto front, or schedules for several numbers of pieces."""

from __future__ import annotations

from pavane.errors import InputError
from pavane.jit import clock
from pavane.ui.cli.front import refuse_for_front, solve_front
from pavane.ui.cli.one_schedule import is_final, refuse_for_one, report_one, solve_one, table_of
from pavane.ui.cli.options import refuse_given
from pavane.ui.cli.pieces import refuse_for_pieces, solve_pieces
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.several import GoalRequest, solve_several
from pavane.ui.cli.solve_run import FrontOptions, MethodOptions, PrintOptions, SolveFileOptions, SolveRun
from pavane.ui.cli.timed import refuse_for_times, solve_with_times
from pavane.ui.cli.timed_sweep import solve_for_sizes


def command(
    request: GoalRequest,
    search: MethodOptions,
    pool: PoolOptions,
    files: SolveFileOptions,
    front: FrontOptions,
    printing: PrintOptions,
) -> int:
    """Find a schedule and prove how good it is."""
    from pavane.search.size import seconds_of_file, too_large
    from pavane.search.synthesis import is_front_wanted

    printing.refuse()
    started = clock.now()
    has_several = not request.has_one_piece_count
    with waited_for(f"reading {request.network}"):
        problem = (request.in_single_pieces() if has_several else request).problem()
    if problem.has_several:
        search.refuse_start("there are several collectives")
        request.num_pieces()
        files.refuse_unwritable(printing.as_json)
        _refuse_for_one_collective(search, files, front)
        return solve_several(problem, request, search, pool, files.output, printing)
    if request.goal is not None:
        raise InputError("--goal goes with several collectives at once; add --collective or --groups, or leave it out")
    if front.sweep is None:
        files.refuse_unwritable(printing.as_json)
    has_times = front.is_timed or problem.has_times
    if has_times or has_several or search.table_form is not None:
        search.refuse_start("start times, several --pieces or --form request another result")
    wants_table = search.start is None and search.wants_table(problem) and not has_several and not has_times
    table = table_of(problem, search) if wants_table else None
    if table is not None and is_final(table, search):
        front.refuse(search)
        run = SolveRun(request, problem, search, None, pool, files, front, printing)
        return 0 if report_one(run, table) else 1
    problem.check_size()
    if (refusal := too_large(problem)) is not None:
        raise InputError(refusal)
    search = search.after(clock.now() - started + (0.0 if files.output is None else seconds_of_file(problem)))
    run = SolveRun(request, problem, search, search.solver(), pool, files, front, printing, table)
    if not front.is_timed:
        front.refuse_times()
    if has_times:
        refuse_for_times(run)
        solve = solve_with_times if front.sweep is None else solve_for_sizes
        return 0 if solve(run) else 1
    if is_front_wanted(problem, search.method, search.steps) and search.start is None:
        refuse, solve = refuse_for_front, solve_front
    elif has_several:
        refuse, solve = refuse_for_pieces, solve_pieces
    else:
        refuse, solve = refuse_for_one, solve_one
    refuse(run)
    return 0 if solve(run) else 1


def _refuse_for_one_collective(search: MethodOptions, files: SolveFileOptions, front: FrontOptions) -> None:
    """Refuse options that do not go with several collectives at once."""
    given: dict[str, object] = {"--set": search.settings or None, "--form": search.table_form}
    given |= {"--method": None if search.method == "auto" else search.method}
    given |= {"--timed": front.is_timed, "--front": front.folder, "--startup": front.startup}
    given |= {"--per-byte": front.per_byte, "--bytes": front.size}
    refuse_given(given, "goes with one collective, and there are several at once; leave it out")
    front.refuse_times()
