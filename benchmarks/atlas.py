"""Makes the atlas that comes with the package: `python -m benchmarks.atlas [FILE] [--time SECONDS]`.

Sweeps over the networks of the list `shipped`, from what the package's atlas knows already, and puts the result back in
its place. Every problem has a few seconds first; what is open then is searched for as long as `auto` runs by itself,
which does not depend on how busy the machine is. What is proven is not searched again.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

from pavane.atlas.atlas_file import AtlasFile, shipped_file
from pavane.atlas.lists import networks_of, problems_on
from pavane.atlas.sweeps import sweep
from pavane.parallel.progress import Progress
from pavane.search.options import SearchOptions

UNLIMITED = 10**9
"""Evaluations that no search of a small problem comes to: it ends when it has tried what it tries."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.atlas")
    parser.add_argument("file", nargs="?", default="atlas.sqlite", help="where the sweep keeps what it finds")
    parser.add_argument("--time", type=float, default=3.0, help="seconds for each problem")
    parser.add_argument("--again", action="store_true", help="search for all that is open, whatever was tried")
    options = parser.parse_args()
    if shipped_file().exists() and not os.path.exists(options.file):
        Path(options.file).write_bytes(shipped_file().read_bytes())
    with AtlasFile(options.file, is_written=True) as atlas:
        problems = list(problems_on(networks_of("shipped"), note=print))
        for limit in ({"seconds": options.time}, {"evaluations": UNLIMITED}):
            made = sweep(atlas, problems, SearchOptions(**limit, on_progress=report), again=options.again, note=print)
            print(made)
            if made.failures or made.interrupted:
                return 1
    ship(options.file)
    return 0


def report(now: Progress) -> None:
    if now.done is not None and (now.done % 25 == 0 or now.done == now.total):
        print(f"{now.done} of {now.total}, {now.activity}, {now.seconds_left:.0f} s left", file=sys.stderr, flush=True)


def ship(file: str | Path) -> None:
    """Put a copy without unused bytes, for readers alone, where the package has its atlas."""
    there = shipped_file()
    there.parent.mkdir(exist_ok=True)
    new = there.with_suffix(".new")
    new.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as opened:
        opened.execute("VACUUM INTO ?", (str(new),))
    os.replace(new, there)
    print(f"{there}: {there.stat().st_size:,} bytes")


if __name__ == "__main__":
    sys.exit(main())
