"""Certificates of which somebody has changed something."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

JUNK: tuple[Any, ...] = (-1, 0, 1, 2, 5, 10**30, -(10**30), 0.5, float("nan"), "0", "x", None, True, [], {}, [[1, 0]])

KEYS = (
    "channels",
    "injection",
    "ejection",
    "processor",
    "routers",
    "blocks",
    "classes",
    "receiver",
    "receivers",
    "joining",
    "origin",
    "from",
    "to",
    "side",
    "start-ups",
    "period",
    "senders",
    "sender",
    "distance",
    "domains",
    "direct",
    "sending",
    "receiving",
    "prices",
)
"""The keys that certificates have."""


@st.composite
def forged(draw: st.DrawFn, certificate: dict[str, Any]) -> dict[str, Any]:
    """Draw a certificate that was made of an honest one: values changed, junk put in, keys left out."""
    spoilt = copy.deepcopy(certificate)
    small = st.integers(-1, 7)
    values = (st.sampled_from(JUNK), st.lists(st.lists(small, max_size=5), max_size=3), small, st.lists(small))
    for _ in range(draw(st.integers(1, 3))):
        key = draw(st.sampled_from([*spoilt, *KEYS]))
        if draw(st.booleans()):
            spoilt[key] = draw(st.one_of(values))
        else:
            spoilt.pop(key, None)
    return spoilt
