"""The choices of the page: collectives in groups with plain names, and examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pavane.model.collectives import kind_of, taken_by


@dataclass(frozen=True)
class CollectiveChoice:
    """A collective as the page names it."""

    value: str
    """What is sent to the server."""
    name: str
    about: str
    """One sentence."""

    def as_object(self) -> dict[str, Any]:
        """Return the choice for the page, with its code and the options of its members."""
        return {
            "value": self.value,
            "name": self.name,
            "code": kind_of(self.value),
            "about": self.about,
            "takes": list(taken_by(self.value)),
        }


GROUPS: dict[str, tuple[CollectiveChoice, ...]] = {
    "Among all": (
        CollectiveChoice("aas", "All-to-all", "Every processor has a separate message for every other processor."),
        CollectiveChoice("aab", "Allgather", "Every processor sends one message to all others."),
        CollectiveChoice("aar", "Reduce-scatter", "Every processor receives the sum of the contributions for it."),
        CollectiveChoice(
            "allreduce",
            "Allreduce",
            "Every processor receives the sum of all contributions, in one part for each processor.",
        ),
        CollectiveChoice("reduce-broadcast", "Allreduce in one part", "The root computes the sum and broadcasts it."),
    ),
    "From one": (
        CollectiveChoice("oab", "Broadcast", "The root sends one message to all, or to some receivers."),
        CollectiveChoice("oas", "Scatter", "The root has a message of its own for each receiver."),
    ),
    "To one": (
        CollectiveChoice("aog", "Gather", "The root receives a message from each sender."),
        CollectiveChoice("aor", "Reduce", "The root receives the sum of all contributions."),
    ),
    "Between some": (
        CollectiveChoice("mnb", "Multicast of several senders", "Each sender sends one message to all receivers."),
        CollectiveChoice("mns", "All-to-all of some", "Each sender has a message of its own for each receiver."),
        CollectiveChoice(
            "pairs", "Pairs", "One message goes from the first to the second of each pair; permutations are these."
        ),
    ),
}
"""The collectives in the order in which the page lists them."""

EXAMPLES: tuple[dict[str, Any], ...] = (
    {
        "title": "All-to-all on a torus",
        "about": "Each of 16 routers sends a message to every other, in as few steps as possible.",
        "request": {"network": "torus:4x4", "collective": "aas"},
    },
    {
        "title": "A broadcast on a cube",
        "about": "One of 16 routers sends to all others; a processor sends one message at a time.",
        "request": {"network": "hypercube:4", "collective": "oab", "ports": "1"},
    },
    {
        "title": "Allreduce among 8 GPUs",
        "about": "The sum of all, over the NVLinks of a DGX-1; a GPU sends one message at a time.",
        "request": {"network": "dgx-1", "collective": "allreduce", "switching": "store-and-forward", "ports": "1"},
    },
)
"""Problems that start with a click."""


def offered_groups() -> list[dict[str, Any]]:
    """Return the groups for the page."""
    return [{"title": title, "members": [one.as_object() for one in group]} for title, group in GROUPS.items()]
