"""`pavane export`: a schedule, or a network, in another program's format."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pavane.errors import InputError
from pavane.io.request import network_from
from pavane.model.problem import Problem
from pavane.networks import FAMILIES
from pavane.text.table import Table
from pavane.ui.cli import options
from pavane.ui.cli.inputs import is_schedule, read_result
from pavane.ui.cli.options import argument, option
from pavane.ui.cli.outputs import is_stdout, refuse_packed, write_bytes
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import print_json, print_table
from pavane.ui.notebook.exporting import (
    export_named,
    export_options,
    exported,
    fitting_formats,
    refuse_without_folder,
    write_exported,
)

if TYPE_CHECKING:
    from pavane.io.exports import Export
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
    from pavane.io.exports import EXPORTS

    if listed:
        if (what, to, output, size) != (None,) * 4:
            raise InputError("--list goes with --json only; leave out the rest")
        _list(EXPORTS, as_json)
        return
    if as_json:
        raise InputError("--json belongs to --list; a schedule file is JSON itself")
    if what is None:
        raise InputError("no schedule file was named; write `pavane export schedule.json --to csv`, or --list")
    if to is None:
        raise InputError(f"no format was named; add --to and one of {', '.join(EXPORTS)}")
    target = None if is_stdout(output) else output
    chosen = export_named(to).form_of(target)
    if target is not None and chosen.num_files == 1:
        refuse_packed(target)
    refuse_without_folder(chosen, target)
    with waited_for(f"reading and exporting {what}"):
        contents = _contents(what, chosen, size)
    if target is None:
        (content,) = contents.values()
        write_bytes(content)
    else:
        write_exported(chosen, contents, target)


def _contents(what: str, chosen: Export, size: str | None) -> dict[str, bytes]:
    """Return the files of a network or of a schedule file."""
    # Names in other formats are of letters that all programs accept.
    name = Path(what).name.removesuffix(".gz").removesuffix(".json")
    stem = re.sub(r"[^A-Za-z0-9._-]", "_", name) or "schedule"
    network = _network(what, chosen)
    if network is None:
        result = read_result(Path(what), expands=False, with_times=True)
        try:
            return exported(result, chosen, size, stem)
        except InputError as error:
            raise InputError(f"{what}: {error}") from None
    about = export_options(chosen, size, stem)
    if chosen.render_network is None:
        raise InputError(
            f"{network.name} is a network, and {chosen.name} carries schedules; name a schedule file, or choose "
            f"{fitting_formats('render_network')}"
        )
    reason = chosen.refuses_network(network)
    if reason is not None:
        raise InputError(f"{network.name}: {chosen.name} cannot carry this network: {reason}")
    return chosen.write_network(network, about)


def _network(what: str, chosen: Export) -> Network | None:
    """Return the named network; None if it is, or can only be, a schedule file."""
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
    print_table(Table.of(["", ""], ((each.name, each.about) for each in exports.values())))
