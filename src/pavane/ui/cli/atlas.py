"""`pavane atlas`: what is known of problems, kept in a file, and judged whenever it is read."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

from pavane.errors import InputError, InvalidSchedule, PavaneError
from pavane.io.request import Request
from pavane.model.collectives import kind_of
from pavane.model.messages import kind_title
from pavane.text import counted
from pavane.ui.cli import options
from pavane.ui.cli.costs import with_bounds
from pavane.ui.cli.notes import note
from pavane.ui.cli.options import argument, option
from pavane.ui.cli.outputs import (
    is_stdout,
    refuse_output,
    refuse_packed,
    write_result,
)
from pavane.ui.cli.report import answer_with_result, print_json, print_report, print_table
from pavane.ui.cli.sweep import command as sweep
from pavane.ui.cli.table_files import write_text

if TYPE_CHECKING:
    from pavane.atlas.atlas_file import AtlasFile, Figures
    from pavane.atlas.tables import AtlasFilter
    from pavane.judge.result import Result

KEY = re.compile(r"[0-9a-f]{6,64}")
"""How a key begins, as a list prints it."""

AtlasArgument = Annotated[str, argument("FILE", "An atlas; shipped: the one of the package.")]
JudgeOption = Annotated[bool, option("--judge", "Judge every row; what is not judged is at most claimed.")]


def add(
    atlas: AtlasArgument,
    schedules: Annotated[list[Path], argument("SCHEDULE...", "Schedule files, ours or of others.")],
) -> None:
    """Keep schedules and their bounds, where they are better than what the atlas has."""
    from pavane.atlas.atlas_file import AtlasFile
    from pavane.atlas.known import keep_judged

    refuse_shipped(atlas)
    results = [_judged(path) for path in schedules]
    with AtlasFile(atlas, is_written=True) as opened:
        stored = keep_judged(opened, results, note)
    print_report([f"{path}: {_described(figures)}" for path, figures in zip(schedules, stored, strict=True)])


def _judged(path: Path) -> Result:
    from pavane.io import read_schedule

    claim = read_schedule(path)
    if claim.is_foreign:
        claim = with_bounds(claim)
    try:
        return claim.result().expanded()
    except InvalidSchedule as error:
        raise InvalidSchedule(f"{path}: {error}") from None


def _described(row: Figures) -> str:
    from pavane.atlas.tables import has_slots, short_rules, status_of

    steps = "no schedule" if row.steps is None else counted(row.steps, "slot" if has_slots(row) else "step")
    bound = "no bound" if row.bound is None else f"bound {row.bound:,}"
    status = status_of(row, is_judged=True)
    return f"{kind_title(row.collective)} on {row.network} ({short_rules(row.rules)}): {steps}, {bound}, {status}"


def list_rows(
    atlas: AtlasArgument,
    network: Annotated[str | None, option("--network TEXT", "Only networks with this in their name.")] = None,
    collective: Annotated[str | None, option("--collective COLLECTIVE", "Only this collective.")] = None,
    rules: Annotated[str | None, option("--rules TEXT", "Only rules with this in them, like 1-port.")] = None,
    status: Annotated[
        str | None,
        option(
            "--status proven|claimed|open", "Only problems of which this is known; proven, or optimal: judges them."
        ),
    ] = None,
    judge: JudgeOption = False,
    as_json: options.JsonOption = False,
) -> None:
    """List the rows of an atlas. Without `--judge` their steps and bounds are claims; `show` judges one row."""
    from pavane.atlas.tables import as_objects, listing, status_counts

    choice = _choice(network, collective, rules, status)
    is_judged = judge or choice.needs_judge
    rows = _rows(atlas, choice, is_judged=is_judged)
    if as_json:
        print_json(as_objects(rows, is_judged=is_judged))
        return
    print_table(listing(rows, is_judged=is_judged))
    print_report([f"{counted(len(rows), 'problem')}, {status_counts(rows, is_judged=is_judged)}"])


def _rows(atlas: str, choice: AtlasFilter, *, is_judged: bool) -> list[Figures]:
    """Return the figures of the chosen rows: as the judge accepts them, or as the file claims them."""
    from pavane.atlas.atlas_file import AtlasFile
    from pavane.atlas.known import judged_figures

    with AtlasFile(atlas) as opened:
        if not is_judged:
            return [row for row in opened.figures() if choice.takes(row)]
        rows = judged_figures(opened, note, replace(choice, status=None).takes)
    return [row for row in rows if choice.takes(row, is_judged=True)]


def _choice(network: str | None, collective: str | None, rules: str | None, status: str | None) -> AtlasFilter:
    from pavane.atlas.tables import AtlasFilter, Status

    if status == "optimal":  # the word of results
        status = "proven"
    if status is not None and status not in get_args(Status):
        raise InputError(f"--status {status!r} is not known; choose {' or '.join(get_args(Status))}")
    if collective is not None:
        kind_of(collective)
    return AtlasFilter(network, collective, rules, status)  # type: ignore[arg-type]


def show(
    atlas: AtlasArgument,
    request: Request,
    output: options.OutputOption = None,
    is_printed: options.PrintOption = False,
    as_json: options.JsonOption = False,
) -> None:
    """Show what is known of a problem, judged; NETWORK may be a key instead, as `list` prints it."""
    from pavane.atlas.atlas_file import AtlasFile

    if as_json and is_printed:
        raise InputError("--json prints figures, and --print the schedule; leave one of them out")
    refuse_output(output, as_json)
    with AtlasFile(atlas) as opened:
        found = _known(opened, request)
    if output is not None and found.schedule is not None:
        write_result(output, found)
    answer_with_result(found, output, request.collective, as_json=as_json, is_printed=is_printed)
    options.stop(0 if found.schedule is not None else 1)


def _known(opened: AtlasFile, request: Request) -> Result:
    from pavane.atlas.known import known_by_key, known_of

    if request.collective is None and KEY.fullmatch(request.network):
        if replace(request, network="") != Request():
            raise InputError(f"{request.network} is a key, which stands for a whole problem; leave out the rest")
        found = known_by_key(opened, opened.key_beginning(request.network), note)
        name = f"the row {request.network}"
    else:
        problem = request.problem()
        found = known_of(opened, problem, note).result
        name = str(problem)
    if found is None:
        raise PavaneError(f"{opened.path}: nothing is known of {name}")
    return found


def merge(
    atlas: AtlasArgument,
    others: Annotated[list[str], argument("OTHER...", "Atlases to take rows from.")],
) -> None:
    """Take in what other atlases know, judged; of each problem the best of all is kept."""
    from pavane.atlas.atlas_file import AtlasFile
    from pavane.atlas.known import all_known, known_of, row_of

    refuse_shipped(atlas)
    with AtlasFile(atlas, is_written=True) as opened:
        for other in others:
            count = 0
            with AtlasFile(other) as theirs:
                for said, found in all_known(theirs, note):
                    if found is not None:
                        known_of(opened, found.problem, note)  # drops what fails, so that it is not compared
                        row = row_of(found, seconds=said.seconds, evaluations=said.evaluations)
                        opened.keep([row])
                        count += 1
            print_report([f"{other}: {counted(count, 'problem')} taken in"])
        print_report([f"{atlas}: {counted(len(opened), 'problem')}"])


def export(
    atlas: AtlasArgument,
    to: Annotated[str | None, option("--to csv|json", "The format. [default: csv]")] = None,
    output: Annotated[Path | None, option("-o --output FILE", "Where to write it. [default: stdout]")] = None,
    judge: JudgeOption = False,
) -> None:
    """Write the rows of an atlas as a table: CSV or JSON."""
    from pavane.atlas.tables import AtlasFilter, as_csv, as_objects

    ending = output.suffix.lower().removeprefix(".") if output is not None else ""
    form = to or (ending if ending in ("csv", "json") else "csv")
    if form not in ("csv", "json"):
        raise InputError(f"--to {to!r} is not known; choose csv or json")
    if output is not None and not is_stdout(output):
        refuse_packed(output)
    rows = _rows(atlas, AtlasFilter(), is_judged=judge)
    as_json = json.dumps(as_objects(rows, is_judged=judge), indent=1) + "\n"
    text = as_csv(rows, is_judged=judge) if form == "csv" else as_json
    write_text(output or Path("-"), text)


def verify(
    atlas: AtlasArgument,
    drop: Annotated[bool, option("--drop", "Take out of the file what fails.")] = False,
) -> None:
    """Judge every row of an atlas: its schedule, and the certificate of its bound."""
    from pavane.atlas.atlas_file import AtlasFile
    from pavane.atlas.known import all_known

    if drop:
        refuse_shipped(atlas)
    failures: list[str] = []

    def hear(text: str) -> None:
        failures.append(text)
        note(text)

    rows = proven = 0
    with AtlasFile(atlas, is_written=drop) as opened:
        for said, found in all_known(opened, hear):
            rows += 1
            proven += found is not None and found.has_fewest_steps
            if found is None and drop:
                opened.remove(said.key)
    print_report([f"{atlas}: {counted(rows, 'problem')}, {proven:,} proven, {counted(len(failures), 'failure')}"])
    options.stop(1 if failures else 0)


def refuse_shipped(atlas: str) -> None:
    """Refuse to write to the atlas of the package."""
    from pavane.atlas.atlas_file import SHIPPED

    if atlas == SHIPPED:
        raise InputError(f"{atlas}: the atlas of the package is only read; name a file, and `merge` it into that")


ABOUT = "Store the best known schedules and bounds of many problems in a file."

SUBCOMMANDS = {
    "add": add,
    "list": list_rows,
    "show": show,
    "merge": merge,
    "export": export,
    "verify": verify,
    "sweep": sweep,
}
