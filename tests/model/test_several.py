"""Several collectives at once as one value: numbers of messages, parts, and what cannot be one problem."""

from __future__ import annotations

import numpy as np
import pytest

from pavane.errors import InputError
from pavane.model.collectives import allgather, alltoall, broadcast, in_pieces, pairs
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule, Transfer
from pavane.model.several import as_one, label_of, split, steps_of, united
from pavane.networks import network

RING = network("ring:6")


def test_messages_are_numbered_one_collective_after_the_other() -> None:
    """A message is the number of its collective and its label there."""
    problem = Problem(RING, [alltoall([0, 1]), in_pieces(allgather([2, 3]), 2)])
    assert problem.num_messages == 2 + 4
    assert [label_of(problem, message) for message in range(6)] == [
        [0, 0, 1],
        [0, 1, 0],
        [1, 2, 0],
        [1, 2, 1],
        [1, 3, 0],
        [1, 3, 1],
    ]


def test_a_schedule_is_split() -> None:
    """The transfers of each collective are a schedule of its own, in steps of the whole."""
    problem = Problem(RING, [pairs([(0, 1)]), pairs([(1, 2)])])
    transfers = Transfer(0, 0, 1, (0,), (0,)), Transfer(1, 1, 2, (2,), (1,))
    whole = Schedule.from_transfers(transfers)
    alone = (Schedule.from_transfers([transfer._replace(messages=(0,))], 2) for transfer in transfers)
    assert split(problem, whole) == tuple(alone)
    assert steps_of(problem, whole) == (1, 2)


def test_private_collectives_and_twins_are_one_problem() -> None:
    """Pairs that occur in several collectives have the units of all; broadcasts of other members stay apart."""
    problem = Problem(RING, [alltoall([0, 1, 2]), pairs([(0, 1), (4, 5)]), allgather([0, 1]), allgather([1, 0])])
    assert united(problem) == ((0, 1), (2, 3))
    one, numbers = as_one(problem, (0, 1))
    assert one.num_messages == 8
    assert sorted(numbers.tolist()) == list(range(8))
    assert [one.ends[number].tolist() for number in np.argsort(numbers)[:2].tolist()] == [[0, 1], [0, 2]]
    twins, numbers = as_one(problem, (2, 3))
    assert twins.num_messages == 4
    assert sorted(numbers.tolist()) == [8, 9, 10, 11]
    with pytest.raises(InputError, match="differ in kind or members"):
        as_one(problem, (0, 2))


def test_a_file_has_collectives_and_the_digest_its_parts() -> None:
    """Equal problems have equal digests; another order of collectives is another problem."""
    one, other = (
        Problem(RING, each) for each in ([alltoall([0, 1]), broadcast(RING)], [alltoall([1, 0]), broadcast(RING)])
    )
    assert [each["kind"] for each in one.to_dict()["collectives"]] == ["AAS", "OAB"]
    assert "collective" not in one.to_dict()
    assert one.digest() == other.digest()
    assert one.digest() != Problem(RING, one.collectives[::-1]).digest()
    assert str(one).startswith("2 collectives (1 AAS, 1 OAB) on ring:6")
    assert one.parts[0] == Problem(RING, alltoall([0, 1]))


@pytest.mark.parametrize(
    ("collectives", "rules", "said"),
    [
        ([], Rules(), "at least one collective"),
        ([3], Rules(), "`collectives` is 3"),
        ([alltoall([0, 9])], Rules(), "out of range"),
        ([alltoall(RING)] * 2, Rules(switching="tdm"), "other than tdm"),
    ],
)
def test_what_is_no_problem(collectives: object, rules: Rules, said: str) -> None:
    """What cannot run at once is refused in words."""
    with pytest.raises(InputError, match=said):
        Problem(RING, collectives, rules)  # type: ignore[arg-type]
