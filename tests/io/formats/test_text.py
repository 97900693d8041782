"""Words for people."""

from __future__ import annotations

from tests.io.formats.schedules import solved, written


def test_words_for_people() -> None:
    """The text has the paths, the destination table and the programs."""
    text = written("text", solved("ring:4", "aab"))
    head, paths, table, programs = text.split("\n\n")
    assert head.startswith("allgather (AAB) from 4 senders to 4 receivers on ring:4 (wormhole, all-port, full duplex, ")
    assert head.endswith("no combining): 2 steps, 12 transfers, optimal (certificate)")
    assert paths.splitlines()[0] == "paths"
    assert len(paths.splitlines()) == 3
    assert table.splitlines()[:2] == ["destinations", "src  1    2"]
    assert [line.strip() for line in programs.splitlines() if line.startswith("  p")] == ["p0", "p1", "p2", "p3"]
