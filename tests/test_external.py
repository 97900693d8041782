"""Data of other projects: every file gets a line, what is refused has its reason, and an interrupted run continues."""

from __future__ import annotations

import sys
from pathlib import Path

import networkx
import pytest
from benchmarks import external
from benchmarks.external import COLLECTIONS, FileLine, problem_of, reason_table, run, table

from pavane.networks import network
from pavane.parallel.pools import as_workers


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with a graph, one that cannot be read, and one in a folder."""
    zoo, golf = tmp_path / "data" / "topology-zoo", tmp_path / "data" / "graph-golf" / "deep"
    for each in (zoo, golf):
        each.mkdir(parents=True)
    networkx.write_graphml(networkx.cycle_graph(5), zoo / "Ring.graphml")
    (zoo / "Broken.graphml").write_text("<graphml><graph>")
    (zoo / "notes.txt").write_text("not data")
    (golf / "square.edges").write_text("0 1\n1 2\n2 3\n3 0\n")
    return tmp_path / "data"


def test_every_file_gets_a_line(folder: Path, tmp_path: Path) -> None:
    """Networks are solved, and what cannot be read is refused with its reason."""
    lines = {line.file: line for line in run(folder, 5.0, as_workers(1), tmp_path / "lines.jsonl")}
    assert set(lines) == {
        "topology-zoo/Ring.graphml",
        "topology-zoo/Broken.graphml",
        "graph-golf/deep/square.edges",
    }
    ring = lines["topology-zoo/Ring.graphml"]
    assert (ring.outcome, ring.collective, ring.bound, ring.steps) == ("optimal", "AAS", 3, 3)
    broken = lines["topology-zoo/Broken.graphml"]
    assert broken.outcome == "refused"
    assert broken.reason.startswith("not GraphML that can be read: ")
    assert lines["graph-golf/deep/square.edges"].outcome == "optimal"


def test_a_second_run_solves_what_is_missing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files with a line are not examined again."""
    path = tmp_path / "lines.jsonl"
    first = run(folder, 5.0, as_workers(1), path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    seen: list[str] = []
    examined = external.examined

    def watched(path: Path, name: str, collection: str, seconds: float) -> FileLine:
        seen.append(name)
        return examined(path, name, collection, seconds)

    monkeypatch.setattr(external, "examined", watched)
    again = run(folder, 5.0, as_workers(1), path)
    assert seen == [first[0].file]
    assert {line.file for line in again} == {line.file for line in first}


def test_large_networks_get_a_smaller_collective() -> None:
    """An all-to-all of hundreds of processors is no matter of seconds, a broadcast is."""
    assert problem_of(network("torus:15x15")).collective.kind == "AAS"
    assert problem_of(network("torus:20x20")).collective.kind == "OAB"


def test_the_tables_count_what_the_lines_say() -> None:
    """Answered, proven and refused files are counted, and like reasons joined."""
    lines = [
        FileLine("graph-golf", "a", "optimal", "AAS", 4, 3, 3, seconds=0.5),
        FileLine("graph-golf", "b", "feasible", "AAS", 4, 4, 5, seconds=1.5),
        FileLine("graph-golf", "c", "refused", reason="processor 3 has no port, because router 'x' has no channel"),
        FileLine("graph-golf", "d", "refused", reason="processor 14 has no port, because router 'u' has no channel"),
    ]
    assert table(lines).rows == [["Graph Golf", 4, 2, 2, 0, 2, 1, "1.125", "1.250", "1.0"]]
    assert reason_table(lines).rows == [
        ("Graph Golf", "refused", 2, "processor N has no port, because router … has no channel")
    ]


def test_a_folder_without_data_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the subfolders that are looked for."""
    monkeypatch.setattr(sys, "argv", ["external", str(tmp_path)])
    with pytest.raises(SystemExit):
        external.main()
    assert "topology-zoo, graph-golf" in capsys.readouterr().err


def test_the_stored_lines_have_no_errors_of_pavane() -> None:
    """The published table is of a run in which nothing failed."""
    lines = external.stored()
    assert {line.collection for line in lines} <= {each.name for each in COLLECTIONS}
    assert [line.file for line in lines if line.outcome == "failed"] == []
