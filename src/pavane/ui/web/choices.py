"""What the page offers: collectives in groups with plain names, and examples to begin with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pavane.model.collectives import kind_of, taken_by


@dataclass(frozen=True)
class Offer:
    """A collective as the page names it."""

    value: str
    """What is sent to the server."""
    name: str
    about: str
    """One sentence."""

    def as_object(self) -> dict[str, Any]:
        """Return it for the page, with its code and with what may be said about its members."""
        return {
            "value": self.value,
            "name": self.name,
            "code": kind_of(self.value),
            "about": self.about,
            "takes": list(taken_by(self.value)),
        }


GROUPS: dict[str, tuple[Offer, ...]] = {
    "Everybody with everybody": (
        Offer("aas", "All-to-all", "Everybody has a message of its own for everybody else."),
        Offer("aab", "Allgather", "Everybody tells everybody else the same."),
        Offer("aar", "Reduce-scatter", "Everybody gets the sum of what all others have for it."),
        Offer("allreduce", "Allreduce", "Everybody gets the sum of what all have, part by part, a part for each."),
        Offer("reduce-broadcast", "Allreduce in one part", "The sum is made at the root and told to everybody."),
    ),
    "From one": (
        Offer("oab", "Broadcast", "The root tells everybody, or some receivers, the same."),
        Offer("oas", "Scatter", "The root has a message of its own for each receiver."),
    ),
    "To one": (
        Offer("aog", "Gather", "The root gets a message from each sender."),
        Offer("aor", "Reduce", "The root gets the sum of what all senders have."),
    ),
    "Between some": (
        Offer("mnb", "Multicast of several senders", "Each sender tells all receivers the same."),
        Offer("mns", "All-to-all of some", "Each sender has a message of its own for each receiver."),
        Offer("pairs", "Pairs", "One message goes from the first to the second of each pair; permutations are these."),
    ),
}
"""The collectives in the order in which the page lists them."""

EXAMPLES: tuple[dict[str, Any], ...] = (
    {
        "title": "All-to-all on a torus",
        "about": "16 routers exchange a message each, in as few steps as can be.",
        "asked": {"network": "torus:4x4", "collective": "aas"},
    },
    {
        "title": "A broadcast on a cube",
        "about": "One of 16 routers tells all others; a processor sends one message at a time.",
        "asked": {"network": "hypercube:4", "collective": "oab", "ports": "1"},
    },
    {
        "title": "Allreduce among 8 GPUs",
        "about": "The sum of all, over the NVLinks of a DGX-1; a GPU sends one message at a time.",
        "asked": {"network": "dgx-1", "collective": "allreduce", "switching": "store-and-forward", "ports": "1"},
    },
)
"""What a click begins with."""


def offered_groups() -> list[dict[str, Any]]:
    """Return the groups for the page."""
    return [{"title": title, "members": [one.as_object() for one in group]} for title, group in GROUPS.items()]
