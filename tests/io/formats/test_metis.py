"""Graph files of METIS."""

from __future__ import annotations

from collections import Counter
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.formats.metis import METIS as METIS_FORMAT
from pavane.io.registry import recognize
from pavane.io.text_files import EDGE_LIST, LEAST_BYTES
from tests.io.formats.test_samples import read


@given(st.integers(2, 7), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_graph_comes_back_from_metis_and_is_no_edge_list(tmp_path: Path, count: int, data: st.DataObject) -> None:
    """What is written by METIS's rules is recognized, whatever the graph, and an edge list of it is not."""
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    edges = data.draw(st.lists(st.sampled_from(pairs), min_size=1, unique=True))
    lines = [f"{count} {len(edges)}"]
    lines += [" ".join(str(sum(edge) - v + 1) for edge in edges if v in edge) for v in range(count)]
    text = "\n".join(lines) + "\n"
    (tmp_path / "m").write_text(text)
    assert recognize(File.of(text.encode(), "m")) is METIS_FORMAT
    found = read(tmp_path / "m")[0]
    assert Counter(map(tuple, found.channels.tolist())) == Counter(way for a, b in edges for way in ((a, b), (b, a)))
    assert recognize(File.of("\n".join(f"{a} {b}" for a, b in edges).encode(), "e")) is EDGE_LIST


def grid_lines(size: int) -> list[str]:
    """Return the lines of a graph of rows of vertices, each joined with those beside it and with the next row."""
    lines = [f"{size * size} {2 * size * (size - 1)}"]
    for row, column in product(range(size), repeat=2):
        steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
        near = [(row + r, column + c) for r, c in steps if 0 <= row + r < size and 0 <= column + c < size]
        lines.append(" ".join(str(r * size + c + 1) for r, c in near))
    return lines


def test_a_large_file_is_read_as_a_small_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once instead of line by line, and the network is the same."""
    text = "\n".join(grid_lines(80)) + "\n"
    assert len(text) > LEAST_BYTES
    (tmp_path / "m").write_text(text)
    at_once = read(tmp_path / "m")[0]
    monkeypatch.setattr("pavane.io.formats.metis.LEAST_BYTES", 10**9)
    one_by_one = read(tmp_path / "m")[0]
    assert at_once.routers == one_by_one.routers
    assert at_once.channels.tolist() == one_by_one.channels.tolist()


@pytest.mark.parametrize(
    ("line", "spoilt", "said"),
    [
        (1, "2 3", "vertex 3 lists 1 as a neighbour|vertex 1 lists 3 as a neighbour|neighbours are listed"),
        (1, "2 6402", "there is no vertex 6402; they go from 1 to 6400"),
        (2, "3 82 x", "line 3: a neighbour"),
    ],
)
def test_a_large_file_is_refused_as_a_small_one(line: int, spoilt: str, said: str) -> None:
    """With the line and what is wrong in it."""
    lines = grid_lines(80)
    lines[line] = spoilt
    with pytest.raises(InputError, match=said):
        METIS_FORMAT.read(File.of("\n".join(lines).encode(), "m"))


def test_parallel_edges_of_a_large_file_stay(tmp_path: Path) -> None:
    """They are parallel links."""
    lines = grid_lines(80)
    lines[0] = f"6400 {2 * 80 * 79 + 1}"
    lines[1] += " 2"
    lines[2] += " 1"
    (tmp_path / "m").write_text("\n".join(lines) + "\n")
    assert read(tmp_path / "m")[0].num_channels == 4 * 80 * 79 + 2
