"""The collectives that the page offers, in groups with plain names."""

from __future__ import annotations

from typing import Any

from pavane.model.collectives import kind_of, taken_by

GROUPS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Among all": (
        ("aas", "All-to-all", "Every processor has a separate message for every other processor."),
        ("aab", "Allgather", "Every processor sends one message to all others."),
        ("aar", "Reduce-scatter", "Every processor receives the sum of the contributions for it."),
        (
            "allreduce",
            "Allreduce",
            "Every processor receives the sum of all contributions, in one part for each processor.",
        ),
        ("reduce-broadcast", "Allreduce in one part", "The root computes the sum and broadcasts it."),
    ),
    "From one": (
        ("oab", "Broadcast", "The root sends one message to all, or to some receivers."),
        ("oas", "Scatter", "The root has a message of its own for each receiver."),
    ),
    "To one": (
        ("aog", "Gather", "The root receives a message from each sender."),
        ("aor", "Reduce", "The root receives the sum of all contributions."),
    ),
    "Between some": (
        ("mnb", "Multicast of several senders", "Each sender sends one message to all receivers."),
        ("mns", "All-to-all of some", "Each sender has a message of its own for each receiver."),
        ("pairs", "Pairs", "One message goes from the first to the second of each pair; permutations are these."),
    ),
}
"""The collectives in the order in which the page lists them: what is sent to the server, the name, and one sentence."""


def offered_groups() -> list[dict[str, Any]]:
    """Return the groups for the page, each collective with its code and the options of its members."""
    return [
        {
            "title": title,
            "members": [
                {"value": value, "name": name, "code": kind_of(value), "about": about, "takes": list(taken_by(value))}
                for value, name, about in group
            ],
        }
        for title, group in GROUPS.items()
    ]
