"""What edges say about how much they carry, or how fast, and is not read: counted, and told in one note.

A channel has a capacity and nothing else. So a latency, a second figure of speed or one that only some edges have is
left out, which changes what a network means unless it is 1; nobody should have to guess that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from pavane.io.file_notes import note
from pavane.io.files import File
from pavane.text import counted

STEMS = re.compile(r"weight|capacit|bandwidth|throughput|speed|latenc|delay", re.IGNORECASE)
"""Attributes are about speed whose names contain one of these: `LinkSpeed`, `capacity_gbps`."""

WORDS = frozenset({"bw", "cap", "cost", "gbps", "lanes", "length", "mbps", "rate", "width"})
"""Or consist of such a word, alone or beside others: `max_rate`."""

PLAIN = frozenset({"capacity", "bandwidth"})
"""Of these even what is no number is told, because it was to be one."""

LABELS = frozenset({"label", "linklabel", "xlabel", "headlabel", "taillabel"})
"""Texts for people, which are about speed if they say an amount and nothing else."""

AMOUNT = re.compile(r"\s*[<>~]?\s*\d[\d.,]*\s*(?:[kmgt]?i?(?:bit|byte|b)?s?(?:ps|/s)?)\s*", re.IGNORECASE)
"""An amount as people write it: `10`, `2.5 Gb/s`, `100G`."""

MOST_NAMES_TOLD = 4


@lru_cache(maxsize=4096)
def _kind(key: str) -> Literal["speed", "label"] | None:
    """Return what an attribute of this name may be about."""
    words = set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower()))
    if STEMS.search(key) or words & WORDS:
        return "speed"
    return "label" if key.lower() in LABELS else None


class LeftOut:
    """Counts the edges of a file with attributes that say more than a channel can."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.edges: Counter[str] = Counter()
        """How many edges have each such attribute."""
        self.missed: set[str] = set()
        """The attributes that are not 1 on every edge that has them."""

    def see(self, attributes: Mapping[str, Any], count: int = 1) -> None:
        """Look at the attributes of an edge, or of several alike."""
        for key, value in attributes.items():
            kind = _kind(key[:80])
            if kind is None or isinstance(value, bool):
                continue
            text = str(value)[:80]
            is_told = AMOUNT.fullmatch(text) if kind == "label" else re.search(r"\d", text)
            if is_told or (key.lower() in PLAIN and text):
                self.edges[key] += count
                if kind == "label" or not _is_one(text):
                    self.missed.add(key)

    def tell(self, read: str = "") -> None:
        """Say in one line what was left out, if anything was; one attribute may have been read."""
        missed = [key for key in self.edges if key in self.missed and key.lower() != read]
        if not missed:
            return
        told = [f"`{key[:40]}` of {counted(self.edges[key], 'edge')}" for key in missed[:MOST_NAMES_TOLD]]
        more = f" and {counted(len(missed) - MOST_NAMES_TOLD, 'attribute')} more" if len(missed) > len(told) else ""
        verb = "is" if len(missed) == 1 else "are"
        carries = f"what channels carry is said by `{read}`" if read else "every channel carries one message a step"
        note(self.file, f"{', '.join(told)}{more} {verb} left out; {carries}")


def _is_one(text: str) -> bool:
    try:
        return float(text) == 1
    except ValueError:
        return False
