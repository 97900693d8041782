"""Tables in `pavane show`: the rows of one router, or one step written out for all routers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

from pavane.errors import InputError
from pavane.text import counted
from pavane.ui.cli.inputs import chosen_steps
from pavane.ui.cli.options import option
from pavane.ui.cli.report import headline, print_json, print_report, print_rest, reached_text, row_lines, table_lines_of

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
        option(
            "--most N",
            f"Maximum number of rows or transfers that are printed. [default: {MOST_ROWS_SHOWN}]",
            min=1,
        ),
    ] = None

    def refuse(self) -> None:
        """Refuse these options where a schedule is written out."""
        self.refuse_router()
        if self.most is not None:
            raise InputError(f"--most {self.most}: it applies to printed tables and start times; leave it out")

    def refuse_router(self) -> None:
        """Refuse the option that only tables have."""
        if self.router is not None:
            raise InputError(f"--router {self.router}: it applies to printed tables (pavane/table/1); leave it out")

    def router_of(self, network: Network) -> int:
        """Return the number of the router."""
        from pavane.io.router_rows import router_named

        found = 0 if self.router is None else router_named(network, self.router)
        if found is None:
            shown = ", ".join(network.routers[:4])
            raise InputError(f"--router {self.router!r:.40}: {network.name} has no such router; it has {shown}, ...")
        return found


def show_rows(result: Result, step: int | None, options: TableOptions, as_json: bool) -> None:
    """Print the rows of one router, or the transfers of all routers in one step.

    Steps are counted from 1.
    """
    assert result.table is not None
    chosen_steps(step, result.table.num_steps, "table", result.problem.rules.step_word)
    router, most = options.router_of(result.problem.network), options.most or MOST_ROWS_SHOWN
    if step is None:
        _print_rows(result, router, most, as_json)
    elif options.router is not None:
        raise InputError("--step prints what all routers do, and --router the rows of one; leave one of them out")
    else:
        _print_step(result, step, most, as_json)


def _print_step(result: Result, step: int, most: int, as_json: bool) -> None:
    """Print the transfers of all routers in a step."""
    assert result.table is not None
    schedule = result.table.expand_step(result.problem, step - 1)
    if as_json:
        print_json({**_figures(result), "step": step, "transfers": _transfers(result, schedule)})
        return
    print_report(_head(result))
    paths = [transfer["path"] for transfer in islice(_transfers(result, schedule), most)]
    print_report([f"{result.problem.rules.step_word:<11} {step:,}: {counted(len(schedule), 'transfer')}"])
    print_report(f"  {'-'.join(path)}" for path in paths)
    print_rest(len(schedule) - len(paths), "transfer")


def _print_rows(result: Result, router: int, most: int, as_json: bool) -> None:
    """Print the rows of a router."""
    from pavane.io.router_rows import rows_of_router
    from pavane.model.symmetric_schedule import SymmetricSchedule

    assert result.table is not None
    problem, names = result.problem, result.problem.network.routers
    rows = rows_of_router(problem, result.table, router)
    heads = []
    if isinstance(result.table, SymmetricSchedule) and result.table.routers is None:
        kinds = result.table.kinds(problem.network)
        heads = [names[head] for head in kinds.heads[router].tolist()]
    if as_json:
        listed = [{**row._asdict(), "step": row.step + 1} for row in rows[:most]]
        print_json({**_figures(result), "router": router, "kinds": heads, "rows_of_router": listed}, indent=None)
        return
    print_report(_head(result))
    if heads:
        kinds_text = ", ".join(f"{kind} to {head}" for kind, head in enumerate(heads))
        print_report([f"kinds       of channels from router {names[router]}: {kinds_text}"])
    print_report([f"rows        of router {names[router]}"])
    print_report(row_lines(result, rows[:most]))
    print_rest(len(rows) - most, "row")


def _head(result: Result) -> list[str]:
    assert result.table is not None
    reached = f"schedule    {reached_text(result.table, result.problem)}, {result.status_text}"
    return [*headline(result.problem), reached, *table_lines_of(result)]


def _figures(result: Result) -> dict[str, Any]:
    """Return the figures of a table for JSON."""
    from pavane.io.result_texts import bound_figures, table_figures

    known = {
        "status": result.status,
        "status_text": result.status_text,
        "optimal": list(result.optimal),
        "bounds": bound_figures(result),
    }
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
