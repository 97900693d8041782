"""The cores that may be used: those that the process is bound to, and its group's share of time."""

import os
from pathlib import Path

import pytest

from pavane.parallel.cores import usable_cores


@pytest.fixture
def bound_to_eight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process be bound to eight cores of a larger machine."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)


@pytest.mark.usefixtures("bound_to_eight")
@pytest.mark.parametrize(
    ("limit", "cores"),
    [("max 100000", 8), ("200000 100000", 2), ("250000 100000", 3), ("50000 100000", 1), ("9900000 100000", 8)],
)
def test_a_share_of_time_limits_the_cores(tmp_path: Path, limit: str, cores: int) -> None:
    """A share that is not whole is rounded up: what is left of a core is used."""
    (tmp_path / "cpu.max").write_text(f"{limit}\n")
    assert usable_cores(tmp_path) == cores


@pytest.mark.usefixtures("bound_to_eight")
@pytest.mark.parametrize(("quota", "cores"), [("-1", 8), ("400000", 4)])
def test_the_first_version_of_groups_is_read_too(tmp_path: Path, quota: str, cores: int) -> None:
    """Older systems tell the share in two files; minus one means no limit."""
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu" / "cpu.cfs_quota_us").write_text(quota)
    (tmp_path / "cpu" / "cpu.cfs_period_us").write_text("100000")
    assert usable_cores(tmp_path) == cores


@pytest.mark.usefixtures("bound_to_eight")
def test_nothing_told_means_no_share(tmp_path: Path) -> None:
    """Where groups are not told, or in another way, the binding alone counts."""
    assert usable_cores(tmp_path) == 8
    (tmp_path / "cpu.max").write_text("what?")
    assert usable_cores(tmp_path) == 8


def test_a_system_that_binds_nobody_has_all_its_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And one where it cannot tell."""
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for told, cores in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda told=told: told)
        assert usable_cores(tmp_path) == cores
