"""The operations of MSCCL programs: what a thread block does at one time."""

from __future__ import annotations

from dataclasses import dataclass, field

from pavane.io.formats.epochs import Laid

RECEIVING = {"r", "rcs", "rrc", "rrs", "rrcs"}
SENDING = {"s", "rcs", "rrs", "rrcs"}
STORING = {"r", "rcs", "rrc", "rrcs"}
LOCAL = {"cpy", "re", "nop"}
REDUCING = {"rrc", "rrs", "rrcs"}
"""Those that add what they receive to what lies at their source."""

Address = tuple[int, str, int]
"""GPU, buffer and offset."""


@dataclass(eq=False)
class Operation:
    """What a thread block does at one time."""

    gpu: int
    kind: str
    source: Address
    sink: Address
    count: int
    before: list[Operation] = field(default_factory=list)
    """What must be done first."""
    partner: Operation | None = None
    """Where it receives: the operation that sends."""
    channel: int = -1
    """Where it sends: the channel."""
    receiver: int = -1
    block: int = -1
    number: int = -1
    """Its thread block, and its step there."""
    begun: int = 0
    """After which step it can run: all that it waits for is done, and what it receives is there."""
    laid: list[Laid] = field(default_factory=list)
    """Where it sends over a network that the user names: when, and over which way."""

    seen: dict[int, int] = field(default_factory=dict)
    """Up to which step it knows the other blocks of its GPU to be done."""

    @property
    def done(self) -> int:
        """Return the step after which others can go on; a send takes one unless it is laid, all else no time."""
        return self.laid[-1].step + 1 if self.laid else self.begun + (self.kind in SENDING)

    @property
    def after(self) -> tuple[Operation, ...]:
        """Return all operations that come before it, also where it receives from."""
        return tuple(self.before) if self.partner is None else (*self.before, self.partner)


Marks = list[tuple[int, ...] | None]
"""The pieces that an operation moves, by their messages and numbers; None where nothing is known."""
