"""`pavane networks`: the catalogue, and the figures of any network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pavane.errors import InputError
from pavane.io.files import collect_notes, refuse_unwritable
from pavane.model.network import Network
from pavane.networks import FAMILIES, switches_of
from pavane.networks import network as make
from pavane.text.table import Table
from pavane.ui.cli import options
from pavane.ui.cli.flags import with_flags
from pavane.ui.cli.inputs import read_network
from pavane.ui.cli.notes import print_once
from pavane.ui.cli.options import argument, option
from pavane.ui.cli.outputs import beside, is_stdout, refuse_two_on_stdout, write_bytes
from pavane.ui.cli.progress import waited_for
from pavane.ui.cli.report import print_json, print_report, print_table

CAPACITIES = "capacities"


def command(
    which: Annotated[list[str] | None, argument("NETWORK", "Networks to describe; none: the catalogue.")] = None,
    *,
    file: options.NetworkFileOptions,
    output: Annotated[
        Path | None, option("-o --output FILE", "Write a network file (.json) of the one network.")
    ] = None,
    as_json: options.JsonOption = False,
) -> None:
    """List the catalogue, describe networks, or write one to a file."""
    if output is not None:
        _refuse_output(output, which or [], as_json)
    if which:
        rows = []
        for text in which:
            with collect_notes() as texts, waited_for(f"reading {text}"):
                network = read_network(text, file.read_as, file.nodes, file.nic)
            notes = [with_flags(each) for each in texts]
            for each in notes:
                print_once(each)
            if output is not None:
                _write(network, output)
            with waited_for(f"measuring {network.name}"):
                rows.append(described(network) | ({"notes": notes} if as_json and notes else {}))
        if as_json:
            print_json(rows)
            return
        with beside(output):
            print_report(line for row in rows for line in _lines(row))
            if output is not None:
                print_report([f"{'file':<18} {output}"])
        return
    file.refuse("goes with a file, and none was named; name it, or leave this out")
    _list(as_json)


def _refuse_output(output: Path, which: list[str], as_json: bool) -> None:
    """Refuse a file that cannot be written, before figures that take long."""
    if len(which) != 1:
        raise InputError(
            f"-o {output} writes one network, and {'none was' if not which else f'{len(which)} were'} named; name one"
        )
    refuse_two_on_stdout("-o", output, as_json)
    if is_stdout(output):
        return
    if output.suffix.lower() != ".json":
        raise InputError(
            f"{output}: a network file is JSON, so name it .json; `pavane export` writes other formats, and "
            "`pavane show` draws"
        )
    refuse_unwritable(output)


def _write(network: Network, output: Path) -> None:
    """Write a network file, or the same to stdout."""
    from pavane.io.network_file import network_bytes, write_network

    if is_stdout(output):
        write_bytes(network_bytes(network))
    else:
        write_network(output, network)


def _lines(row: dict[str, Any]) -> Iterator[str]:
    """Yield the figures of a network, a line each."""
    for key, value in row.items():
        text = ", ".join(f"{each} ({count:,})" for each, count in value.items()) if key == CAPACITIES else value
        yield f"{key.replace('_', ' '):<18} {text}"


def _list(as_json: bool) -> None:
    """Print the catalogue."""
    listed = [(family, figures(make(family.example))) for family in FAMILIES.values()]
    if as_json:
        print_json(
            [
                {
                    "family": f.name,
                    "usage": f.usage,
                    "about": f.about,
                    "example": f.example,
                    **row,
                    "switches": f.switches or None,
                }
                for f, row in listed
            ]
        )
        return
    titles = ["family", "example", "routers", "processors", "degree", "diameter", "sum of distances"]
    keys = [title.replace(" ", "_") for title in titles[2:]]
    titles += ["switches", "what it is"]
    rows = [
        [family.usage, family.example, *(row[key] for key in keys), family.switches, family.about]
        for family, row in listed
    ]
    print_table(Table.of(titles, rows))


def figures(network: Network) -> dict[str, Any]:
    """Return the figures that the catalogue lists."""
    degrees = sorted({*network.out_degrees.tolist(), *network.in_degrees.tolist()})
    connected = network.is_connected
    return {
        "routers": network.num_routers,
        "processors": network.num_processors,
        "channels": network.num_channels,
        "degree": str(degrees[0]) if len(degrees) == 1 else f"{degrees[0]}-{degrees[-1]}",
        "diameter": network.diameter if connected else None,
        "sum_of_distances": network.sum_of_distances if connected else None,
    }


def described(network: Network) -> dict[str, Any]:
    """Return all figures of a network, slow ones too; channels by capacity if not all capacities are 1."""
    from pavane.bounds.splits import bisection

    halves = bisection(network)
    counts = Counter(sorted(network.capacity.tolist()))
    capacities = {} if network.capacities is None else {CAPACITIES: {str(each): counts[each] for each in counts}}
    switches = switches_of(network.name)
    return {
        "name": network.name,
        **figures(network),
        **capacities,
        **({"switches": switches} if switches else {}),
        "bisection_channels": halves.num_channels,
        "bisection_is": "exact" if halves.exact else "an upper bound, by exchanging routers between halves",
        "connectivity": network.connectivity(),
    }
