"""`pavane export`: a schedule, or a network, in a format of others."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.text.table import Table
from pavane.ui.cli import options
from pavane.ui.cli.options import argument, option
from pavane.ui.cli.outputs import is_stdout, refuse_packed, write_bytes
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import print_json, tell_table
from pavane.ui.cli.schedule_files import is_schedule, read_result
from pavane.ui.notebook.exporting import write_exported

if TYPE_CHECKING:
    from pavane.io.exports import Export, Options
    from pavane.model.network import Network


def _names(incomplete: str) -> list[str]:
    from pavane.io.exports import EXPORTS

    return [name for name in EXPORTS if name.startswith(incomplete.lower())]


def command(
    what: Annotated[str | None, argument("FILE|NETWORK", "A schedule file, or a network.")] = None,
    to: Annotated[str | None, option("--to NAME", "The format, as --list names them.", autocompletion=_names)] = None,
    output: Annotated[Path | None, option("-o --output FILE|FOLDER", "Where to write it. [default: stdout]")] = None,
    size: Annotated[
        str | None, option("--bytes SIZE", "Size of one message, as 4, 1kB, 1KiB or 1K. [default: 1024]")
    ] = None,
    listed: Annotated[bool, option("--list", "List the formats.")] = False,
    as_json: options.JsonOption = False,
) -> None:
    """Write a schedule or a network in another format: tables, programs, simulators, GPU libraries, MPI code."""
    from pavane.io.exports import EXPORTS, Options
    from pavane.timing import read_size

    if listed:
        if what is not None or to is not None or output is not None or size is not None:
            raise InputError("--list stands alone, or with --json; leave out the rest")
        _list(EXPORTS, as_json)
        return
    if as_json:
        raise InputError("--json belongs to --list; --to jsonl writes a schedule as JSON")
    if what is None:
        raise InputError("no schedule file was named; write `pavane export schedule.json --to csv`, or --list")
    if to is None:
        raise InputError(f"no format was named; add --to and one of {', '.join(EXPORTS)}")
    chosen = EXPORTS.get(to.strip().lower())
    if chosen is None:
        near = difflib.get_close_matches(to.strip().lower(), EXPORTS, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"choose one of {', '.join(EXPORTS)}"
        raise InputError(f"there is no format {to!r}; {hint}")
    about = Options(_stem(Path(what)))
    if size is not None:
        if not chosen.sized:
            raise InputError(f"{chosen.name} says nothing about sizes; leave --bytes out")
        about = Options(about.stem, read_size(size, "--bytes"))
        if about.size < 1:
            raise InputError(f"--bytes {size}: a message needs at least one byte")
    if is_stdout(output):
        output = None
    elif output is not None and chosen.num_files == 1:
        refuse_packed(output)
    if chosen.num_files > 1 and output is None:
        raise InputError(f"{chosen.name} makes {chosen.num_files} files; name a folder for them with -o FOLDER")
    with waited_for(f"reading and exporting {what}"):
        network = _network(what, chosen)
        made = _of_schedule(Path(what), chosen, about, size) if network is None else _of_network(network, chosen, about)
    if output is None:
        (content,) = made.values()
        write_bytes(content)
    else:
        write_exported(chosen, made, output)


def _of_schedule(file: Path, chosen: Export, about: Options, size: str | None) -> dict[str, bytes]:
    """Return the files of a schedule, or say why there are none."""
    result = read_result(file)
    pieces = result.problem.collective.pieces
    if chosen.sized and about.size < pieces:
        if size is not None:
            raise InputError(f"--bytes {size}: a message in {pieces} pieces needs at least {pieces} bytes")
        about = replace(about, size=pieces)
    reason = chosen.refusal(result)
    if reason is not None:
        raise InputError(f"{file}: {chosen.name} cannot carry this schedule: {reason}")
    return chosen.write(result, about)


def _of_network(network: Network, chosen: Export, about: Options) -> dict[str, bytes]:
    """Return the files of a network, or say why there are none."""
    from pavane.io.exports import EXPORTS

    if chosen.render_network is None:
        fitting = [each.name for each in EXPORTS.values() if each.render_network is not None]
        raise InputError(
            f"{network.name} is a network, and {chosen.name} carries schedules; name a schedule file, or choose "
            f"{', '.join(fitting[:-1])} or {fitting[-1]}"
        )
    reason = chosen.refuses_network(network)
    if reason is not None:
        raise InputError(f"{network.name}: {chosen.name} cannot carry this network: {reason}")
    return chosen.write_network(network, about)


def _network(what: str, chosen: Export) -> Network | None:
    """Return the network that is named; None where a schedule file is, or what can be nothing else."""
    from pavane.io.request import network_from
    from pavane.model.problem import Problem
    from pavane.networks import FAMILIES

    is_file = os.path.exists(what) and what not in FAMILIES
    if is_file and (chosen.render_network is None or is_schedule(what)):
        return None
    if not is_file and what.lower().endswith((".json", ".gz", ".xml")):
        return None
    found = network_from(what)
    return found.network if isinstance(found, Problem) else found


def _list(exports: dict[str, Export], as_json: bool) -> None:
    if as_json:
        rows = [{"name": e.name, "about": e.about, "ending": e.ending, "files": e.num_files} for e in exports.values()]
        print_json(rows)
        return
    tell_table(Table.of(["", ""], ((one.name, one.about) for one in exports.values())))


def _stem(file: Path) -> str:
    """Return the name of a schedule file as names in other formats may be."""
    name = file.name.removesuffix(".gz").removesuffix(".json")
    return re.sub(r"[^A-Za-z0-9._-]", "_", name) or "schedule"
