"""One time limit for many searches, on a clock of the test's own."""

from __future__ import annotations

from collections import defaultdict

import pytest

from pavane.campaign.sharing import LEAST_SECONDS, Calls, Deadline, in_passes
from pavane.jit import clock
from pavane.parallel.pool import SerialPool
from pavane.parallel.tasks import TaskContext


class Searches:
    """Searches that need some seconds each, one after the other, and take no more than they may."""

    def __init__(self, needs: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
        self.needs, self.now = needs, 100.0
        self.given: dict[int, list[float]] = defaultdict(list)
        monkeypatch.setattr(clock, "now", lambda: self.now)

    def run(self, seconds: float | None) -> list[tuple[int, bool]]:
        """Make them all within a time limit; return in which order they were made, and whether they came to an end."""

        def search(_: None, contact: TaskContext, task: int, allowed: float | None) -> bool:
            spent = self.needs[task] if allowed is None else min(allowed, self.needs[task])
            self.now += spent
            self.given[task].append(spent)
            return spent == self.needs[task]

        ended: dict[int, bool] = {}
        made = []
        deadline = Deadline.after(seconds)
        calls = in_passes(
            SerialPool(None),
            search,
            range(len(self.needs)),
            lambda task: (task,),
            lambda task, _: not ended[task],
            deadline,
            lambda task: self.needs[task],
        )
        for task, answer, _share in calls:
            assert isinstance(answer, bool)
            ended[task] = answer
            made.append((task, answer))
        return made


def test_quick_ones_leave_their_time_to_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two long searches among eighteen quick ones get nearly all of the time, wherever they stand."""
    searches = Searches([50.0, *[0.01] * 18, 50.0], monkeypatch)
    searches.run(20.0)
    assert searches.now - 100.0 <= 20.0 + LEAST_SECONDS
    assert max(searches.given[0]) == pytest.approx(max(searches.given[19]), rel=0.3)
    assert max(searches.given[0]) > 4.0  # an equal share would have been one second
    assert all(len(searches.given[task]) == 1 for task in range(1, 19))


def test_the_farthest_come_first_in_later_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A first pass follows the order of the tasks, the next one how far each is from its bound."""
    made = [task for task, _ in Searches([20.0, 60.0, 0.01, 40.0], monkeypatch).run(30.0)]
    assert made[:7] == [0, 1, 2, 3, 1, 3, 0]


def test_all_that_are_long_have_equal_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody leaves anything, the last search gets no less than the first."""
    searches = Searches([100.0] * 10, monkeypatch)
    searches.run(30.0)
    shares = [max(given) for given in searches.given.values()]
    assert len(shares) == 10
    assert min(shares) == pytest.approx(max(shares), rel=0.05)
    assert 29.0 < searches.now - 100.0 <= 30.5


def test_what_ends_in_its_share_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time ends nothing there, so that all answers are those without a limit."""
    searches = Searches([0.5] * 4, monkeypatch)
    assert searches.run(100.0) == [(task, True) for task in range(4)]


def test_without_a_limit_nobody_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """One pass, however long it takes."""
    searches = Searches([5.0, 500.0], monkeypatch)
    assert searches.run(None) == [(0, True), (1, True)]


def test_everyone_has_a_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where the time is over before it begins, each search is made."""
    searches = Searches([1.0] * 5, monkeypatch)
    made = searches.run(1e-6)
    assert [task for task, _ in made] == list(range(5))
    assert all(given == [LEAST_SECONDS] for given in searches.given.values())


def test_several_at_a_time_have_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two workers have twice the time, but none longer than there is."""
    monkeypatch.setattr(clock, "now", lambda: 0.0)
    assert Deadline(10.0).share(10, 2) == 2.0
    assert Deadline(10.0).share(1, 4) == 10.0
    assert Deadline(None).share(10, 2) is None


def test_calls_are_counted_when_they_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one or several at once, each has the seconds that are left to it then."""
    now = [0.0]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    calls = Calls([("a",), ("b",)], 5.0, Deadline(10.0), 1)
    assert list(calls[:]) == [calls[0], calls[1]] == [("a", 5.0), ("b", 5.0)]
    now[0] = 8.0
    assert calls[1:] == [("b", 2.0)]
    assert Calls([("a",)], None, Deadline(None), 1)[:1] == [("a", None)]
