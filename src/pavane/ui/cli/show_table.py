"""Tables in `pavane show`: the rows of one router, or one step written out for all routers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.text import counted
from pavane.ui.cli.options import option
from pavane.ui.cli.report import headline, print_json, reached_text, row_lines, table_lines_of, tell

if TYPE_CHECKING:
    from pavane.judge.result import Result
    from pavane.model.network import Network
    from pavane.model.schedule import Schedule

MOST_ROWS_SHOWN = 40
"""Rows of a table, or transfers of a step, that are printed unless a number is given."""


@dataclass(frozen=True)
class TableOptions:
    """What to print of a table."""

    router: Annotated[
        str | None, option("--router R", "The router whose rows are printed, by name or number. [default: 0]")
    ] = None
    most: Annotated[
        int | None,
        option("--most N", f"Maximum number of rows, or of transfers of a step. [default: {MOST_ROWS_SHOWN}]", min=1),
    ] = None

    def refuse(self) -> None:
        """Refuse these options where a schedule is written out."""
        for flag, value in (("--router", self.router), ("--most", self.most)):
            if value is not None:
                raise InputError(f"{flag} {value}: it applies to tables (pavane/table/1); leave it out")

    def router_of(self, network: Network) -> int:
        """Return the number of the router."""
        if self.router is None:
            return 0
        if self.router in network.routers:
            return network.routers.index(self.router)
        if self.router.isascii() and self.router.isdecimal() and int(self.router) < network.num_routers:
            return int(self.router)
        shown = ", ".join(network.routers[:4])
        raise InputError(f"--router {self.router!r:.40}: {network.name} has no such router; it has {shown}, ...")


def print_table(result: Result, step: int | None, options: TableOptions, as_json: bool) -> None:
    """Print the rows of one router, or the transfers of all routers in one step, counted from 1."""
    assert result.table is not None
    most = options.most or MOST_ROWS_SHOWN
    if step is None:
        _print_rows(result, options.router_of(result.problem.network), most, as_json)
        return
    if options.router is not None:
        raise InputError("--step prints what all routers do, and --router the rows of one; leave one of them out")
    if not 1 <= step <= result.table.num_steps:
        unit = result.problem.rules.step_word
        raise InputError(f"--step {step}: the table has {unit}s 1 to {result.table.num_steps:,}")
    schedule = result.table.expand_step(result.problem, step - 1)
    if as_json:
        print_json({**_figures(result), "step": step, "transfers": _transfers(result, schedule)})
        return
    tell(_head(result))
    paths = [transfer["path"] for transfer in islice(_transfers(result, schedule), most)]
    tell([f"{result.problem.rules.step_word:<11} {step:,}: {counted(len(schedule), 'transfer')}"])
    tell(f"  {'-'.join(path)}" for path in paths)
    _tell_rest(len(schedule) - len(paths), "transfer")


def _print_rows(result: Result, router: int, most: int, as_json: bool) -> None:
    """Print the rows of a router."""
    from pavane.io.router_rows import rows_of_router
    from pavane.model.channel_kinds import ChannelKinds
    from pavane.model.table_schedule import TableSchedule

    assert result.table is not None
    problem, names = result.problem, result.problem.network.routers
    rows = rows_of_router(problem, result.table, router)
    heads = []
    if isinstance(result.table, TableSchedule):
        kinds = ChannelKinds.of(problem.network, result.table.translations)
        heads = [names[head] for head in kinds.heads[router].tolist()]
    if as_json:
        listed = [{**row._asdict(), "step": row.step + 1} for row in rows[:most]]
        print_json({**_figures(result), "router": router, "kinds": heads, "rows_of_router": listed}, indent=None)
        return
    tell(_head(result))
    if heads:
        tell([f"kinds       of channels from router {names[router]}: {', '.join(_kind_texts(heads))}"])
    tell([f"rows        of router {names[router]}"])
    tell(row_lines(result, rows[:most]))
    _tell_rest(len(rows) - most, "row")


def _kind_texts(heads: list[str]) -> list[str]:
    return [f"{kind} to {head}" for kind, head in enumerate(heads)]


def _head(result: Result) -> list[str]:
    assert result.table is not None
    reached = f"schedule    {reached_text(result.table, result.problem)}, {result.status_text}"
    return [*headline(result.problem), reached, *table_lines_of(result)]


def _figures(result: Result) -> dict[str, Any]:
    """Return the figures of a table for JSON."""
    from pavane.io.result_texts import bound_figures, table_figures

    known = {"status": result.status, "optimal": list(result.optimal), **bound_figures(result)}
    return {"steps": result.num_steps, **table_figures(result), **known}


def _transfers(result: Result, schedule: Schedule) -> list[dict[str, Any]]:
    """Return the transfers of a step: their ends, and the routers on their paths."""
    network = result.problem.network
    return [
        {
            "from": transfer.sender,
            "to": transfer.receiver,
            "path": [
                network.routers[network.router_of[transfer.sender]],
                *(network.routers[network.heads[c]] for c in transfer.path),
            ],
        }
        for transfer in schedule
    ]


def _tell_rest(number: int, noun: str) -> None:
    if number > 0:
        tell([f"  and {counted(number, f'more {noun}')}; --most prints more"])
