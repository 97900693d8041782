"""What the judge says: which rule is broken, where, and in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

Rule = Literal[
    "not-symmetric",
    "broken-path",
    "wrong-ends",
    "not-simple",
    "too-many-hops",
    "not-minimal",
    "forbidden-turn",
    "channel-capacity",
    "half-duplex",
    "port-capacity",
    "outside-period",
    "unknown-message",
    "carries-nothing",
    "carries-several",
    "not-held",
    "delivered-twice",
    "copied",
    "past-target",
    "never-delivered",
    "empty-step",
]
RULES: tuple[Rule, ...] = get_args(Rule)
"""All rules, those that the judge reports first at the beginning."""


@dataclass(frozen=True)
class Violation:
    """One broken rule: where, and in words."""

    rule: Rule
    text: str
    step: int | None = None
    message: int | None = None
    channel: int | None = None
    transfer: int | None = field(default=None, compare=False)
    """The number of a transfer, by which pictures find it; the text says which one it is."""
