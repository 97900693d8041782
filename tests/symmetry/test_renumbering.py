"""Renumberings of schedules and certificates: there and back, and refusals of numbers that there are not."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.atlas.forms import form_of
from pavane.model.bound import Bound
from pavane.model.schedule import Schedule, Transfer
from pavane.search.synthesis import solve
from tests.problems import problem_of

CERTIFICATES: list[dict[str, Any]] = [
    {"channels": [[2, 0, 5], [1, 3]], "injection": [[1, 7]], "ejection": []},
    {"routers": [0, 3, 4]},
    {"blocks": [[0, 1], [5]], "figure": 12},
    {"joining": [[], [2], [0, 1]], "receiver": 6},
    {"classes": [[0], [1, 2, 3]]},
    {"from": 1, "to": 5},
    {"origin": 3},
    {"processor": 2, "side": "targets"},
]


@pytest.mark.parametrize("certificate", CERTIFICATES, ids=lambda one: next(iter(one)))
def test_certificates_go_there_and_back(certificate: dict[str, Any]) -> None:
    """Whatever a certificate names is renumbered, figures for people stay, and the way back undoes it."""
    there = form_of(problem_of("octagon")).renumbering
    bound = Bound(4, "some", certificate)
    assert there.back().bound(there.bound(bound)) == bound


def test_a_certificate_names_others_afterwards() -> None:
    """Routers, channels and processors get the numbers of the renumbering."""
    there = form_of(problem_of("mesh:2x3", "OAS", root=4)).renumbering
    moved = there.bound(Bound(1, "some", {"routers": [4], "processor": 4, "channels": [[3, 2]]})).certificate
    assert moved == {
        "routers": [int(there.routers[4])],
        "processor": int(there.processors[4]),
        "channels": [[3, int(there.channels[2])]],
    }


@pytest.mark.parametrize(
    "certificate",
    [{"routers": [8]}, {"routers": [-1]}, {"routers": ["0"]}, {"processor": True}, {"channels": [[1, 10**30]]}],
)
def test_numbers_that_there_are_not_are_refused(certificate: dict[str, Any]) -> None:
    """A certificate of a forged row names what does not exist; that is no crash."""
    there = form_of(problem_of("octagon")).renumbering
    with pytest.raises(ValueError, match="not below"):
        there.bound(Bound(4, "some", certificate))


@pytest.mark.parametrize("spoilt", [(8, 0, 0, 0), (0, 9, 0, 0), (0, 1, 99, 0), (0, 1, 0, 99), (0, ~8, 0, 0)])
def test_schedules_of_other_problems_are_refused(spoilt: tuple[int, int, int, int]) -> None:
    """Numbers of processors, switches, channels and messages are looked at before they are used."""
    sender, receiver, channel, message = spoilt
    there = form_of(problem_of("octagon")).renumbering
    schedule = Schedule.from_transfers([Transfer(0, sender, receiver, (channel,), (message,))])
    with pytest.raises(ValueError, match="not below"):
        there.schedule(schedule)


def test_pure_switches_are_renumbered_as_routers() -> None:
    """Under store-and-forward messages rest at switches, which have the numbers of routers."""
    problem = problem_of("fat-tree:2", "AAB", switching="store-and-forward")
    schedule = solve(problem).schedule
    assert schedule is not None
    assert (schedule.receivers < 0).any()
    there = form_of(problem).renumbering
    assert there.back().schedule(there.schedule(schedule)) == schedule
