"""Forty schedules of all kinds, which every export must refuse or carry."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pavane.judge.result import Result
from tests.io.formats import several_schedules
from tests.io.formats.allreduces import ALLREDUCES, PASSING, of_some, summed
from tests.io.formats.gpu_schedules import MACHINES
from tests.io.formats.pieced import PIECED, cut, uneven
from tests.io.formats.schedules import along_a_line, around_a_switch, exchange, hub, solved
from tests.io.formats.slotted import greedy, slotted
from tests.io.formats.timed_schedules import WITH_STARTS
from tests.io.formats.tree_schedules import TREES

FORTY: dict[str, Callable[[], Result]] = {
    "aas": partial(solved, "kautz:2,2", "aas"),
    **{kind: partial(solved, "ring:4", kind) for kind in ("aab", "mnb", "mns", "pairs")},
    "aor along a line": along_a_line,
    "aas packed": exchange,
    "aas hop by hop": partial(solved, "ring:4", "aas", "store-and-forward"),
    "aar hop by hop": partial(solved, "ring:5", "aar", "store-and-forward"),
    "aas two to a router": partial(solved, "ring:3*2", "aas", ports=1),
    "aas through a switch, 1-port": lambda: around_a_switch("wormhole"),
    "aas resting at a switch": lambda: around_a_switch("store-and-forward"),
    "aas half duplex": partial(solved, "ring:5", "aas", duplex="half"),
    **{name: PIECED[name] for name in ("aab in 6 on dgx-1", "aas in 2, one transfer each", "oab in 4", "oas in 3")},
    **{name: PIECED[name] for name in ("aog of sizes in 2", "aor of a size", "aas of sizes", "aab of sizes in 3")},
    **{name: PIECED[name] for name in ("aar in 4 on wide channels", "aar in 3, packed")},
    "aar of sizes in 2 on 8": partial(cut, "dgx-1", "aar", 2, uneven("aar", 8)),
    "aas of sizes in 2 on 16": partial(cut, "mi250", "aas", 2, uneven("aas", 16)),
    **{name: MACHINES[name] for name in ("rails aar in 3", "more peers than a channel has room for")},
    **{name: ALLREDUCES[name] for name in ("recursive doubling in 2", "sums replaced", "reduce-broadcast in 4")},
    **{name: ALLREDUCES[name] for name in ("allreduce of sizes in 2", "allreduce through switches")},
    "allreduce in 8 on two boxes": partial(summed, "dgx-1@2", pieces=8, rules=PASSING),
    "allreduce on dgx-1": partial(summed, "dgx-1"),
    "allreduce of some": of_some,
    **{f"copied {name}": TREES[name] for name in ("nvl:8 allreduce in 3", "star of 5 aab in 2")},
    "aas of long packets in slots": partial(slotted, "ring:4", "aas", router_delay=2, link_delay=1, packet_slots=2),
    "aas through a switch in slots": lambda: greedy(hub("tdm")),
    "aar in slots": partial(slotted, "ring:4", "aar", wrap=False),
    **{name: WITH_STARTS[name] for name in ("searched allgather", "searched allreduce", "searched over switches")},
    **{f"several {name}": partial(several_schedules.solved, name) for name in ("every kind", "groups on rails")},
}
