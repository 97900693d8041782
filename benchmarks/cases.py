"""What is measured: a network, a collective, the rules, and the steps that must be reached."""

from __future__ import annotations

from dataclasses import dataclass, field

from papers.steps_printed import printed

from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network


@dataclass(frozen=True)
class Case:
    """One line of a table."""

    spec: str
    kind: str
    steps: int | None = None
    """The number of steps that must be reached; None: reported only."""
    ratio: float | None = None
    """The target ratio of steps to bound, if there is no target number of steps."""
    rules: Rules = field(default_factory=Rules)
    senders: tuple[int, ...] | None = None
    receivers: tuple[int, ...] | None = None
    root: int | None = None
    seconds: float | None = None
    """The time limit given to the search."""

    def problem(self) -> Problem:
        """Make the problem."""
        made = network(self.spec)
        collective = named(self.kind, made, root=self.root, senders=self.senders, receivers=self.receivers)
        return Problem(made, collective, self.rules)

    @property
    def label(self) -> str:
        """Say what the case is, shortly."""
        rules = self.rules
        notes = [f"{rules.ports}-port"] * (rules.ports != "all") + ["half duplex"] * (rules.duplex == "half")
        notes += ["any routing"] * (rules.routing == "any")
        notes += [rules.switching] * (rules.switching != "wormhole")
        notes += [f"root {self.root}"] * (self.root is not None)
        if self.senders is not None and self.receivers is not None:
            notes.append(f"{_ranges(self.senders)} to {_ranges(self.receivers)}")
        return ", ".join([self.spec, self.kind.upper(), *notes])


def _ranges(members: tuple[int, ...]) -> str:
    parts: list[list[int]] = []
    for member in members:
        if parts and parts[-1][1] == member - 1:
            parts[-1][1] = member
        else:
            parts.append([member, member])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def _at_printed_bounds(paper: str, kind: str, *specs: str) -> tuple[Case, ...]:
    """Request the bounds that a paper prints, all ports."""
    return tuple(Case(spec, kind, printed(paper, spec, kind.upper()).bound) for spec in specs)


ONE_PORT = Rules(ports=1)
ANY = Rules(routing="any")
ONE_PORT_ANY = Rules(ports=1, routing="any")
HALF_STORED = Rules("store-and-forward", duplex="half")
PASSED = Rules("store-and-forward", switches="pass")

AT_THE_BOUND = (
    *_at_printed_bounds("gecco08", "aas", "ring:8", "octagon", "petersen", "kautz:3,2", "heawood", "levi"),
    Case("ring:8", "aas", 16, rules=Rules(duplex="half")),
    Case("ring:8,oneway", "aas", 28),
    Case("spidergon:16", "aas", 16),
    Case("kautz:3,3", "aas", 34),
    Case("kautz:3,3", "aas", 32, rules=ANY),
    *_at_printed_bounds("gecco07", "aas", *(f"hypercube:{d}" for d in range(3, 8)), "mesh:4x4"),
    Case("mesh:4x4", "aas", 16, rules=ONE_PORT),
    Case("coated-mesh:4x4", "aas", 16, rules=ONE_PORT),
    Case("mesh:6x6", "aas", 54),
    Case("mesh:8x8", "aas", 128),
    Case("torus:4x4", "aas", 8),
    Case("torus:8x8", "aas", 64),
    Case("hierarchical-rings:4,4", "aas", 32, rules=ONE_PORT),
    Case("hierarchical-rings:4,4,4", "aas", 512, rules=ONE_PORT),
    Case("fat-octagon:2", "aas", 16, rules=ONE_PORT),
)
"""All-to-all scatter at the bound, wormhole and full duplex by default."""

ONE_TO_ALL = (
    Case("kautz:3,3", "oas", 12, rules=ANY),
    Case("kautz:3,3", "oas", 13),
    Case("mesh:4x4", "oas", 5, root=1, rules=ANY),
    Case("mesh:4x4", "oas", 6, root=1),
    Case("hypercube:10", "oas", 103),
    Case("torus:32x32", "oas", 256),
    Case("mesh:32x32", "oas", 512),
    Case("random-regular:1024,4,1", "oas", 256),
    Case("fat-tree:16", "oas", 128),
    Case("kautz:3,6", "aog", None),
)

EVENS = tuple(range(0, 16, 2))
ODDS = tuple(range(1, 16, 2))
FIRST, SECOND = tuple(range(8)), tuple(range(8, 16))
STRADDLING = tuple(range(1, 9))
OTHERS = (0, *range(9, 16))

MANY_TO_MANY = tuple(
    Case("fat-octagon:2", "mns", steps, rules=rules, senders=senders, receivers=receivers)
    for senders, others, same_minimal, same_any, other_steps, all_steps in (
        # One processor of each router; both processors of four adjacent routers; eight in a row that straddle routers.
        (EVENS, ODDS, None, None, None, None),
        (FIRST, SECOND, None, None, None, None),
        (STRADDLING, OTHERS, 10, 7, 10, 15),
    )
    for receivers, steps, rules in (
        (senders, same_minimal, ONE_PORT),
        (senders, same_any, ONE_PORT_ANY),
        (others, other_steps, ONE_PORT),
        (tuple(range(16)), all_steps, ONE_PORT),
    )
)
"""gecco07 Table 5, whose senders can be read in three ways; the last one gives the paper's figures."""

LARGE = (
    Case("hypercube:10", "aas", 512),
    Case("random-regular:256,4,1", "aas", ratio=1.17, seconds=5),
    Case("random-regular:1024,4,1", "aas", ratio=1.2, seconds=20),
)

BROADCAST = (
    *_at_printed_bounds("gecco07", "oab", *(f"hypercube:{d}" for d in range(3, 8))),
    *(Case(f"hypercube:{d}", "oab", steps) for d, steps in zip(range(8, 13), (3, 3, 3, 4, 4), strict=True)),
    *(Case(f"hypercube:{d}", "oab", 4) for d in range(13, 17)),
    *_at_printed_bounds("gecco08", "oab", "ring:8", "octagon", "petersen", "kautz:3,2", "heawood"),
    *_at_printed_bounds("gecco08", "oab", "spidergon:16", "levi", "kautz:3,3"),
    *(Case("mesh:4x4", "oab", root=root) for root in range(16)),
    Case("hierarchical-rings:4,4", "oab"),
    Case("torus:32x32", "oab", 5),
    Case("torus:54x54", "oab", ratio=1.2, seconds=10),
    Case("torus:64x64", "oab", 6),
    Case("torus:256x256", "oab", 7),
    Case("kautz:4,6", "oab", 6),
    Case("mesh:128x128", "oab", 7),
    Case("random-regular:16384,4,1", "oab", 7),
    Case("random-regular:65536,4,1", "oab", rules=ANY, seconds=60),
)
"""One-to-all broadcast."""

ALLGATHER = (
    *_at_printed_bounds("gecco08", "aab", "ring:8,oneway", "ring:8", "octagon", "petersen", "kautz:3,2", "heawood"),
    *_at_printed_bounds("gecco08", "aab", "spidergon:16", "levi", "hypercube:5", "kautz:3,3"),
    *_at_printed_bounds("gecco07", "aab", "hypercube:6", "hypercube:7", "mesh:4x4"),
    Case("hierarchical-rings:4,4", "aab", 8),
    Case("torus:16x16", "aab", 64),
    Case("mesh:16x16", "aab", 128),
    Case("random-regular:1024,4,1", "aab", 256),
    Case("hypercube:10", "aab", 103),
    *(Case(spec, "aab", 15, rules=ONE_PORT) for spec in ("mesh:4x4", "coated-mesh:4x4", "fat-octagon:2")),
    *(Case(spec, "aab", steps, rules=HALF_STORED) for spec, steps in (("line:8", 11), ("hierarchical-rings:4,4", 14))),
    Case("hierarchical-rings:4,4,4", "aab", 52, rules=HALF_STORED),
    Case("hierarchical-rings:4,4", "aab", 14, rules=Rules(duplex="half")),
    Case("kautz:3,2", "aar", 4),
    Case("kautz:3,2", "aor", 2),
)
"""All-to-all broadcast and its reversals."""

MANY_BROADCAST = tuple(
    Case("fat-octagon:2", "mnb", steps, rules=rules, senders=senders, receivers=receivers)
    for senders, others, expected in (
        (EVENS, ODDS, (7, 8, 8)),
        (FIRST, SECOND, (None, None, None)),
        (STRADDLING, OTHERS, (None, None, None)),
    )
    for rules in (ONE_PORT, ONE_PORT_ANY)
    for receivers, steps in zip((senders, others, tuple(range(16))), expected, strict=True)
)
"""gecco07 Table 5, the broadcasts, in the same three readings."""

ALLREDUCE = (
    *(Case(spec, "allreduce", 4, rules=PASSED) for spec in ("dgx-2", "nvl:26", "nvl:27", "nvl:28")),
    Case("nvl:8", "allreduce", 2, rules=PASSED),
    *(Case("complete:7", "allreduce", steps, rules=Rules(ports=ports)) for ports, steps in ((4, 4), (6, 2))),
    *(Case("complete:16", "allreduce", 4, rules=Rules(ports=ports)) for ports in (10, 11)),
)
"""Allreduce of few steps: over one switch, or one channel between any two."""

TABLES = {
    "scatter": AT_THE_BOUND,
    "one-to-all": ONE_TO_ALL,
    "many-to-many": MANY_TO_MANY,
    "large": LARGE,
    "broadcast": BROADCAST,
    "allgather": ALLGATHER,
    "many-broadcast": MANY_BROADCAST,
    "allreduce": ALLREDUCE,
}
