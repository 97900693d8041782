"""A collective is a set of messages: their senders, their receivers, and the number of pieces of each.

Four patterns cover every kind:

* private: a message has one origin and one target, labelled (origin, target) -- OAS AAS MNS AOG PAIRS;
* broadcast: a message has one origin and all receivers as targets, labelled (origin,) -- OAB AAB MNB;
* reduction: the partial results for one target, to which every sender contributes, labelled (target,) -- AOR AAR;
* allreduce: the sum of one part of a vector, to which every sender contributes and which every sender gets, labelled
  (receiver,), the processor that the part is named after -- ALLREDUCE.

A message is some pieces: `pieces` cuts every message into that many, and `sizes` gives single messages more units than
one, or none. A piece travels as a message of one piece does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from pavane.errors import InputError, expect_list, expect_pairs, expect_wholes
from pavane.model.arrays import Ints, Longs
from pavane.text import counted

Pattern = Literal["private", "broadcast", "reduction", "allreduce", "several"]

PATTERN_OF: dict[str, Pattern] = {
    "OAB": "broadcast",
    "OAS": "private",
    "AAB": "broadcast",
    "AAS": "private",
    "MNB": "broadcast",
    "MNS": "private",
    "AOG": "private",
    "AOR": "reduction",
    "AAR": "reduction",
    "PAIRS": "private",
    "ALLREDUCE": "allreduce",
}

MPI_NAME_OF = {
    "OAB": "broadcast",
    "OAS": "scatter",
    "AAB": "allgather",
    "AAS": "alltoall",
    "AOG": "gather",
    "AOR": "reduce",
    "AAR": "reduce-scatter",
}
"""What MPI calls the kinds that have another name there."""

MOST_MESSAGES = 50_000_000
"""The most messages, or pieces of them, that a problem may have."""


def kind_title(kind: str) -> str:
    """Return both names of a kind of collective, that of MPI and that of the papers: alltoall (AAS)."""
    return f"{MPI_NAME_OF[kind]} ({kind})" if kind in MPI_NAME_OF else kind


@dataclass(frozen=True, repr=False)
class Collective:
    """What is to be communicated: a kind, and the processors that send and receive.

    Makers like `alltoall` and `broadcast` are shorter to write.

    Args:
        kind: The papers' abbreviation, in capitals.
        senders: The processors that send.
        receivers: The processors that receive; of ALLREDUCE those that its parts are named after.
        pairs: The messages of kind PAIRS, as (sender, receiver).
        pieces: The number of pieces that each unit of a message is cut into.
        sizes: The units of single messages.

    Example:
        >>> pavane.Collective("AAS", (0, 1, 2), (0, 1, 2)) == pavane.alltoall([0, 1, 2])
        True
    """

    kind: str
    senders: tuple[int, ...] = ()
    receivers: tuple[int, ...] = ()
    pairs: tuple[tuple[int, int], ...] = ()
    """The messages of kind PAIRS, which has no other senders and receivers."""
    pieces: int = 1
    """How many pieces each unit of a message is cut into."""
    sizes: tuple[tuple[int, ...], ...] = ()
    """The units of messages: (origin, target, units), or (origin, units) for broadcasts and (target, units) for
    reductions and parts. Messages that are not listed have one unit; those of 0 units are left out. Kept in order,
    without those of one unit, so that equal collectives are equal."""

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in PATTERN_OF:
            raise InputError(f"collective kind {self.kind!r} is not known; choose one of {' '.join(PATTERN_OF)}")
        for name, value in (
            ("senders", expect_wholes(self.senders, "senders")),
            ("receivers", expect_wholes(self.receivers, "receivers")),
            ("pairs", expect_pairs(self.pairs, "pairs")),
            ("sizes", expect_list(self.sizes, "sizes")),
        ):
            object.__setattr__(self, name, value)
        if self.kind == "PAIRS":
            if self.senders or self.receivers:
                raise InputError("PAIRS takes pairs only; its senders and receivers follow from them")
            _no_doubles(self.pairs, "PAIRS: the pair {} is listed twice; list it once")
            for pair in self.pairs:
                if pair[0] == pair[1]:
                    raise InputError(f"PAIRS: processor {pair[0]} would send to itself; leave that pair out")
        elif self.pairs:
            raise InputError(f"{self.kind} takes senders and receivers; pairs belong to PAIRS")
        for values, what in ((self.senders, "sender"), (self.receivers, "receiver")):
            _no_doubles(values, f"{self.kind}: {what} {{}} is listed twice; list it once")
        alone = {"OAB": self.senders, "OAS": self.senders, "AOG": self.receivers, "AOR": self.receivers}
        if self.kind in alone and len(alone[self.kind]) != 1:
            side = "sender" if self.kind in ("OAB", "OAS") else "receiver"
            raise InputError(f"{self.kind} has exactly one {side}, its root; {len(alone[self.kind])} were given")
        if self.kind == "ALLREDUCE":
            senders = set(self.senders)
            for part in self.receivers:
                if part not in senders:
                    raise InputError(
                        f"ALLREDUCE: a part is named after processor {part}, which is not among the senders; name "
                        "parts after processors that contribute"
                    )
        self._check_pieces()
        self._check_sizes()
        object.__setattr__(self, "sizes", tuple(sorted(size for size in self.sizes if size[-1] != 1)))

    def _check_pieces(self) -> None:
        if isinstance(self.pieces, bool) or not isinstance(self.pieces, int):
            raise InputError(
                f"pieces {self.pieces!r}: every message is cut into a whole number of pieces; give a number like 6"
            )
        if not 1 <= self.pieces <= MOST_MESSAGES:
            raise InputError(
                f"pieces {self.pieces}: every message is cut into 1 to {MOST_MESSAGES:,} pieces; give a number like 6"
            )

    def _check_sizes(self) -> None:
        """Refuse sizes of messages that the collective does not have, and invalid sizes."""
        form = {
            "private": "(origin, target, units)",
            "broadcast": "(origin, units)",
            "reduction": "(target, units)",
            "allreduce": "(part, units)",
        }
        width = 3 if self.pattern == "private" else 2
        for size in self.sizes:
            if (
                not isinstance(size, tuple)
                or len(size) != width
                or any(isinstance(n, bool) or not isinstance(n, int) for n in size)
            ):
                raise InputError(f"{self.kind}: a size is {form[self.pattern]}, as whole numbers; got {size!r:.60}")
            if not 0 <= size[-1] <= MOST_MESSAGES:
                raise InputError(
                    f"{self.kind}: message {_named(size)} has size {size[-1]}; give its units, 0 to {MOST_MESSAGES:,}"
                )
        if not self.sizes:
            return
        names = tuple(_named(size) for size in self.sizes)
        _no_doubles(names, f"{self.kind}: the size of message {{}} is given twice; give it once")
        if self.pattern == "private":
            senders, receivers, pairs = set(self.senders), set(self.receivers), set(self.pairs)
            is_known = (
                pairs.__contains__
                if self.kind == "PAIRS"
                else lambda ends: ends[0] in senders and ends[1] in receivers and ends[0] != ends[1]
            )
        else:
            members = set(self.senders if self.pattern == "broadcast" else self.receivers)
            is_known = lambda ends: ends[0] in members  # noqa: E731
        for size in self.sizes:
            if not is_known(size[:-1]):
                raise InputError(
                    f"{self.kind}: a size is given for message {_named(size)}, which it does not have; leave it out"
                )

    @property
    def pattern(self) -> Pattern:
        """Return what its messages are: private, broadcast, reduction or allreduce."""
        return PATTERN_OF[self.kind]

    @property
    def title(self) -> str:
        """Return its kind by both names, that of MPI and that of the papers: alltoall (AAS)."""
        return kind_title(self.kind)

    @property
    def is_plain(self) -> bool:
        """Whether every message is one piece."""
        return self.pieces == 1 and not self.sizes

    def to_dict(self) -> dict[str, Any]:
        """Return the collective as the schedule file's `collective` object."""
        members: dict[str, Any] = {"kind": self.kind}
        if self.kind == "PAIRS":
            members["pairs"] = [list(pair) for pair in self.pairs]
        else:
            members |= {"senders": list(self.senders), "receivers": list(self.receivers)}
        if self.pieces != 1:
            members["pieces"] = self.pieces
        if self.sizes:
            members["sizes"] = [list(size) for size in self.sizes]
        return members

    def __repr__(self) -> str:
        what = f"PAIRS of {counted(len(self.pairs), 'message')}" if self.kind == "PAIRS" else str(self)
        what += f", {counted(self.pieces, 'piece')} a message" if self.pieces > 1 else ""
        what += f", {counted(len(self.sizes), 'size')}" if self.sizes else ""
        return f"<Collective: {what}>"

    def __str__(self) -> str:
        if self.kind == "PAIRS":
            return "PAIRS"
        if self.kind in ("OAB", "OAS"):
            return f"{self.title} from processor {self.senders[0]} to {counted(len(self.receivers), 'receiver')}"
        if self.kind in ("AOG", "AOR"):
            root = self.receivers[0]
            part = ", which contributes" if root in self.senders else ", which does not contribute"
            text = f"{self.title} from {counted(len(self.senders), 'sender')} to processor {root}"
            return text if self.kind == "AOG" else text + part
        if self.kind == "ALLREDUCE":
            return f"ALLREDUCE of {counted(len(self.senders), 'processor')} in {counted(len(self.receivers), 'part')}"
        ends = counted(len(self.senders), "sender"), counted(len(self.receivers), "receiver")
        return f"{self.title} from {ends[0]} to {ends[1]}"


def message_ends(collective: Collective) -> Ints:
    """Return a row per message, whatever its size: origin and target, or origin, or target; in order."""
    senders, receivers = sorted(collective.senders), sorted(collective.receivers)
    if collective.pattern == "broadcast":
        ends = _having_others(senders, receivers)
    elif collective.pattern != "private":
        ends = _having_others(receivers, senders)
    elif collective.kind == "PAIRS":
        ends = np.array(sorted(collective.pairs), dtype=np.int32)
    else:
        from_each, to_each = np.array(senders, dtype=np.int32), np.array(receivers, dtype=np.int32)
        ends = np.column_stack((np.repeat(from_each, len(to_each)), np.tile(to_each, len(from_each))))
        ends = ends[ends[:, 0] != ends[:, 1]]
    return ends.reshape(-1, 2 if collective.pattern == "private" else 1)


def _having_others(members: list[int], others: list[int]) -> Ints:
    """Return the members for which there are others than themselves, which may be all of thousands."""
    if len(others) == 1:
        members = [member for member in members if member != others[0]]
    return np.array(members if others else [], dtype=np.int32)


def message_pieces(collective: Collective, ends: Ints) -> Longs:
    """Return how many pieces each message has, of those that `message_ends` lists."""
    units = np.ones(len(ends), dtype=np.int64)
    if collective.sizes:
        sizes = np.array(collective.sizes, dtype=np.int64)
        width = int(max(ends.max(initial=0), sizes[:, :-1].max(initial=0))) + 1
        keys, sized_keys = keys_of(ends, width), keys_of(sizes[:, :-1], width)
        rows = np.minimum(np.searchsorted(keys, sized_keys), max(len(keys) - 1, 0))
        # A sender without another receiver has no message, and its size is ignored.
        found = keys[rows] == sized_keys if len(keys) else np.zeros(len(sized_keys), dtype=bool)
        units[rows[found]] = sizes[found, -1]
    return units * collective.pieces


def piece_labels(ends: Ints, counts: Longs) -> Ints:
    """Return a row per piece: the message's ends and, where any message has several, the piece's number from 0."""
    if not len(counts) or counts.max() <= 1:
        return ends[counts > 0]
    firsts = np.cumsum(counts) - counts
    owner = np.repeat(np.arange(len(ends)), counts)
    numbers = np.arange(len(owner)) - firsts[owner]
    return np.column_stack((ends[owner], numbers.astype(np.int32)))


def keys_of(ends: npt.NDArray[np.integer], width: int) -> Longs:
    """Return one number for each row of ends, in the order of the rows; ends lie below `width`."""
    wide = ends.astype(np.int64)
    return wide[:, 0] * width + wide[:, 1] if wide.shape[1] == 2 else wide[:, 0]


def _named(size: tuple[int, ...]) -> str:
    return ">".join(map(str, size[:-1]))


def _no_doubles(values: tuple[Any, ...], text: str) -> None:
    if len(set(values)) == len(values):
        return
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            raise InputError(text.format(value))
        seen.add(value)
