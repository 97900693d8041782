"""Graph files of METIS."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.formats.files import File
from pavane.formats.foreign.metis import METIS as METIS_FORMAT
from pavane.formats.registry import recognize
from pavane.formats.text_files import EDGE_LIST
from tests.formats.foreign.test_samples import read


@given(st.integers(2, 7), st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
