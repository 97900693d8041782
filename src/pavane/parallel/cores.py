"""The number of cores that this process may use: its CPU affinity, limited by its cgroup."""

from __future__ import annotations

import os
from math import ceil
from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")
"""Where Linux publishes the limits of a control group; a container sees its own."""


def usable_cores(groups: Path = GROUPS) -> int:
    """Return the number of cores that this process may use, at least one."""
    share = _share(groups)
    return max(1, min(_affinity(), _affinity() if share is None else ceil(share)))


def _affinity() -> int:
    """Return the number of cores on which the scheduler may run this process."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _share(groups: Path) -> float | None:
    """Return the CPU time of the control group of this process in cores; None if it is not limited."""
    limit = _numbers(groups / "cpu.max")  # cgroup version 2: "200000 100000", or "max 100000"
    if limit is not None and len(limit) == 2:
        return limit[0] / limit[1]
    quota, period = (_numbers(groups / "cpu" / name) for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
    if quota and period and quota[0] > 0:  # cgroup version 1; -1: no limit
        return quota[0] / period[0]
    return None


def _numbers(path: Path) -> list[float] | None:
    try:
        return [float(word) for word in path.read_text().split()]
    except (OSError, ValueError):
        return None
