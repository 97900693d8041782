"""Several collectives at once on one network: each an ordinary problem, all in the same steps.

The messages of all collectives are numbered one collective after the other, so that one schedule holds them all. A
transfer carries messages of one collective.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pavane.errors import InputError, expect, shortened
from pavane.model.arrays import Longs
from pavane.model.messages import MOST_MESSAGES, Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules, default_rules
from pavane.model.schedule import Schedule, some_transfers
from pavane.text import counted


@dataclass(frozen=True, repr=False)
class JointProblem:
    """A network, several collectives that run on it at the same time, and the rules that all of them obey.

    Args:
        network: The network.
        collectives: What is to be communicated at once; collectives may share members.
        rules: How transfers may use the network; its `default_rules` unless given.

    Example:
        >>> mesh = pavane.network("mesh:2x4")
        >>> rows = [pavane.allgather(range(4)), pavane.allgather(range(4, 8))]
        >>> problem = pavane.JointProblem(mesh, rows)
        >>> len(problem.parts), problem.num_messages
        (2, 8)
        >>> pavane.solve_joint(problem)
        <JointResult: 2 collectives (2 AAB) on mesh:2x4 in 3 steps, feasible>
    """

    network: Network
    collectives: tuple[Collective, ...]
    rules: Rules

    def __init__(self, network: Network, collectives: Iterable[Collective], rules: Rules | None = None) -> None:
        expect(network, Network, "network", "make a network of a text or a graph with `pavane.network`")
        if isinstance(collectives, Collective | str) or not isinstance(collectives, Iterable):
            raise InputError(f"`collectives` is {shortened(collectives)}; give a list of collectives")
        listed = tuple(collectives)
        for collective in listed:
            expect(collective, Collective, "collectives", "make them, as `pavane.alltoall` does")
        if not listed:
            raise InputError("`collectives` is empty; give at least one collective")
        rules = default_rules(network) if rules is None else rules
        expect(rules, Rules, "rules", "say them like `pavane.Rules(ports=1)`")
        for name, value in (("network", network), ("collectives", listed), ("rules", rules)):
            object.__setattr__(self, name, value)
        if self.rules.has_slots:
            raise InputError("several collectives at once have no table of slots; choose a switching other than tdm")
        if self.num_messages > MOST_MESSAGES:
            raise InputError(
                f"{self} has {self.num_messages:,} messages; at most {MOST_MESSAGES:,} fit, so give fewer pieces"
            )

    @cached_property
    def parts(self) -> tuple[Problem, ...]:
        """The problem of each collective alone."""
        return tuple(Problem(self.network, collective, self.rules) for collective in self.collectives)

    # -- messages

    @cached_property
    def first_messages(self) -> Longs:
        """The number of the first message of each collective, and the number of all messages at the end."""
        return np.cumsum([0, *(part.num_messages for part in self.parts)])

    @property
    def num_messages(self) -> int:
        """Return the number of messages of all collectives, or of their pieces."""
        return int(self.first_messages[-1])

    def collective_of(self, messages: Any) -> Longs:
        """Return the number of the collective that each message belongs to; others than there are for no message."""
        numbers: Longs = np.searchsorted(self.first_messages, messages, side="right") - 1
        return numbers

    def label(self, message: int) -> list[int]:
        """Return a message as files write it: the number of its collective, and its label there."""
        number = int(self.collective_of(message))
        return [number, *self.parts[number].labels[message - self.first_messages[number]].tolist()]

    def united(self) -> tuple[tuple[int, ...], ...]:
        """Return the numbers of collectives that can be one problem each: all private ones, and twins."""
        groups: dict[object, list[int]] = {}
        for number, collective in enumerate(self.collectives):
            is_private = collective.pattern == "private"
            members = () if is_private else (tuple(sorted(collective.senders)), tuple(sorted(collective.receivers)))
            groups.setdefault((collective.pattern, *members), []).append(number)
        return tuple(map(tuple, groups.values()))

    def as_one(self, numbers: Sequence[int]) -> tuple[Problem, Longs]:
        """Return some united collectives as one problem, and the number here of each of its messages.

        A message has the units that it has in all of them: of each the pieces, one collective after the other.
        """
        parts = [self.parts[number] for number in numbers]
        in_joint = np.concatenate(
            [self.first_messages[number] + np.arange(self.parts[number].num_messages) for number in numbers]
        )
        if len(parts) == 1:
            return parts[0], in_joint
        if not any(set(numbers) <= set(group) for group in self.united()) or len(set(numbers)) < len(numbers):
            raise InputError(f"collectives {list(numbers)} are not one problem: they differ in kind or members")
        ends = np.concatenate([part.ends for part in parts])
        rows, units = np.unique(ends, axis=0, return_counts=True)
        sizes = tuple((*row, count) for row, count in zip(rows.tolist(), units.tolist(), strict=True))
        first = parts[0].collective
        if first.pattern == "private":
            one = Collective("PAIRS", pairs=tuple((a, b) for a, b in rows.tolist()), sizes=sizes)
        else:
            named = first.senders if first.pattern == "broadcast" else first.receivers
            missing = tuple((end, 0) for end in sorted(set(named) - set(rows[:, 0].tolist())))
            one = replace(first, pieces=1, sizes=sizes + missing)
        # Messages are numbered by their ends.
        return Problem(self.network, one, self.rules), in_joint[np.lexsort(ends.T[::-1])]

    # -- schedules

    def joined(self, schedules: Sequence[Schedule], num_steps: int | None = None) -> Schedule:
        """Return the transfers of a schedule for each collective as one, in the steps that they have."""
        last = max(schedule.num_steps for schedule in schedules) if num_steps is None else num_steps
        numbers = [
            schedule.messages.astype(np.int64) + first
            for schedule, first in zip(schedules, self.first_messages, strict=False)
        ]
        return Schedule.join(schedules, last, [schedule.steps for schedule in schedules], numbers)

    def members(self, schedule: Schedule) -> Longs:
        """Return the number of the collective that each transfer belongs to; -1 where it carries nothing."""
        firsts = schedule.message_offsets[:-1]
        of_each = self.collective_of(np.append(schedule.messages, -1))[np.minimum(firsts, len(schedule.messages))]
        return np.where(schedule.payloads > 0, of_each, -1)

    def split(self, schedule: Schedule) -> tuple[Schedule, ...]:
        """Return the transfers of each collective as a schedule of its own, in steps of the whole."""
        members, firsts = self.members(schedule), self.first_messages[:-1].tolist()
        return tuple(some_transfers(schedule, members == number, first) for number, first in enumerate(firsts))

    def steps_of(self, schedule: Schedule) -> tuple[int, ...]:
        """Return the number of steps after which each collective is complete."""
        return tuple(int(part.steps.max(initial=-1)) + 1 for part in self.split(schedule))

    # -- values

    def to_dict(self) -> dict[str, Any]:
        """Return the problem as the schedule file's `problem` object."""
        described = [part.to_dict() for part in self.parts]
        return {
            "network": described[0]["network"],
            "collectives": [each["collective"] for each in described],
            "rules": described[0]["rules"],
        }

    def digest(self) -> str:
        """Return the SHA-256 of the digests of its parts, in order."""
        text = json.dumps([part.digest() for part in self.parts])
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def kinds_text(self) -> str:
        """Return in words how many collectives there are, and of which kinds."""
        kinds = [collective.kind for collective in self.collectives]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        return f"{counted(len(kinds), 'collective')} ({counts})"

    def __repr__(self) -> str:
        return f"<JointProblem: {self}>"

    def __str__(self) -> str:
        return f"{self.kinds_text} on {self.network.name} ({self.rules})"
