"""Regenerates everything generated in the documentation: figures, tables, help texts and the output of examples.

    python docs/generate.py            regenerate what has changed
    python docs/generate.py --check    write nothing; list stale files and exit with 1

The script generates:

* the figures in docs/figures, by drawings.py;
* the sections of a page between `<!-- generated: NAME -->` and `<!-- end -->`, by the functions in SECTIONS;
* the output of examples. A `console` block is run command by command (`pavane`, `mpiexec`, `cat`, `echo $?`, with
  `| head -n N`), a `python` block is run whole, and what it prints goes into the `text` block behind it. The blocks of
  a page run in order, in one empty folder that holds the files of docs/examples;
* the outputs of notebooks, as text.

The same commit gives the same text: measured times are masked.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import drawings
from drawings import FIGURES
from notebooks import fresh_notebook
from public_names import reference

from pavane import Problem, Rules, explain, lower_bounds, named, network, solve
from pavane.bounds import cut, splits
from pavane.campaign.fault_study import MOST_FAULTS
from pavane.execution import mpiexec
from pavane.io import parsing
from pavane.judge.result import Result
from pavane.model import grid, messages, network_checks
from pavane.networks import FAMILIES
from pavane.networks import limits as network_limits
from pavane.solvers import SOLVERS
from pavane.solvers.exact.cp_sat import CpSat
from pavane.solvers.large_scatter import first_fit
from pavane.solvers.large_scatter.tuning import TUNING
from pavane.ui.cli import run
from pavane.ui.cli.networks import figures
from pavane.ui.cli.solvers import supported
from pavane.ui.web import requests as page_requests

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
COMMANDS = (
    *("solve", "bounds", "verify", "show", "export", "faults", "time", "run", "serve"),
    *("networks", "solvers", "compare", "study"),
)


# -- results of the papers and of pavane

printed = drawings.benchmark("cases").printed

SHOWN = (
    printed("gecco08", "ring:8", "AAS"),
    printed("gecco08", "octagon", "AAB"),
    printed("gecco08", "octagon", "AAS"),
    printed("gecco08", "petersen", "AAB"),
    printed("gecco08", "petersen", "AAS"),
    printed("gecco08", "kautz:3,2", "OAB"),
    printed("gecco08", "kautz:3,2", "OAS"),
    printed("gecco08", "kautz:3,2", "AAB"),
    printed("gecco08", "kautz:3,2", "AAS"),
    printed("gecco08", "heawood", "AAB"),
    printed("gecco08", "heawood", "AAS"),
    printed("gecco08", "spidergon:16", "AAB"),
    printed("gecco08", "spidergon:16", "AAS"),
    printed("gecco08", "levi", "AAS"),
    printed("gecco08", "hypercube:5", "OAB"),
    printed("gecco08", "hypercube:5", "OAS"),
    printed("gecco08", "hypercube:5", "AAS"),
    printed("gecco08", "kautz:3,3", "OAB"),
    printed("gecco08", "kautz:3,3", "OAS", routing="any"),
    printed("gecco08", "kautz:3,3", "AAB"),
    printed("gecco08", "kautz:3,3", "AAS"),
    printed("gecco07", "mesh:4x4", "AAB"),
    printed("gecco07", "mesh:4x4", "AAS"),
    printed("gecco07", "mesh:4x4", "AAB", ports=1),
    printed("gecco07", "mesh:4x4", "AAS", ports=1),
    printed("gecco07", "coated-mesh:4x4", "AAS", ports=1),
    printed("noc", "hierarchical-rings:4,4", "AAS", ports=1),
)
"""The problems of the results table."""


SHOWN_FIRST = (
    printed("gecco08", "heawood", "AAS"),
    printed("gecco08", "spidergon:16", "AAS"),
    printed("gecco08", "levi", "AAS"),
    printed("gecco08", "kautz:3,3", "AAS"),
    printed("gecco07", "mesh:4x4", "AAS", ports=1),
    printed("noc", "hierarchical-rings:4,4", "AAS", ports=1),
)
"""The problems that the README shows."""


def results(cases: tuple[Any, ...] = SHOWN) -> str:
    """Return a table of results."""
    rows = [["network", "collective", "rules", "bound", "steps", "status", "the paper"]]
    for case in cases:
        result = _solved(case)
        assert result.bound is not None
        rules = f"{case.ports}-port" + (", any routing" if case.routing == "any" else "")
        found = [str(result.bound.figure), str(result.num_steps), result.status]
        rows.append([f"`{case.spec}`", case.kind, rules, *found, f"{case} ({case.paper})"])
    return _table(rows)


@cache
def _solved(case: Any) -> Result:
    """Solve a problem of the table; cached, because the README shows some of them as well."""
    return solve(case.problem())


def catalogue() -> str:
    """Return the table of network families."""
    titles = ("written", "example", "routers", "processors", "channels", "degree", "diameter", "sum of distances")
    rows = [[*titles, "switches", ""]]
    for family in FAMILIES.values():
        row = figures(network(family.example))
        keys = ("routers", "processors", "channels", "degree", "diameter", "sum_of_distances")
        numbers = (str(row[key]) for key in keys)
        rows.append([f"`{family.usage}`", f"`{family.example}`", *numbers, family.switches, family.about])
    return _table(rows)


def commands() -> str:
    """Return the help text of every command."""
    pages = [("pavane", ["--help"]), *((f"pavane {name}", [*name.split(), "--help"]) for name in COMMANDS)]
    return "\n\n".join(f"## {title}\n\n```text\n{_output(arguments)[1].rstrip()}\n```" for title, arguments in pages)


def bound_examples() -> str:
    """Return the bounds of a few problems in words."""
    rows = [["problem", "bound", "argument", "in words"]]
    for spec, collective, rules in (
        ("octagon", "AAS", Rules()),
        ("octagon", "OAB", Rules()),
        ("mesh:4x4", "AAS", Rules(ports=1)),
        ("mesh:4x4", "AAB", Rules(ports=1)),
        ("mesh:4x4", "AAS", Rules(switching="store-and-forward", ports=1)),
        ("line:8", "OAB", Rules(switching="store-and-forward")),
        ("torus:4x4", "AAS", Rules(switching="tdm", ports=1)),
        ("mesh:6x6", "AAS", Rules(switching="tdm", ports=1, wrap=False)),
    ):
        where = network(spec)
        problem = Problem(where, named(collective, where), rules)
        bound = lower_bounds(problem)[0]
        wrap = "" if rules.wrap else " without wrap"
        about = f"{collective} on `{spec}`, {rules.switching}{wrap}, {rules.ports}-port"
        rows.append([about, str(bound.figure), f"`{bound.argument}`", explain(problem, bound)])
    return _table(rows)


def solvers() -> str:
    """Return the registered solvers, each with the first sentence of its description and what it supports."""
    return "\n".join(
        f"- `{name}`: {_first_line(type(solver).__doc__)} Supports: {' | '.join(supported(solver))}."
        for name, solver in SOLVERS.items()
    )


def layers() -> str:
    """Return the layers of the import contract, the highest first."""
    return "\n".join(["```text", *(", ".join(layer) for layer in _layers()), "```"])


def folder() -> str:
    """Return the modules of all layers, the lowest first, each with the first sentence of its description."""
    lines = ["```text", "src/pavane/"]
    for module in (module for layer in reversed(_layers()) for module in layer):
        path = ROOT / "src" / "pavane" / module.replace(".", "/")
        is_folder = path.is_dir()
        source = (path / "__init__.py" if is_folder else path.with_suffix(".py")).read_text(encoding="utf-8")
        name = module.replace(".", "/") + ("/" if is_folder else ".py")
        lines.append(f"  {name:<16} {_first_line(ast.get_docstring(ast.parse(source)))}")
    return "\n".join([*lines, "```"])


def _layers() -> list[list[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(c for c in settings["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    return [re.findall(r"pavane\.([\w.]+)", layer) for layer in contract["layers"]]


def _first_line(description: str | None) -> str:
    return (description or "").strip().split("\n")[0]


def scale() -> str:
    """Return the stored measurements of benchmarks/scale.py on large networks."""
    return str(drawings.benchmark("scale").table())


CAMPAIGN = {
    "problems": "random problems",
    "schedules": "schedules of them, verified by both judges",
    "optimal": "of these proven optimal",
    "optima": "problems compared with the true optimum",
    "closely": "problems examined thoroughly",
    "executed": "schedules executed by MPI processes",
    "files": "mutated files",
    "spoiled": "mutated schedules",
    "checks": "cross-checks",
    "slots": "tdm problems, each with a mutated schedule",
    "periods": "of these compared with the true shortest period",
    "tables": "tables of one router, each with three mutated ones",
    "timed": "timed problems, each with three mutated schedules and twelve forged certificates",
    "timed_optimal": "of these proven optimal",
    "earliest": "timed problems compared with the earliest end",
    "earliest_met": "of these solved with that end, in a twentieth of a second",
    "earliest_proven": "of these with a bound that equals that end",
    "trees": "problems whose routers copy and add, each with a mutated schedule",
    "trees_optimal": "of these proven optimal",
    "tree_optima": "problems whose routers copy compared with the optimum by exhaustive search",
    "tree_optima_met": "of these solved optimally",
    "joint": "problems of several collectives, each with three mutated schedules and twelve forged certificates",
    "joint_optimal": "of these proven optimal",
    "joint_optima": "problems of several collectives compared with the optimum by exhaustive search",
    "joint_met": "of these solved optimally",
    "joint_proven": "of these with a bound that equals the optimum",
    "failures": "failures",
}
"""The counts of a campaign, with their descriptions."""


def campaign() -> str:
    """Return the counts of the fuzzing campaign so far."""
    counts = json.loads(kept("fuzzing.json"))
    counts["failures"] = sum(counts["failures"].values())
    return _table([["", ""], *([words, f"{counts.get(name, 0):,}"] for name, words in CAMPAIGN.items())])


def _kept_islands() -> Any:
    return json.loads(kept("islands.json", "papers"))


def islands() -> str:
    """Return the success rates on a GPU as a table."""
    benchmark = drawings.benchmark("success_rates", "papers")
    return "\n".join(benchmark.table(_kept_islands(), benchmark.cells()))


def readings(algorithm: str) -> str:
    """Return what each reading of an algorithm brings, as a table."""
    return "\n".join(
        drawings.benchmark("success_rates", "papers").readings_table(
            json.loads(kept("readings.json", "papers")), algorithm
        )
    )


def convergence() -> str:
    """Return how conflicts become fewer in long runs, as a table."""
    return "\n".join(drawings.benchmark("success_rates", "papers").convergence_table(_kept_islands()))


def best_readings() -> str:
    """Return the longer runs of the best readings as a table."""
    benchmark = drawings.benchmark("success_rates", "papers")
    return "\n".join(benchmark.table(json.loads(kept("readings.json", "papers")), benchmark.best_readings()))


def kept(name: str, package: str = "benchmarks") -> str:
    """Return what a benchmark, or a study of the papers, has stored."""
    return (ROOT / package / "results" / name).read_text(encoding="utf-8").strip()


def timed_published() -> str:
    """Return the tables of timed problems for which others have published times."""
    parts = re.split(r"^## ", kept("timed.md"), flags=re.MULTILINE)
    chosen = [part.strip() for part in parts if part.startswith(("tacos", "copying"))]
    return "\n\n".join(f"### {part}" for part in chosen)


def limits() -> str:
    """Return the size limits of the program."""
    rows = [["limit", "value"]]
    for what, most in (
        ("messages of a problem, or pieces of them", messages.MOST_MESSAGES),
        ("channels, or processors, of a network", network_limits.MOST_CHANNELS),
        ("capacity of a channel", network_checks.MOST_CAPACITY),
        ("dimensions of a mesh or torus", grid.MOST_DIMENSIONS),
        ("routers for first fit, compiled", first_fit.MOST_ROUTERS),
        ("routers for which `packing` fills steps along a plan", TUNING.most_routers),
        ("variables of the exact solver, `cp-sat`", CpSat().most_variables),
        ("routers for which the best of all cuts is computed", cut.MOST_ROUTERS),
        ("routers for which a bisection is exact", splits.MOST_ROUTERS_EXACT),
        ("faults of one study", MOST_FAULTS),
        ("messages or pieces delivered on the web page", page_requests.MOST_DELIVERIES),
        ("MiB of a network file of other programs", parsing.MOST_BYTES // 2**20),
    ):
        rows.append([what, f"{most:,}"])
    return _table(rows)


def _external(name: str) -> str:
    """Return a table of the stored results on data of other projects."""
    benchmark = drawings.benchmark("external")
    return "\n".join(getattr(benchmark, name)(benchmark.stored()).markdown())


SECTIONS: dict[str, Callable[[], str]] = {
    "api": reference,
    "scale": scale,
    "files": lambda: kept("files.md"),
    "copying": lambda: kept("copying.md"),
    "together": lambda: kept("together.md"),
    "thousands": lambda: kept("thousands.md"),
    "slots": lambda: kept("slots.md"),
    "timed-published": timed_published,
    "tables": lambda: kept("tables.md"),
    "combining": lambda: kept("combining.md"),
    "clusters": lambda: kept("clusters.md"),
    "stored": lambda: kept("stored.md"),
    "pools": lambda: kept("pools.md"),
    "first-use": lambda: kept("first_use.md"),
    "first-clone": lambda: kept("first_clone.md"),
    "campaign": campaign,
    "islands": islands,
    "readings-umda": lambda: readings("umda"),
    "readings-mboa": lambda: readings("mboa"),
    "readings-hgsa": lambda: readings("hgsa"),
    "best-readings": best_readings,
    "island-convergence": lambda: "\n".join(
        drawings.benchmark("success_rates", "papers").convergence_table(_kept_islands())
    ),
    "paper-rows": lambda: "\n".join(drawings.benchmark("paper_rows", "papers").table(_kept_islands())),
    "island-rates": lambda: "\n".join(drawings.benchmark("success_rates", "papers").rate_table(_kept_islands())),
    "solvers": solvers,
    "layers": layers,
    "limits": limits,
    "external": lambda: _external("table"),
    "external-refused": lambda: _external("reason_table"),
    "folder": folder,
    "results": results,
    "results-in-short": lambda: results(SHOWN_FIRST),
    "catalogue": catalogue,
    "commands": commands,
    "bounds": bound_examples,
}


def _table(rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


# -- examples


def _output(arguments: list[str]) -> tuple[int, str]:
    """Run the command line and return its exit code and its output on both streams."""
    said = io.StringIO()
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    try:
        with redirect_stdout(said), redirect_stderr(said):
            code = run(arguments)
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    return code, said.getvalue()


def _executed(arguments: list[str]) -> tuple[int, str]:
    """Run a program on MPI and return its exit code and output."""
    words = [sys.executable if word == "python" else word for word in arguments]
    done = subprocess.run([*mpiexec(), *words], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


def masked(text: str) -> str:
    """Hide what differs from run to run: times, and the version."""
    text = re.sub(r"\b\d+\.\d\d s\b", "... s", text)
    text = re.sub(r'("seconds": ?)[0-9.e-]+', r"\g<1>0.01", text)
    text = re.sub(r'("version": ?)"[^"]*"', r'\g<1>"0.1.0"', text)
    return "\n".join(_realigned(text.split("\n")))


def _masked_run(text: str) -> str:
    """Hide what differs between executions on MPI: measured times, and the release of the library."""
    text = re.sub(r"^(time|library) +[0-9][0-9.]* \w+", lambda match: f"{match[1]:<12}... s", text, flags=re.MULTILINE)
    text = re.sub(r" +[0-9][0-9.]* (?:ns|us|ms|s)$", "  ... s", text, flags=re.MULTILINE)
    text = re.sub(r" +time$", "   time", text, flags=re.MULTILINE)
    return re.sub(r"\b(MPICH|Open MPI) [0-9.]+", r"\1", text)


def _realigned(lines: list[str]) -> Iterator[str]:
    """Yield lines with the columns of tables realigned to the masked times."""
    cells = [re.split(r"(?<=\S) {2,}", line) for line in lines]
    for _, some in groupby(zip(lines, cells, strict=True), key=lambda pair: len(pair[1])):
        rows = list(some)
        if len(rows[0][1]) < 3 or not any("... s" in row for _, row in rows):
            yield from (line for line, _ in rows)
            continue
        widths = [max(map(len, column)) for column in zip(*(row for _, row in rows), strict=True)]
        for _, row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


class Examples:
    """The examples of one page: they share a folder, variables and the last exit code."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.variables: dict[str, Any] = {"__name__": "__main__"}
        self.code = 0

    def console(self, block: list[str]) -> Iterator[str]:
        """Run the commands of a console block; yield them with their output."""
        lines = [line for line in block if line.startswith("$ ")]
        for index, line in enumerate(lines):
            yield line
            yield from self._command(line[2:])
            is_shown = index + 1 < len(lines) and lines[index + 1] == "$ echo $?"
            if self.code and not is_shown and line != "$ echo $?":
                raise ValueError(f"{self.page}: `{line}` exits with {self.code}; show it with `$ echo $?`")

    def _command(self, line: str) -> list[str]:
        line, _, tail = line.partition(" | head -n ")
        words = shlex.split(line)
        if words == ["echo", "$?"]:
            return [str(self.code)]
        if words[0] == "cat":
            self.code, text = 0, masked(Path(words[1]).read_text(encoding="utf-8"))
        elif words[0] == "pavane":
            self.code, text = _output(words[1:])
            text = _masked_run(text) if words[1] == "run" else masked(text)
        elif words[0] == "mpiexec":
            self.code, text = _executed(words[1:])
        else:
            raise ValueError(f"{self.page}: `{line}` cannot be run here; use a sh block for it")
        lines = text.rstrip("\n").splitlines()
        return lines[: int(tail)] if tail else lines

    def python(self, block: list[str]) -> list[str]:
        """Run a python block and return what it prints."""
        said = io.StringIO()
        with redirect_stdout(said):
            exec(compile("\n".join(block), self.page, "exec"), self.variables)
        return masked(said.getvalue()).rstrip("\n").splitlines()


def _with_examples(page: str, text: str) -> str:
    """Return a page with the regenerated output of its examples."""
    examples = Examples(page)
    fresh: list[str] = []
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        fresh.append(line)
        if not re.fullmatch("```[a-z]+", line):
            continue
        end = lines.index("```", place)
        block, place = lines[place:end], end + 1
        if line == "```console":
            block = list(examples.console(block))
        fresh += [*block, "```"]
        if line == "```python":
            printed = examples.python(block)
            if lines[place : place + 2] == ["", "```text"] and printed:
                place = lines.index("```", place) + 1
            if printed:
                fresh += ["", "```text", *printed, "```"]
    return "\n".join(fresh)


def _with_sections(page: str, text: str) -> str:
    def section(match: re.Match[str]) -> str:
        name = match[1]
        if name not in SECTIONS:
            raise ValueError(f"{page}: nothing generates {name!r}; choose one of {', '.join(SECTIONS)}")
        return f"<!-- generated: {name} -->\n{SECTIONS[name]()}\n<!-- end -->"

    return re.sub(r"<!-- generated: ([a-z-]+) -->\n.*?<!-- end -->", section, text, flags=re.DOTALL)


# -- files


def pages() -> list[Path]:
    """Return the pages that hold examples or generated sections."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "papers" / "studies.md", *sorted(DOCS.rglob("*.md"))]


def fresh_page(path: Path) -> str:
    """Return the fresh contents of a page."""
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(DOCS / "examples", folder, dirs_exist_ok=True)
        with chdir(folder):
            text = _with_examples(path.name, text)
    return _with_sections(path.name, text)


def files() -> Iterator[tuple[Path, str]]:
    """Yield every generated or partly generated file with its fresh contents."""
    for name, draw in FIGURES.items():
        yield DOCS / "figures" / f"{name}.svg", draw()
    for path in pages():
        yield path, fresh_page(path)
    for path in sorted(DOCS.glob("*.ipynb")):
        yield path, fresh_notebook(path)


def stale() -> Iterator[tuple[Path, str]]:
    """Yield the stale files with their fresh contents."""
    for path, text in files():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield path, text


def main(arguments: list[str]) -> int:
    """Write the stale files, or with --check only list them."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate.py [--check]", file=sys.stderr)
        return 2
    found = list(stale())
    for path, text in found:
        name = path.relative_to(ROOT)
        if arguments:
            print(f"stale: {name}; `make docs` regenerates it")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"written: {name}")
    return 1 if found and arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
