"""The parts that all forms of `pavane solve` share: options, refusals, the search with its files, and the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.io.request import Request
from pavane.ui.cli import options
from pavane.ui.cli.incumbent_writer import write_incumbents
from pavane.ui.cli.inputs import read_costs
from pavane.ui.cli.multi_output import message_times
from pavane.ui.cli.notes import note_end
from pavane.ui.cli.options import option, seconds_option
from pavane.ui.cli.outputs import refuse_output, write_result
from pavane.ui.cli.pool_options import PoolOptions
from pavane.ui.cli.progress import show_progress
from pavane.ui.cli.report import answer

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.model.problem import Problem
    from pavane.search.options import SearchOptions
    from pavane.search.pareto_fronts import ParetoFront, Point
    from pavane.search.pieces import PieceSweep
    from pavane.solvers import Solver


@dataclass(frozen=True)
class MethodOptions:
    """Search: the solver, its settings and its limits."""

    method: Annotated[str, option("--method NAME", "The solver; auto chooses among all of them.")] = "auto"
    settings: Annotated[
        list[str] | None, option("--set SETTING=VALUE", "A setting of the solver. May be repeated.")
    ] = None
    table_form: Annotated[
        str | None,
        option(
            "--form table",
            "One router's table, which all routers do translated; without it only where a schedule would be too large.",
        ),
    ] = None
    steps: Annotated[int | None, option("--steps S", "Maximum number of steps.")] = None
    seed: options.SeedOption = 0
    seconds: Annotated[
        float | None,
        seconds_option(
            "--time",
            "Stop after this many seconds and return the best schedule so far. All sizes, pieces and points of a front "
            "share the time.",
        ),
    ] = None
    evaluations: options.EvaluationsOption = None
    start: Annotated[
        Path | None,
        option(
            "--start FILE",
            "A schedule file to go on from; that of another problem, or of the network before its faults, changes as "
            "little as it can.",
        ),
    ] = None

    def refuse_start(self, why: str) -> None:
        """Refuse to go on from a schedule where no single schedule of steps is searched for."""
        if self.start is not None:
            raise InputError(f"--start {self.start} goes with one schedule of steps or slots, and {why}; leave it out")

    def after(self, seconds: float) -> MethodOptions:
        """Return the options with less time, because reading the problem took some; a little time is always left."""
        from pavane.search.options import seconds_left

        return replace(self, seconds=seconds_left(self.seconds, seconds))

    def wants_table(self, problem: Problem) -> bool:
        """Return whether the result is to be one router's table: as requested, or where a schedule is too large."""
        if self.table_form is None:
            from pavane.search.options import SearchOptions
            from pavane.search.size import is_table_wanted

            SearchOptions(seconds=self.seconds)  # an invalid limit is refused, not compared
            return self.method == "auto" and is_table_wanted(problem, self.seconds)
        if self.table_form != "table":
            raise InputError(f"--form {self.table_form!r} is not known; give table, or leave it out")
        if self.method != "auto":
            raise InputError("--form table has no solver to choose; leave out --method")
        return True

    def solver(self) -> Solver | None:
        """Return the solver with its settings; None if the name of the method is all that is given."""
        if not self.settings:
            return None
        from pavane.ui.cli.solvers import solver_from

        return solver_from(self.method, self.settings)


@dataclass(frozen=True)
class SolveFileOptions:
    """Files."""

    output: options.OutputOption = None

    def refuse_unwritable(self, as_json: bool) -> None:
        """Refuse files that cannot be written, before the search."""
        refuse_output(self.output, as_json)


@dataclass(frozen=True)
class FrontOptions:
    """Pareto front: several schedules, and the message size that chooses one."""

    folder: Annotated[
        Path | None, option("--front DIR", "With --combining, or several --pieces: write every schedule to a folder.")
    ] = None
    startup: Annotated[str | None, option("--startup TIME", "Choose by time: start-up time (ts, alpha), as 10ns.")] = (
        None
    )
    per_byte: Annotated[
        str | None, option("--per-byte TIME", "Choose by time: time per byte (t1, beta), or 100Gb/s.")
    ] = None
    size: Annotated[
        str | None,
        option("--bytes SIZE", "Choose by time: size of one message, as 4 or 1KiB; of one part of an allreduce."),
    ] = None
    is_timed: Annotated[
        bool, option("--timed", "Start times instead of steps: with --bytes, and latencies and bandwidths of channels.")
    ] = False
    latency: Annotated[
        str | None, option("--latency TIME", "With --timed: latency of a channel, as 0.7us, unless the file says it.")
    ] = None
    bandwidth: Annotated[
        str | None, option("--bandwidth RATE", "With --timed: bandwidth of a channel of capacity 1, as 25GB/s.")
    ] = None
    overhead: Annotated[
        str | None, option("--overhead TIME", "With --timed: time that a transfer holds a channel besides its bytes.")
    ] = None
    sweep: Annotated[
        str | None,
        option(
            "--sweep FROM:TO",
            "With --timed instead of --bytes: a schedule for each range of sizes, as 1kB:1GB, each four times the one "
            "before, or 1kB:1GB:2; -o writes a folder.",
        ),
    ] = None

    def refuse_times(self) -> None:
        """Refuse latencies and bandwidths where there are steps."""
        given = {"--latency": self.latency, "--bandwidth": self.bandwidth, "--overhead": self.overhead}
        given["--sweep"] = self.sweep
        options.refuse_given(given, "goes with --timed; add --timed, or leave it out")

    def refuse(self, search: MethodOptions) -> None:
        """Refuse these options where the result is one schedule, because of its method, its steps, or else."""
        given = {"--front": self.folder, "--startup": self.startup, "--per-byte": self.per_byte, "--bytes": self.size}
        for flag, value in given.items():
            if value is not None:
                raise InputError(f"{flag} {_missing(flag, search)}")

    def weights(self) -> Weights:
        """Return the time of a start-up and of a message; the three options are given together or not at all."""
        given = read_costs(self.startup, self.per_byte, self.size)
        if given is None:
            return Weights()
        costs, size = given
        return Weights(costs.startup, size * costs.per_byte, True)


def _missing(flag: str, search: MethodOptions) -> str:
    """Return why an option of fronts has no effect on one schedule, and what to add or leave out."""
    for name, is_given in (("--method", search.method != "auto"), ("--steps", search.steps is not None)):
        if is_given:
            return f"does not go with {name}, which requests one schedule; leave {name} out"
    uses = "writes the schedules of" if flag == "--front" else "chooses by time from"
    timed = "" if flag == "--front" else "; for start times add --timed"
    return f"{uses} a Pareto front; add --combining, or several --pieces, like --pieces 1,2,4{timed}"


@dataclass(frozen=True)
class Weights:
    """The time of a start-up and of a message (alpha-beta); by default both are one."""

    startup: float = 1.0
    per_message: float = 1.0
    is_given: bool = False

    def chosen(self, front: ParetoFront) -> Point:
        """Return the fastest point."""
        return front.best(self.startup, self.per_message)

    def cost(self, result: Result) -> tuple[float, int]:
        """Return the order of schedules during a search: by time, then by start-ups."""
        start_ups = result.num_steps or 0
        return start_ups * self.startup + float(message_times(result)) * self.per_message, start_ups

    def time(self, point: Point) -> float:
        """Return the time of a point by noc eq. (3)."""
        return point.start_ups * self.startup + float(point.message_times) * self.per_message


@dataclass(frozen=True)
class PrintOptions:
    """Output."""

    is_printed: options.PrintOption = False
    as_json: options.JsonOption = False

    def refuse(self) -> None:
        """Refuse two forms of one answer."""
        if self.as_json and self.is_printed:
            raise InputError("--json prints figures, and --print the schedule; leave one of them out")

    def refuse_several(self, reason: str) -> None:
        """Refuse to print one schedule where the search finds several."""
        if self.is_printed:
            raise InputError(
                f"--print prints one schedule, and {reason} finds several; write one with -o FILE, and `pavane show` "
                "prints it"
            )


@dataclass(frozen=True)
class SolveRun:
    """A search as the command line describes it."""

    request: Request
    problem: Problem
    search: MethodOptions
    solver: Solver | None
    pool: PoolOptions
    files: SolveFileOptions
    front: FrontOptions
    printing: PrintOptions
    table: Result | None = None
    """One router's table, of which fewer steps are searched for."""

    def refuse_one_schedule(self) -> None:
        """Refuse options that mean one schedule where several numbers of pieces are tried."""
        pieces = self.request.pieces
        if self.search.steps is not None:
            raise InputError(
                f"--steps {self.search.steps} requests one schedule, and --pieces {pieces} tries several numbers of "
                "pieces; give one number of pieces, or leave --steps out"
            )
        self.printing.refuse_several(f"--pieces {pieces}")

    @contextmanager
    def searching(self, write: Callable[[list[Result]], None] | None) -> Iterator[SearchOptions]:
        """Yield the options of the search; `write` writes incumbents while it runs."""
        from pavane.search.options import SearchOptions

        search = self.search
        with (
            write_incumbents(write) as on_improvement,
            self.pool.open(self.problem) as workers,
            show_progress() as on_progress,
        ):
            yield SearchOptions(
                search.seed,
                search.seconds,
                search.evaluations,
                workers,
                on_progress,
                on_improvement,
            )

    def finish(self, found: ParetoFront | PieceSweep | Result, chosen: Result | None, name: str = "best") -> None:
        """Write the chosen schedule, and print notes."""
        if self.files.output is not None and chosen is not None and chosen.num_steps is not None:
            write_result(self.files.output, chosen)
        note_end(found.notes, found.interrupted, name)

    def report(self, figures: Callable[[], dict[str, Any]], lines: Callable[[], Iterable[str]]) -> None:
        """Print figures as JSON or lines of text, as the options say."""
        answer(self.printing.as_json, figures, lines, self.files.output)
