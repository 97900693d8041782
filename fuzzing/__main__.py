"""A campaign: `python -m fuzzing --problems N --files N --spoiled N --checks N --slots N --tables N
--timed N --trees N --joint N --seconds S --seed K`.

It examines random problems, mutated files, mutated schedules, tdm problems, tables, timed problems,
problems whose routers copy and several collectives at once, and makes cross-checks, in blocks. Finished blocks are
stored in a folder, from which the command resumes. Failures are written into that folder as tests, reduced to a minimal
case. The exit code is 1 if there was a failure.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from fuzzing.blocks import KINDS, Seen, made_block, write_test
from pavane.errors import PavaneError
from pavane.parallel.finished_lines import FinishedLines, read_lines
from pavane.parallel.pools import Workers, as_workers
from pavane.parallel.tasks import TaskContext, WorkerLost

KEPT = Path("fuzzing-results")
MOST_TESTS = 50
"""Tests that are written of what failed."""


class Block(msgspec.Struct, frozen=True):
    """A finished block."""

    kind: str
    seed: int
    block: int
    counts: dict[str, int]
    failures: list[tuple[int, str]]


def main(arguments: list[str] | None = None) -> int:
    """Run the requested campaign, print its summary, and fail if something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--problems", type=int, default=2_000, metavar="N", help="random problems (2000)")
    parser.add_argument("--files", type=int, default=10_000, metavar="N", help="mutated files (10000)")
    parser.add_argument("--spoiled", type=int, default=2_000, metavar="N", help="spoiled schedules (2000)")
    parser.add_argument("--checks", type=int, default=500, metavar="N", help="cross-checks (500)")
    parser.add_argument("--slots", type=int, default=500, metavar="N", help="random tdm problems (500)")
    parser.add_argument("--tables", type=int, default=500, metavar="N", help="tables of random networks (500)")
    parser.add_argument("--timed", type=int, default=500, metavar="N", help="timed problems (500)")
    parser.add_argument("--trees", type=int, default=500, metavar="N", help="problems whose routers copy (500)")
    parser.add_argument("--joint", type=int, default=300, metavar="N", help="several collectives at once (300)")
    parser.add_argument("--seconds", type=float, default=None, metavar="S", help="begin no block after these seconds")
    parser.add_argument("--seed", type=int, default=0, metavar="K", help="which series (0)")
    parser.add_argument("--workers", type=int, default=1, metavar="W", help="processes (1)")
    parser.add_argument("--cluster", metavar="ADDRESS", help="a dask scheduler")
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="FOLDER", help=f"folder of finished blocks ({KEPT})")
    parser.add_argument("--table", action="store_true", help="print the stored summary only")
    given = parser.parse_args(arguments)
    requested = {kind: getattr(given, kind) for kind in KINDS}
    try:
        if given.table:
            blocks = read_lines(given.keep / "blocks.jsonl", Block, "block")
            print(json.dumps(summary(blocks), indent=1))
            return 0
        with _hired(given.workers, given.cluster) as workers:
            made = campaign(requested, given.seed, given.keep, workers, given.seconds)
    except PavaneError as error:
        print(f"fuzzing: error: {error}", file=sys.stderr)
        return 2
    report = summary([one for one in made if one.seed == given.seed])
    print(json.dumps(report, indent=1))
    return 1 if report["failures"] else 0


@contextmanager
def _hired(size: int, cluster: str | None) -> Iterator[Workers]:
    if cluster is None:
        yield as_workers(size)
        return
    from pavane.parallel.cluster import cluster_workers

    with cluster_workers(cluster, size if size > 1 else None) as workers:
        yield workers


def campaign(
    requested: dict[str, int], seed: int, folder: Path, workers: Workers, seconds: float | None = None
) -> list[Block]:
    """Make all blocks that are missing, as long as there is time; return all that there are."""
    last = None if seconds is None else time.monotonic() + seconds
    folder.mkdir(parents=True, exist_ok=True)
    with FinishedLines(folder / "blocks.jsonl", Block, "block", lambda text: print(text, file=sys.stderr)) as stored:
        there = {(one.kind, one.block) for one in stored.lines if one.seed == seed}
        wanted = [
            (kind, block)
            for kind, count in requested.items()
            for block in range(-(-count // KINDS[kind].size))
            if (kind, block) not in there
        ]
        # A bit of everything, if there is no time for all of it.
        wanted.sort(key=lambda one: one[1] * KINDS[one[0]].size / max(1, requested[one[0]]))
        num_tests = 0
        for kind, block, seen in _made(wanted, seed, workers, last):
            stored.add(Block(kind, seed, block, dict(seen.counts), seen.failures))
            for number, failure in seen.failures:
                num_tests += 1
                if num_tests <= MOST_TESTS:
                    path = write_test(folder, kind, seed, number, failure)
                    print(f"{path}: {failure.strip().splitlines()[-1][:200]}", file=sys.stderr, flush=True)
        return list(stored.lines)


def _made(
    wanted: list[tuple[str, int]], seed: int, workers: Workers, last: float | None
) -> Iterator[tuple[str, int, Seen]]:
    """Yield finished blocks as they come; an interrupt ends them."""
    calls = [(kind, seed, block, None if last is None else last - time.monotonic()) for kind, block in wanted]
    begun, done = time.monotonic(), 0
    if not calls:
        return
    with workers.pool(len(calls), None) as pool:
        try:
            for number, seen in pool.results(_block, calls, in_order=False):
                kind, block = wanted[number]
                if isinstance(seen, WorkerLost):
                    yield kind, block, Seen(failures=[(block * KINDS[kind].size, f"crash: {seen.why}")])
                elif seen is not None:
                    done += 1
                    if sys.stderr.isatty():
                        line = f"\r{done} of {len(calls)} blocks, {time.monotonic() - begun:.0f} s"
                        print(line, end="", file=sys.stderr, flush=True)
                    yield kind, block, seen
        except KeyboardInterrupt:
            return


def _block(_: None, contact: TaskContext, kind: str, seed: int, block: int, seconds: float | None) -> Seen | None:
    """Make a block, here or elsewhere; none when the time that the campaign had at its start is over."""
    if seconds is not None and time.monotonic() - _BEGUN > seconds:
        return None
    return made_block(kind, seed, block, contact.is_stopped)


_BEGUN = time.monotonic()
"""When this process began to work for the campaign."""


def summary(blocks: list[Block]) -> dict[str, object]:
    """Count what was seen."""
    counts: Counter[str] = Counter()
    for one in blocks:
        counts.update(one.counts)
    failures = Counter(line.split(":")[0] for one in blocks for _, line in one.failures)
    return {**{name: counts[name] for name in sorted(counts)}, "failures": dict(failures)}


if __name__ == "__main__":
    sys.exit(main())
