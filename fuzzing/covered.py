"""Line coverage of the tests, kernels included: `python -m fuzzing.covered [--write] [--kernels] [--data FILE...]`.

Coverage cannot be measured in machine code, so kernels first run uncompiled, called by their own tests and some of
their solvers'; then all tests run, with kernels compiled. The command prints how many lines the tests reach, and the
others with a reason; a line without a reason is a failure. It takes half an hour on two cores, with `--kernels`, for
kernels only, two minutes. `--data FILE --tests TEST...` stores the coverage of some tests, and `--data FILE FILE...`
combines such files, so that a new test does not require a complete run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from functools import reduce
from pathlib import Path
from typing import Any

from coverage import Coverage

from fuzzing.uncovered import REASONS

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "benchmarks" / "results" / "coverage.md"
WHERE = "### Where"
"""The prefix of paths in the stored report."""
NO_REASON = "**no reason is known**"
SWITCH = "FUZZING_UNCOMPILED"
"""The variable of the environment that lets kernels run as they are."""

UNCOMPILED = (
    "tests/jit",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("kernels")),
    "tests/solvers/large_scatter/test_windowed_first_fit.py",
    "tests/solvers/combining/test_combining.py::test_a_message_that_is_lost_at_first_leaves_no_load",
)
"""The tests that kernels are called by as they are: their own, and what calls the rest of them on small problems."""

APART = "tests/parallel/test_pool.py"
"""Tests that interrupt the process that runs them, which may end the watching of whatever runs in it after them."""

SETTINGS = """[run]
source = {sources}
parallel = true
concurrency = thread,multiprocessing
patch = subprocess,_exit
plugins = fuzzing.kept_often
data_file = {folder}/data
"""


def pytest_configure() -> None:
    """Let kernels run as they are, where the environment says so."""
    if SWITCH in os.environ:
        from pavane.jit import compiling

        vars(compiling)["_machine_code"] = lambda kernel, _: kernel


def pytest_runtest_setup() -> None:
    """Watch again: an interrupt that comes while a line is being noted ends the watching of its thread for good."""
    watcher = Coverage.current()
    if watcher is not None and sys.gettrace() is None:
        watcher.stop()
        watcher.start()


def measure(workers: int, tests: list[str], folder: Path, output: Path) -> None:
    """Run the tests of the kernels, and with workers all, or some alone; `coverage json` reports the lines reached."""
    settings = folder / "settings"
    settings.write_text(SETTINGS.format(sources=ROOT / "src" / "pavane", folder=folder), encoding="utf-8")
    coverage = [sys.executable, "-m", "coverage"]
    here: dict[str, Any] = {"cwd": ROOT}

    def run(tests: list[str], extra: Mapping[str, str]) -> None:
        # A test that fails has reached lines all the same, and is reported by `make test`.
        called = [*coverage, "run", f"--rcfile={settings}", "-m", "pytest", "-q", "-p", "fuzzing.covered", *tests]
        subprocess.run(called, env={**os.environ, "PYTHONPATH": str(ROOT), **extra}, **here)

    if tests:
        run(["-n", str(workers), *tests], {})
    else:
        run(list(UNCOMPILED), {SWITCH: "1"})
    if workers and not tests:
        run(["-n", str(workers), "--ignore", APART], {})
        run([APART], {})
    subprocess.run([*coverage, "combine", "-q", f"--rcfile={settings}"], check=True, **here)
    subprocess.run([*coverage, "json", "-q", f"--rcfile={settings}", "-o", str(output)], check=True, **here)


def within(files: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reports of files by their paths in the package, as in solvers/large_scatter/kernels/step_lns.py."""
    return {path.replace(os.sep, "/").rpartition("/pavane/")[2]: report for path, report in sorted(files.items())}


def together(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return what two runs reach of the same sources: a line is not reached if neither does."""
    both = {}
    for place, report in one.items():
        functions = {}
        for name, part in report["functions"].items():
            known = other[place]["functions"][name]["missing_lines"]
            functions[name] = {"missing_lines": [line for line in part["missing_lines"] if line in known]}
        statements = report["summary"]["num_statements"]
        missed = sum(len(part["missing_lines"]) for part in functions.values())
        both[place] = {
            "summary": {"num_statements": statements, "covered_lines": statements - missed},
            "functions": functions,
        }
    return both


def rooms(files: Mapping[str, Any]) -> Iterator[str]:
    """Yield a table of the rooms of the package: statements, and how many of them are reached."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for place, report in files.items():
        for room in (place.split("/")[0] if "/" in place else "the rest", "all"):
            for at, more in enumerate((1, report["summary"]["num_statements"], report["summary"]["covered_lines"])):
                counts[room][at] += more
    yield "| room | files | statements | reached |"
    yield "|---|---|---|---|"
    for room, (number, statements, reached) in sorted(counts.items(), key=lambda one: (one[0] == "all", one[0])):
        yield f"| {room} | {number} | {statements:,} | {100 * reached / max(1, statements):.1f} % |"


def reason_of(place: str, function: str) -> str | None:
    """Return why a function of a file has lines that no test reaches."""
    return next((why for pattern, why in REASONS.items() if fnmatch(f"{place}:{function}", pattern)), None)


def unreached(files: Mapping[str, Any]) -> list[tuple[str, str, list[int], str | None]]:
    """Return the functions that have lines which no test reaches: place, name, lines, and why."""
    found = []
    for place, report in files.items():
        for function, part in report["functions"].items():
            if part["missing_lines"]:
                found.append((place, function, part["missing_lines"], reason_of(place, function)))
    return found


def lines_of(files: Mapping[str, Any]) -> Iterator[str]:
    """Yield the page: rooms, why lines are not reached, and where they are."""
    yield from rooms(files)
    by_reason: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    counts: dict[str, int] = defaultdict(int)
    for place, function, lines, why in unreached(files):
        reason = why or NO_REASON
        by_reason[reason][place].append(f"{function or 'the file itself'} ({len(lines)})")
        counts[reason] += len(lines)
    ordered = sorted(by_reason, key=lambda reason: (-counts[reason], reason))
    yield ""
    yield "| lines not reached | files | why |"
    yield "|---|---|---|"
    for reason in ordered:
        yield f"| {counts[reason]} | {len(by_reason[reason])} | {reason} |"
    yield ""
    yield WHERE
    for reason in ordered:
        yield ""
        yield f"{reason[0].upper()}{reason[1:]}:"
        yield ""
        for place, functions in by_reason[reason].items():
            yield f"- `{place}`: {', '.join(functions)}"


def main() -> int:
    """Measure, print, and say whether everything that is not reached has a reason."""
    parser = argparse.ArgumentParser(prog="python -m fuzzing.covered")
    parser.add_argument("--write", action="store_true", help=f"keep the tables in {KEPT.name}")
    parser.add_argument("--kernels", action="store_true", help="the kernels, and not the whole package")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (all cores)")
    parser.add_argument("--tests", nargs="+", default=[], metavar="TEST", help="some tests, and not all")
    parser.add_argument(
        "--data", type=Path, nargs="+", metavar="FILE", help="coverage data; if the first file exists, no tests are run"
    )
    options = parser.parse_args()
    if options.write and options.kernels:
        parser.error("what is stored is about the whole package; leave --kernels or --write out")
    with tempfile.TemporaryDirectory() as folder:
        outputs = [path.resolve() for path in options.data or [Path(folder) / "coverage.json"]]
        if not outputs[0].exists():
            measure(0 if options.kernels else options.workers, options.tests, Path(folder), outputs[0])
        files = reduce(together, (within(json.loads(path.read_text(encoding="utf-8"))["files"]) for path in outputs))
    if options.kernels:
        files = {place: report for place, report in files.items() if "/kernels/" in place}
    lines = list(lines_of(files))
    print("\n".join(lines))
    if options.write:
        KEPT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 1 if any(why is None for *_, why in unreached(files)) else 0


if __name__ == "__main__":
    sys.exit(main())
