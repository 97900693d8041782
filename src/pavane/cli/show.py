"""`pavane show`: a schedule in the papers' notation and as a destination table, or the parts of a network."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from pavane.cli import options
from pavane.cli.solve import headline
from pavane.counted import counted
from pavane.errors import InputError
from pavane.network import Network

LARGEST_TABLE = 64


def show(
    what: Annotated[
        str, typer.Argument(metavar="FILE|NETWORK", help="A schedule file, or a network.", show_default=False)
    ],
    form: Annotated[
        str, typer.Option("--as", metavar="paths|table|both", help="Path notation, destination table, or both.")
    ] = "both",
    step: Annotated[int | None, typer.Option("--step", metavar="N", help="One step only, counted from 1.")] = None,
    as_json: options.JsonOption = False,
) -> None:
    """Print a schedule, or the channels of a network."""
    from pavane.formats import read_schedule
    from pavane.formats.notation import aligned, destination_table, path_lines

    if form not in ("paths", "table", "both"):
        raise InputError(f"--as {form!r} is not known; choose paths, table or both")
    if not _is_schedule(what):
        found = options.network_from(what)
        _show_network(found if isinstance(found, Network) else found.network, as_json)
        return
    result = read_schedule(what).result()
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    if step is not None and not 1 <= step <= schedule.num_steps:
        raise InputError(f"--step {step}: the schedule has steps 1 to {schedule.num_steps}")
    steps = range(schedule.num_steps) if step is None else range(step - 1, step)
    if as_json:
        paths = {str(number): text.split(", ") for number, text in path_lines(problem, schedule, steps)}
        print(json.dumps({"steps": schedule.num_steps, "status": result.status, "paths": paths}, indent=1))
        return
    for line in headline(problem):
        print(line)
    print(f"schedule    {counted(schedule.num_steps, 'step')}, {counted(len(schedule), 'transfer')}, {result.status}")
    if form != "table":
        for number, text in path_lines(problem, schedule, steps):
            print(f"{number:>6}  {text}")
    if form == "paths":
        return
    if problem.network.num_processors > LARGEST_TABLE and form == "both":
        print(f"(the destination table is left out above {LARGEST_TABLE} processors; --as table prints it)")
        return
    if form == "both":
        print()
    table = destination_table(problem, schedule)
    for line in aligned(table if step is None else [[row[0], row[step]] for row in table]):
        print(line)


def _is_schedule(text: str) -> bool:
    """Tell a schedule file by its opening, however large it is."""
    import os

    from pavane.formats.files import SCHEDULE_FORMAT, content, refuse_if_nonsense
    from pavane.formats.objects import Keys, decoded

    if not os.path.isfile(text):
        return False
    view = content(text)
    if bytes(view[:64]).lstrip()[:1] != b"{":
        return False
    refuse_if_nonsense(text, view)
    try:
        return bool(decoded(view, Keys, text).format == SCHEDULE_FORMAT)
    except InputError:
        return SCHEDULE_FORMAT.encode() in bytes(view[:200])


def _show_network(network: Network, as_json: bool) -> None:
    names = network.routers
    if as_json:
        links = [[names[tail], names[head]] for tail, head in network.channels.tolist()]
        print(json.dumps({"name": network.name, "processors": network.router_of.tolist(), "channels": links}))
        return
    print(f"{network.name}: {counted(network.num_routers, 'router')}, {counted(network.num_channels, 'channel')}")
    for router, name in enumerate(names):
        processors = ",".join(map(str, network.processors_on[router])) or "none"
        heads = " ".join(names[network.heads[channel]] for channel in network.out_channels[router])
        print(f"  router {name} (processors {processors}): {heads}")
