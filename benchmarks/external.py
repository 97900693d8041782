"""Reads published networks of other projects and solves a collective on each: `python -m benchmarks.external FOLDER`.

The folder has a subfolder for each project that was fetched; docs/external.md says where they come from. A network gets
the first collective of `COLLECTIVES` that is not too large. Every search has the same time limit. A line for each file
is stored in benchmarks/results/external.jsonl; files that have one are not solved again, so the command can be
interrupted.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from pavane.errors import PavaneError
from pavane.io.readers import read_network
from pavane.model.collectives import named
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.parallel.campaign import Campaign
from pavane.parallel.finished_lines import FinishedLines, read_lines
from pavane.parallel.pools import Workers, as_workers
from pavane.parallel.progress import Progress
from pavane.parallel.tasks import TaskContext, WorkerLost
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.text.table import Column, Table

RESULTS = Path(__file__).parent / "results" / "external.jsonl"
SECONDS = 5.0
COLLECTIVES = ("alltoall", "allgather", "broadcast")
MOST_DELIVERIES = 60_000
"""Deliveries of a collective, above which the next one is chosen: a search of seconds should end with a good schedule,
and an all-to-all of 245 processors has as many."""


class Collection(NamedTuple):
    """The data of one project: the files that are read, and where they can be found, in words."""

    name: str
    patterns: tuple[str, ...]
    title: str


COLLECTIONS = (
    Collection("topology-zoo", ("*.graphml",), "Internet Topology Zoo"),
    Collection("graph-golf", ("*.edges", "*edgelist.txt"), "Graph Golf"),
)


class FileLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """What came of one file."""

    collection: str
    file: str
    outcome: str
    """optimal, feasible, unknown (no schedule in time), refused, or failed (an error of pavane)."""
    collective: str = ""
    processors: int = 0
    bound: int | None = None
    steps: int | None = None
    seconds: float = 0.0
    reason: str = ""


def files_in(folder: Path, collection: Collection) -> Iterator[Path]:
    """Yield the files of a collection."""
    for pattern in collection.patterns:
        yield from sorted((folder / collection.name).rglob(pattern))


def problem_of(network: Network) -> Problem:
    """Return the first collective that is not too large for the network."""
    count = network.num_processors
    fitting = COLLECTIVES if count * (count - 1) <= MOST_DELIVERIES else COLLECTIVES[-1:]
    return Problem(network, named(fitting[0], network))


def examined(path: Path, name: str, collection: str, seconds: float) -> FileLine:
    """Read a network, and solve a collective on it."""
    try:
        problem = problem_of(read_network(path))
        started = time.monotonic()
        result = solve(problem, SearchOptions(seconds=seconds))
    except PavaneError as error:
        return FileLine(collection, name, "refused", reason=_reason(error, path))
    except Exception as error:
        return FileLine(collection, name, "failed", reason=f"{type(error).__name__}: {_reason(error, path)}")
    return FileLine(
        collection,
        name,
        result.status,
        problem.collective.kind,
        problem.network.num_processors,
        result.bound.figure if result.bound else None,
        result.num_steps,
        seconds=round(time.monotonic() - started, 2),
    )


def _reason(error: Exception, path: Path) -> str:
    """Return the first line of an error, without the name of the file."""
    text = (str(error) or "no text").splitlines()[0]
    return re.sub(r"^(, |: )", "", text.removeprefix(str(path)).replace(str(path), path.name))


def _examine(shared: Path, context: TaskContext, collection: str, name: str, seconds: float) -> FileLine:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # notes about what a network cannot represent
        return examined(shared / name, name, collection, seconds)


def run(folder: Path, seconds: float, workers: Workers, results: Path = RESULTS) -> list[FileLine]:
    """Examine all files that have no line yet; return all lines."""
    tasks = [
        (each.name, str(path.relative_to(folder)), seconds) for each in COLLECTIONS for path in files_in(folder, each)
    ]
    with FinishedLines(results, FileLine, "file", print) as finished:
        known = {(line.collection, line.file): line for line in finished.lines}
        campaign = Campaign[tuple[str, str], FileLine](
            len(tasks), lambda key: key[1], _print_progress, known=known, outcome=lambda line: line.outcome
        )
        missing = [task for task in tasks if task[:2] not in known]

        def arriving() -> Iterator[tuple[tuple[str, str], FileLine]]:
            with workers.pool(len(missing), folder) as pool:
                for number, line in pool.results(_examine, missing, in_order=False):
                    key = missing[number][:2]
                    yield key, FileLine(*key, "failed", reason=line.why) if isinstance(line, WorkerLost) else line

        campaign.collect(arriving(), lambda _, line: finished.add(line), may_be_empty=True)
        return list(finished.lines)


def _print_progress(progress: Progress) -> None:
    counts = ", ".join(f"{number} {word}" for word, number in progress.outcomes.items())
    print(f"{progress.done}/{progress.total} {progress.activity} ({counts})", file=sys.stderr, flush=True)


# -- tables


def table(lines: Sequence[FileLine]) -> Table:
    """Return the counts of each collection."""
    columns = [
        *(Column(title) for title in ("data", "files", "read", "refused", "failed", "answered", "proven optimal")),
        *(Column(title, missing="") for title in ("median steps / bound", "worst", "median seconds")),
    ]
    return Table(columns, [row for each in COLLECTIONS if (row := _counts(each, lines))])


def _counts(collection: Collection, lines: Sequence[FileLine]) -> list[object]:
    own = [line for line in lines if line.collection == collection.name]
    if not own:
        return []
    outcomes = Counter(line.outcome for line in own)
    answered = [line for line in own if line.steps is not None]
    ratios = [line.steps / line.bound for line in answered if line.bound and line.steps] or [0.0]
    counts = (len(own) - outcomes["refused"] - outcomes["failed"], outcomes["refused"], outcomes["failed"])
    return [
        *(collection.title, len(own), *counts, len(answered), outcomes["optimal"]),
        *(f"{value:.3f}" for value in (statistics.median(ratios), max(ratios))),
        f"{statistics.median(line.seconds for line in answered):.1f}" if answered else None,
    ]


def reason_table(lines: Sequence[FileLine]) -> Table:
    """Return why files were refused, and how many for each reason."""
    titles = {each.name: each.title for each in COLLECTIONS}
    reasons = Counter(
        (titles[line.collection], line.outcome, _general(line.reason))
        for line in lines
        if line.outcome in ("refused", "failed")
    )
    ordered = sorted(reasons.items(), key=lambda item: (list(titles.values()).index(item[0][0]), -item[1], item[0]))
    return Table.of(("data", "", "files", "reason"), [(*key[:2], count, key[2]) for key, count in ordered])


def _general(reason: str) -> str:
    """Return a reason without the names and numbers of one file."""
    text = re.sub(r"'[^']*'", "…", reason.partition(";")[0])
    text = re.sub(r"(because router) .*?(?= has no)", r"\1 …", text)
    text = re.sub(r"\b(on) (?!the )[\w.-]+(?=$| has)", r"\1 …", text)
    return re.sub(r"\b(processor|router) \d[\d,.e+]*", r"\1 N", text)


def stored() -> list[FileLine]:
    """Return the lines of the last run."""
    return read_lines(RESULTS, FileLine, "file")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.external")
    parser.add_argument("folder", type=Path, help=f"the data: {', '.join(each.name for each in COLLECTIONS)} inside")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time limit of a search")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    if not any(any(files_in(options.folder, each)) for each in COLLECTIONS):
        parser.error(
            f"{options.folder} has none of {', '.join(each.name for each in COLLECTIONS)}; see docs/external.md"
        )
    lines = run(options.folder, options.seconds, as_workers(options.workers))
    for made in (table(lines), reason_table(lines)):
        print(*made.markdown(), "", sep="\n")
    return 1 if any(line.outcome == "failed" for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
