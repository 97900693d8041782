"""Tables of rows, for people, spreadsheets and JSON."""

from __future__ import annotations

import csv
import io

from pavane.atlas.atlas_file import Figures
from pavane.atlas.tables import AtlasFilter, as_csv, as_objects, listing, status_counts, status_of

RULES = "wormhole, 1-port, full duplex, minimal routing, no combining"
CLOSED = Figures("a" * 64, 1, "ring:8", 8, "AAS", RULES, 8, "flow", 0, "0.1.0", 8, "injection")
CLAIMED = Figures("b" * 64, 1, 'odd, "name"', 8, "OAB", RULES, 5, "cp-sat", 0, "0.1.0", 4, "growth", 5)
OPEN = Figures("c" * 64, 0, "mesh:4x4", 16, "AAS", RULES, None, None, None, None, 16, "injection")


def test_the_status_is_derived() -> None:
    """Proven where a judged bound meets judged steps; claimed where a file or a search through all says so."""
    rows = (CLOSED, CLAIMED, OPEN)
    assert [status_of(row, is_judged=True) for row in rows] == ["proven", "claimed", "open"]
    assert [status_of(row) for row in rows] == ["claimed", "claimed", "open"]
    assert status_counts(rows, is_judged=True) == "1 proven, 1 claimed"
    assert status_counts(rows) == "2 claimed"


def test_rows_are_chosen() -> None:
    """By the network's name, the collective by any of its names, the rules and the status."""
    rows = [CLOSED, CLAIMED, OPEN]
    for choice, expected in (
        (AtlasFilter(), rows),
        (AtlasFilter(network="MESH"), [OPEN]),
        (AtlasFilter(collective="alltoall"), [CLOSED, OPEN]),
        (AtlasFilter(rules="1-port", status="claimed"), [CLOSED, CLAIMED]),
        (AtlasFilter(rules="all-port"), []),
        (AtlasFilter(status="proven"), []),
    ):
        assert [row for row in rows if choice.takes(row)] == expected
    assert [row for row in rows if AtlasFilter(status="proven").takes(row, is_judged=True)] == [CLOSED]


def test_lines_for_people() -> None:
    """Rules are told without what is usual, and what is not known as a dash."""
    lines = listing([CLOSED, OPEN]).cells()
    assert lines[0] == ["ring:8", "alltoall (AAS)", "1-port", "8", "8", "claimed", "a" * 12]
    assert lines[1][3:6] == ["16", "-", "open"]


def test_tables_hold_any_name() -> None:
    """A name with commas and quotes comes back from the CSV file; JSON has the same rows."""
    rows = list(csv.DictReader(io.StringIO(as_csv([CLOSED, CLAIMED]))))
    assert [row["network"] for row in rows] == ["ring:8", 'odd, "name"']
    assert rows[0]["steps"] == "8"
    assert as_objects([CLAIMED])[0]["status"] == "claimed"
    assert as_objects([OPEN])[0]["canonical"] is False
