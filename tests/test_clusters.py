"""The benchmark of machines of GPUs: figures of others have sources, tables are whole, what is missed is told."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from benchmarks import clusters
from benchmarks.clusters import PARTS, Solved, main, problem_of
from benchmarks.published import DGX_1_ALLGATHER, FINISHES, SLOWEST, SOURCES, THROUGHPUTS, Finish, Throughput

from pavane.bounds.fractional import fractional_bound
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve
from pavane.ui.cli import run
from tests.installed import need_mpi
from tests.io.formats.mpi_runs import compiler, tool

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every search be one on a small machine."""
    small = Solved(solve(problem_of("rails:2,2", "AAB"), SearchOptions(seconds=1.0)), 0.1)
    monkeypatch.setattr(clusters, "solved", lambda *_: small)
    monkeypatch.setattr(clusters, "ALLREDUCES", ("star:3",))
    monkeypatch.setattr(clusters, "SECONDS", 0.5)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", PARTS)
def test_every_row_has_a_cell_for_each_column(name: str) -> None:
    """Tables are whole."""
    rows = list(PARTS[name].rows())
    assert rows
    assert {len(row) for row in rows} == {PARTS[name].columns.count("|") + 1}


@pytest.mark.usefixtures("quick")
def test_what_is_not_reached_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Fewer steps than asked are as asked, more are not, and then the exit code is 1."""
    monkeypatch.setattr(sys, "argv", ["clusters", "machines"])
    for asked, code, told in ((9, 0, "| 9 | yes |"), (1, 1, "| 1 | NO |")):
        monkeypatch.setattr(clusters, "MUST_SHOW", (("rails:2,2", "AAB", ((1, asked),)),))
        assert main() == code
        assert told in capsys.readouterr().out


def test_unknown_parts_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A part that there is not is bad usage."""
    monkeypatch.setattr(sys, "argv", ["clusters", "nonsense"])
    with pytest.raises(SystemExit):
        main()
    assert "no part 'nonsense'" in capsys.readouterr().err


def test_every_figure_has_a_source_at_one_version() -> None:
    """Sources are addresses of commits, which do not change."""
    assert {each.source for each in FINISHES} <= SOURCES.keys()
    assert all("/030a750/" in to or "/c128bf2/" in to or to.endswith("/3c13aee") for to in SOURCES.values())


@pytest.mark.parametrize("each", FINISHES)
def test_finish_times_are_of_machines_in_the_catalogue(each: Finish) -> None:
    """Capacity 1 of each machine is told in GB/s, and slow epochs are whole message times."""
    times = each.milliseconds / 1000 * SLOWEST[each.network] * network(each.network).num_processors
    assert times > 0
    if each.who.endswith("slow epochs"):
        assert times == pytest.approx(round(times))


@pytest.mark.parametrize("each", THROUGHPUTS)
def test_the_best_throughput_is_the_fractional_bound(each: Throughput) -> None:
    """Another program's best bandwidth and our bound are the same fraction."""
    problem = problem_of(each.network, "AAB")
    bound = fractional_bound(problem)
    assert bound is not None
    assert problem.network.num_processors * Fraction(SLOWEST[each.network]) / bound.per_message == each.bandwidth


def test_what_is_impossible_stands_beside_what_is_not() -> None:
    """SCCL's front ends with the fewest message times there can be, 7/6."""
    assert [each.exists for each in DGX_1_ALLGATHER].count(False) == 1
    assert min(Fraction(each.tco, each.pieces) for each in DGX_1_ALLGATHER if each.exists) == Fraction(7, 6)


def test_what_the_page_starts_on_mpi_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The shell commands of docs/clusters.md do their work with the files that the page has made before."""
    need_mpi()
    page = (DOCS / "clusters.md").read_text(encoding="utf-8")
    shell = "".join(re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)).splitlines()
    asked, started, compiled = shell
    assert asked == "nvidia-smi topo -m > topo.txt"
    shutil.copy(DOCS / "examples" / "topo.txt", tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gather").mkdir()  # the page keeps schedules in such a folder
    for made in ("gather.json", "gather.c"):
        line = next(line for line in page.splitlines() if line.startswith("$ pavane ") and line.endswith(f"-o {made}"))
        assert run(shlex.split(line)[2:]) == 0
    assert run(shlex.split(started)[1:]) == 0
    assert ", all right\n" in capsys.readouterr().out
    for words in (shlex.split(part) for part in compiled.split(" && ")):
        program = compiler() if words[0] == "mpicc" else tool(words[0])
        subprocess.run([program, *words[1:]], check=True, timeout=300, capture_output=True)
