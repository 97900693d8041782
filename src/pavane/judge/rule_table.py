"""All rules that a schedule must keep, as a table: a name, the sentence of its check, and what the check reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

from pavane.judge import contribution_rules as partials
from pavane.judge import copy_rules as copies
from pavane.judge import sum_rules as sums
from pavane.judge import timed_sums
from pavane.judge.case import Verification
from pavane.judge.hold_rules import held_channels, held_ports, outside_times
from pavane.judge.length_rules import not_minimal, too_many_hops
from pavane.judge.load_rules import channel_capacity, counted_loads, half_duplex, outside_period, port_capacity
from pavane.judge.path_rules import broken_path, not_simple, walked, wrong_ends
from pavane.judge.payload_rules import carries_nothing, carries_several, empty_step, unknown_message
from pavane.judge.timed_order import in_circle
from pavane.judge.trees import counted_uses
from pavane.judge.turn_rules import grid_rules
from pavane.judge.violation import Rule, Violation
from pavane.model.messages import Pattern

Part = Literal["steps", "paths", "transfers", "loads", "order", "messages"]
"""What a rule looks at: all steps, each path or transfer alone, what meets in a step or at a time, what waits for what,
or messages over all steps."""


class RuleCheck(NamedTuple):
    """A rule with its check."""

    name: Rule
    part: Part
    check: Callable[..., Iterator[Violation]]
    reads: Callable[[Any], Any] | None = None
    """Makes what the check reads beside the case; it is made once for all rules that read it."""
    patterns: tuple[Pattern, ...] = ()
    """The messages that it is about; none: all."""
    clock: Literal["any", "steps", "times"] = "any"
    """Whether it is about steps and slots, about start times, or about both."""

    @property
    def text(self) -> str:
        """Return the rule in a sentence."""
        return (self.check.__doc__ or "").partition("\n")[0]

    def violations(self, case: Verification) -> Iterator[Violation]:
        """Yield the violations of the rule."""
        return self.check(case) if self.reads is None else self.check(case, case.made(self.reads))


TRANSFERS: tuple[Pattern, ...] = ("private", "broadcast")
REDUCTION: tuple[Pattern, ...] = ("reduction",)
ALLREDUCE: tuple[Pattern, ...] = ("allreduce",)
SUMS: tuple[Pattern, ...] = ("reduction", "allreduce")

RULE_TABLE = (
    RuleCheck("empty-step", "steps", empty_step, clock="steps"),
    RuleCheck("carries-nothing", "steps", carries_nothing),
    RuleCheck("broken-path", "paths", broken_path, walked),
    RuleCheck("wrong-ends", "paths", wrong_ends, walked),
    RuleCheck("not-simple", "paths", not_simple, walked),
    RuleCheck("too-many-hops", "paths", too_many_hops),
    RuleCheck("not-minimal", "paths", not_minimal, walked),
    RuleCheck("forbidden-turn", "paths", grid_rules, walked),
    RuleCheck("channel-capacity", "loads", channel_capacity, counted_loads, clock="steps"),
    RuleCheck("half-duplex", "loads", half_duplex, counted_loads, clock="steps"),
    RuleCheck("port-capacity", "loads", port_capacity, counted_uses, clock="steps"),
    RuleCheck("channel-capacity", "loads", held_channels, clock="times"),
    RuleCheck("port-capacity", "loads", held_ports, clock="times"),
    RuleCheck("outside-period", "transfers", outside_period, clock="steps"),
    RuleCheck("outside-period", "transfers", outside_times, clock="times"),
    RuleCheck("unknown-message", "transfers", unknown_message),
    RuleCheck("carries-several", "transfers", carries_several),
    RuleCheck("not-held", "order", in_circle, clock="times"),
    RuleCheck("not-held", "messages", copies.not_held, copies.copies_sent, TRANSFERS),
    RuleCheck("wrong-ends", "messages", copies.relayed, copies.copies_sent, TRANSFERS),
    RuleCheck("delivered-twice", "messages", copies.delivered_twice, copies.copies_sent, TRANSFERS),
    RuleCheck("copied", "messages", copies.copied, copies.copies_sent, TRANSFERS),
    RuleCheck("past-target", "messages", copies.past_target, copies.copies_sent, TRANSFERS),
    RuleCheck("never-delivered", "messages", copies.never_delivered, copies.copies_sent, TRANSFERS),
    RuleCheck("not-held", "messages", partials.not_held, partials.contributions_moved, REDUCTION, "steps"),
    RuleCheck(
        "delivered-twice", "messages", partials.delivered_twice, partials.contributions_moved, REDUCTION, "steps"
    ),
    RuleCheck("past-target", "messages", partials.past_target, partials.contributions_moved, REDUCTION, "steps"),
    RuleCheck(
        "never-delivered", "messages", partials.never_delivered, partials.contributions_moved, REDUCTION, "steps"
    ),
    RuleCheck("not-held", "messages", sums.not_held, sums.sums_grown, ALLREDUCE, "steps"),
    RuleCheck("delivered-twice", "messages", sums.delivered_twice, sums.sums_grown, ALLREDUCE, "steps"),
    RuleCheck("never-delivered", "messages", sums.never_delivered, sums.sums_grown, ALLREDUCE, "steps"),
    RuleCheck("not-held", "messages", timed_sums.not_held, timed_sums.sums_followed, SUMS, "times"),
    RuleCheck("delivered-twice", "messages", timed_sums.delivered_twice, timed_sums.sums_followed, SUMS, "times"),
    RuleCheck("never-delivered", "messages", timed_sums.never_delivered, timed_sums.sums_followed, SUMS, "times"),
)
"""In the order in which violations are listed."""


def judged(case: Verification, *parts: Part) -> Iterator[Violation]:
    """Yield the violations of the rules that look at some parts of a schedule."""
    pattern, clocks = case.problem.pattern, ("any", "times" if case.problem.has_times else "steps")
    for part in parts:
        if part == "messages" and pattern in TRANSFERS and copies.is_flawless(case):
            continue
        for rule in RULE_TABLE:
            if rule.part == part and rule.clock in clocks and (not rule.patterns or pattern in rule.patterns):
                yield from rule.violations(case)
