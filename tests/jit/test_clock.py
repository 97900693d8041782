"""The clock stands still while kernels are compiled."""

import threading
import time

import pytest

from pavane.jit import clock, compiled
from pavane.parallel.budget import Budget


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Set the time by hand; its one entry is what the system says."""
    said = [1000.0 + time.monotonic()]
    monkeypatch.setattr(time, "monotonic", lambda: said[0])
    return said


def test_it_stands_still_and_goes_on(moment: list[float]) -> None:
    """Seconds in which it is stopped do not count, however many have stopped it."""
    before = clock.now()
    moment[0] += 2.0
    with clock.paused("one"):
        moment[0] += 5.0
        with clock.paused("two"):
            moment[0] += 5.0
        moment[0] += 5.0
        assert clock.now() - before == pytest.approx(2.0)
    moment[0] += 1.0
    assert clock.now() - before == pytest.approx(3.0)


def test_a_deadline_is_as_far_away_after_compiling_as_before(moment: list[float]) -> None:
    """Compiling never counts against a time limit."""
    budget = Budget.of(seconds=10.0)
    with clock.paused("a kernel"):
        moment[0] += 60.0
    assert budget.seconds_left == pytest.approx(10.0)
    assert not budget.is_over


def test_listeners_get_the_reason_of_a_pause() -> None:
    """Names come when the clock stops, and nothing when it goes on; listeners that have left hear no more."""
    heard: list[str] = []
    with clock.reporting_to(heard.append), clock.paused("kernel"), clock.paused("part"):
        pass
    with clock.paused("later"):
        pass
    assert heard == ["kernel", "part", "kernel", ""]


def test_it_is_one_clock_for_all_threads(moment: list[float]) -> None:
    """A thread that looks while another compiles sees it stand still."""
    seen: list[float] = []
    with clock.paused("kernel"):
        before = clock.now()
        moment[0] += 3.0
        looker = threading.Thread(target=lambda: seen.append(clock.now()))
        looker.start()
        looker.join()
    assert seen == [before]


def test_it_is_stopped_while_numba_compiles_and_not_later() -> None:
    """A kernel is named when it is compiled, and runs on the clock."""
    heard: list[str] = []
    with clock.reporting_to(heard.append):
        assert compiled(_plus_nine)(4) == 13
        num_heard = len(heard)
        assert compiled(_plus_nine)(5) == 14
    assert len(heard) == num_heard
    assert heard in ([], ["_plus_nine", ""])  # its machine code may be on the disk


def _plus_nine(number: int) -> int:
    return number + 9
