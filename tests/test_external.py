"""Data of other projects: every file gets a line, what is refused has its reason, and an interrupted run continues."""

from __future__ import annotations

import sys
from pathlib import Path

import networkx
import pytest
from benchmarks import external
from benchmarks.external import COLLECTIONS, FileLine, files_in, problem_of, reason_table, run, schedule_table, table

from pavane.networks import network
from pavane.parallel.pools import as_workers
from tests.io.formats.samples import allgather_xml


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with a graph in two formats, one that cannot be read, and a schedule."""
    zoo, msccl = tmp_path / "data" / "topology-zoo", tmp_path / "data" / "msccl-tools" / "deep"
    for each in (zoo, msccl):
        each.mkdir(parents=True)
    networkx.write_graphml(networkx.cycle_graph(5), zoo / "Ring.graphml")
    networkx.write_gml(networkx.cycle_graph(5), zoo / "Ring.gml")
    (zoo / "Broken.gml").write_text("graph [ node [ id 0 ")
    (zoo / "notes.txt").write_text("not data")
    (msccl / "ring.xml").write_text(allgather_xml())
    return tmp_path / "data"


def test_every_file_gets_a_line(folder: Path, tmp_path: Path) -> None:
    """Networks are solved, schedules judged, and what cannot be read is refused with its reason."""
    lines = {line.file: line for line in run(folder, 5.0, as_workers(1), tmp_path / "lines.jsonl")}
    assert set(lines) == {
        "topology-zoo/Ring.graphml",
        "topology-zoo/Broken.gml",
        "msccl-tools/deep/ring.xml",
    }
    ring = lines["topology-zoo/Ring.graphml"]
    assert (ring.content, ring.outcome, ring.collective, ring.bound, ring.steps) == ("network", "optimal", "AAS", 3, 3)
    broken = lines["topology-zoo/Broken.gml"]
    assert (broken.outcome, broken.reason) == (
        "refused",
        "the file ends inside a list or behind a key; it may be cut off",
    )
    schedule = lines["msccl-tools/deep/ring.xml"]
    assert schedule.content == "schedule"
    assert schedule.published is not None
    assert schedule.steps is not None
    assert schedule.steps <= schedule.published


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
    """Answered, proven and refused files are counted, published schedules compared, and like reasons joined."""
    lines = [
        FileLine("simgrid", "a", "network", "optimal", "AAS", 4, 3, 3, seconds=0.5),
        FileLine("simgrid", "b", "network", "feasible", "AAS", 4, 4, 5, seconds=1.5),
        FileLine("simgrid", "c", "", "refused", reason="the route from 'x' to 'y' runs over 2 links; put routers"),
        FileLine("simgrid", "d", "", "refused", reason="the route from 'u' to 'v' runs over 7 links; put routers"),
        FileLine("te-ccl", "e", "schedule", "optimal", "AAB", 4, 2, 2, published=3),
        FileLine("te-ccl", "f", "schedule", "optimal", "AAB", 4, 2, 2, is_invalid=True, reason="step 1"),
    ]
    assert table(lines).rows == [
        ["SimGrid platforms", 4, 2, 2, 0, 2, 1, "1.125", "1.250", "1.0"],
        ["TE-CCL", 2, 2, 0, 0, 2, 2, "1.000", "1.000", "0.0"],
    ]
    assert schedule_table(lines).rows == [["TE-CCL", 2, 1, 1, 1, 0, 0]]
    assert reason_table(lines).rows == [("SimGrid platforms", "refused", 2, "the route from … to … runs over N links")]


def test_a_folder_without_data_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the subfolders that are looked for."""
    monkeypatch.setattr(sys, "argv", ["external", str(tmp_path)])
    with pytest.raises(SystemExit):
        external.main()
    assert "topology-zoo, graph-golf, simgrid, poseidon, te-ccl, msccl-tools" in capsys.readouterr().err


def test_a_graph_in_two_formats_counts_once(folder: Path) -> None:
    """GraphML comes before GML."""
    assert [path.name for path in files_in(folder, COLLECTIONS[0])] == ["Ring.graphml", "Broken.gml"]


def test_the_stored_lines_have_no_errors_of_pavane() -> None:
    """The published table is of a run in which nothing failed."""
    lines = external.stored()
    assert {line.collection for line in lines} <= {each.name for each in COLLECTIONS}
    assert [line.file for line in lines if line.outcome == "failed"] == []
