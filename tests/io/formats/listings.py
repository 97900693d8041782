"""Schedules of many kinds, and how listings call a location."""

from __future__ import annotations

from tests.io.formats.pieced import cut
from tests.io.formats.schedules import around_a_switch, exchange, solved

RESULTS = [solved("kautz:2,2", "aas"), exchange(), around_a_switch("store-and-forward"), solved("ring:4", "aar")]
RESULTS += [cut("ring:4", "aas", 2), cut("ring:4", "aar", 3), cut("ring:4", "aab", 4, wide=True)]


def location(text: str) -> int:
    """Read a processor, or a pure switch like r3."""
    return ~int(text[1:]) if text.startswith("r") else int(text)
