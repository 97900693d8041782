"""How many cores this process may use: those it is bound to, and no more than its share of the machine."""

from __future__ import annotations

import os
from math import ceil
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
"""Where Linux tells what a group of processes may use; a container sees its own."""


def usable_cores(groups: Path = GROUPS) -> int:
    """Return the number of cores that this process may use, at least one."""
    share = _share(groups)
    return max(1, min(_bound_to(), _bound_to() if share is None else ceil(share)))


def _bound_to() -> int:
    """Return the number of cores that the scheduler may put this process on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _share(groups: Path) -> float | None:
    """Return how many cores' time the group of this process gets; None where nothing limits it."""
    two = _numbers(groups / "cpu.max")  # the second version: "200000 100000", or "max 100000"
    if two is not None and len(two) == 2:
        return two[0] / two[1]
    quota, period = (_numbers(groups / "cpu" / name) for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
    if quota and period and quota[0] > 0:  # the first version; -1: no limit
        return quota[0] / period[0]
    return None


def _numbers(path: Path) -> list[float] | None:
    try:
        return [float(word) for word in path.read_text().split()]
    except (OSError, ValueError):
        return None
