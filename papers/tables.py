"""The tables of the papers by name, and a loop that redoes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from papers.gecco07 import TABLES as GECCO07
from papers.gecco08 import TABLES as GECCO08
from papers.noc import TABLES as NOC
from papers.paper_table import PaperLine, PaperTable, RedoOptions
from pavane.errors import InputError, PavaneError
from pavane.parallel.pools import Workers, as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost

__all__ = ["TABLES", "PaperLine", "PaperTable", "RedoOptions", "redone", "table_named"]

TABLES: tuple[PaperTable, ...] = (*GECCO07, *GECCO08, *NOC)


def table_named(paper: str, number: str) -> PaperTable:
    """Return a table of a paper."""
    for table in TABLES:
        if (table.paper, table.number) == (paper, number):
            return table
    known = [table.number for table in TABLES if table.paper == paper]
    if not known:
        papers = ", ".join(dict.fromkeys(table.paper for table in TABLES))
        raise InputError(f"there is no paper {paper!r}; choose {papers}, or list")
    raise InputError(f"{paper} has no table {number!r} here; choose {', '.join(known)}")


def redone(
    tables: Sequence[PaperTable], ours: RedoOptions, workers: int | Workers = 1, *, in_order: bool = True
) -> Iterator[tuple[PaperTable, list[PaperLine]]]:
    """Yield the lines of each table; more workers redo more tables at a time.

    Tables come in the given order; not `in_order`, each comes as soon as it is finished.

    At an interrupt (Ctrl-C) the tables that are finished are yielded, then the interrupt is raised again.
    """
    # The last tables take longest, so they are begun first. A process solves what tables share once.
    workers = as_workers(workers)
    order = list(range(len(tables))) if workers.is_serial else list(reversed(range(len(tables))))
    finished: dict[int, list[PaperLine]] = {}
    following = 0
    try:
        with workers.pool(len(tables), ours) as pool:
            calls = [(tables[index].paper, tables[index].number) for index in order]
            for number, lines in pool.results(_lines, calls, in_order=False):
                if isinstance(lines, WorkerLost):
                    raise PavaneError(f"table {tables[order[number]].name} was lost: {lines.why}")
                if not in_order:
                    yield tables[order[number]], lines
                    continue
                finished[order[number]] = lines
                while following in finished:
                    yield tables[following], finished.pop(following)
                    following += 1
    except KeyboardInterrupt:
        for index in sorted(finished):
            yield tables[index], finished[index]
        raise


def _lines(ours: RedoOptions, context: TaskContext, paper: str, number: str) -> list[PaperLine]:
    return list(table_named(paper, number).redo(ours))
