"""The bound of an allreduce of two or three steps by its transfers in each."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given

from pavane.bounds.step_profile import best_profile
from pavane.bounds.steps import explain, lower_bounds
from pavane.errors import InputError
from pavane.judge.certificates import proven_steps
from pavane.judge.sum_certificates import fewest_transfers
from pavane.model.bound import Bound
from pavane.model.collectives import in_pieces, reduce_broadcast
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.bounds.exhaustive import fewest_steps
from tests.bounds.tiny import tiny_problems
from tests.problems import problem_of

PASSED = Rules("store-and-forward", switches="pass")

Held = tuple[int, ...]
"""The contributions that each router has, as bits."""


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        # 480 transfers would fill three steps of 160 exactly: 14, 2 and 14 of each piece, which has room for 10 a step.
        ("dgx-2", PASSED),
        ("nvl:26", PASSED),
        ("nvl:28", PASSED),
        ("complete:7", Rules(ports=4)),
        ("complete:8", Rules("store-and-forward", 5)),
        ("complete:16", Rules(ports=11)),
    ],
)
def test_three_steps_are_too_few(name: str, rules: Rules) -> None:
    """Where processors have about two thirds as many ports as there are others, four steps are needed."""
    problem = problem_of(name, "ALLREDUCE", rules)
    bound = best_profile(problem, 3)
    assert bound is not None
    assert len(bound.certificate["prices"]) == 3
    assert bound.steps == 4 == proven_steps(problem, bound)
    assert lower_bounds(problem)[0].steps == 4


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("dgx-a100", PASSED),  # each of 8 has 12 ports
        ("nvl:24", PASSED),  # some profiles fit, though no schedule is known
        ("complete:16", Rules(ports=12)),
        ("complete:7", Rules(ports=4, combining=True)),
        ("star:5", Rules()),
        ("hypercube:8", Rules()),
    ],
)
def test_other_machines_have_none(name: str, rules: Rules) -> None:
    """Where ports are many, or steps are more, it says nothing."""
    assert best_profile(problem_of(name, "ALLREDUCE", rules), 3) is None


@pytest.mark.parametrize(("pieces", "steps"), [(6, None), (7, 3), (18, 3), (22, 4), (27, 4)])
def test_a_single_part_in_pieces(pieces: int, steps: int | None) -> None:
    """In two steps 72 GPUs of 18 ports take 432 transfers of each piece, and not 142 as in many steps."""
    made = network("nvl:72")
    problem = Problem(made, in_pieces(reduce_broadcast(made), pieces), PASSED)
    bound = best_profile(problem, 2 if pieces <= 18 else 3)
    assert (None if bound is None else bound.steps) == steps
    assert bound is None or proven_steps(problem, bound) == steps


def test_words() -> None:
    """The argument states what transfers cost at its prices."""
    problem = problem_of("complete:7", "ALLREDUCE", Rules(ports=4))
    assert explain(problem, Bound(4, "step-profile", {"prices": [2, 1, 2]})) == (
        "at prices of 2, 1, 2 for a transfer in steps 1 to 3, each of 7 sums takes 22 or more, 154 in all, and 3 steps "
        "have room for 140"
    )


@cache
def _after_a_step(held: Held, ports: int) -> dict[Held, int]:
    """Return what routers can have after one more step, and how few transfers that takes."""
    size = len(held)
    found: dict[Held, int] = {}
    others = [[sender for sender in range(size) if sender != receiver] for receiver in range(size)]
    choices = [[some for some in product((0, 1), repeat=size - 1) if sum(some) <= ports] for _ in range(size)]
    for chosen in product(*choices):
        senders = [[one for one, is_sent in zip(others[r], chosen[r], strict=True) if is_sent] for r in range(size)]
        if any(sum(sender in some for some in senders) > ports for sender in range(size)):
            continue
        then = list(held)
        for receiver, some in enumerate(senders):
            for sender in some:
                then[receiver] |= held[sender]
        state, number = _alike(tuple(then)), sum(map(len, senders))
        found[state] = min(number, found.get(state, number))
    return found


@cache
def _alike(held: Held) -> Held:
    """Return the least of all that differ only in the numbers of routers."""
    return min(
        tuple(sum((held[old] >> bit & 1) << new.index(bit) for bit in range(len(held))) for old in new)
        for new in permutations(range(len(held)))
    )


@pytest.mark.parametrize(("members", "ports"), [(3, 1), (3, 2), (4, 1)])
@pytest.mark.parametrize("num_steps", [2, 3])
def test_no_piece_has_fewer_transfers(members: int, ports: int, num_steps: int) -> None:
    """Of all ways to add up one piece on some routers, none has fewer transfers than a profile in every step."""
    begin: Held = tuple(1 << member for member in range(members))
    found: dict[tuple[Held, tuple[int, ...]], None] = {(_alike(begin), ()): None}
    for _ in range(num_steps):
        found = {
            (then, (*numbers, number)): None
            for held, numbers in found
            for then, number in _after_a_step(held, ports).items()
        }
    everything = (1 << members) - 1
    profiles = [*fewest_transfers(members, num_steps, ports, ports)]
    for held, numbers in found:
        if all(one == everything for one in held):
            assert any(all(few <= many for few, many in zip(one, numbers, strict=True)) for one in profiles), numbers


@given(tiny_problems(kinds=("ALLREDUCE",), combining=(False,)))
def test_it_is_no_more_than_the_optimum(problem: Problem) -> None:
    """Against the exhaustive search, on what is small enough for it."""
    bound = best_profile(problem, 0)
    if bound is not None:
        assert proven_steps(problem, bound) == bound.steps
        best = fewest_steps(problem, 5_000)
        assert best is None or bound.steps <= best


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        ([1, 1], "have room for all transfers"),
        ([1, 0, 1], "have room for all transfers"),
        ([0, 0, 0], "have room for all transfers"),
        ([-1, 3, 1], "none below 0"),
        ([2, 1, 2, 1], "two or three prices"),
        ([], "two or three prices"),
        ([2, True, 2], "not a whole number"),
        (7, "not iterable"),
    ],
)
def test_prices_that_prove_nothing(prices: Any, said: str) -> None:
    """Other prices are counted again, or refused."""
    problem = problem_of("complete:13", "ALLREDUCE", Rules(ports=12))
    with pytest.raises(InputError, match=said):
        proven_steps(problem, Bound(4, "step-profile", {"prices": prices}))


def test_many_members_are_not_counted() -> None:
    """Counting profiles of a thousand routers would take minutes."""
    with pytest.raises(InputError, match="128 routers"):
        proven_steps(problem_of("hypercube:10", "ALLREDUCE"), Bound(4, "step-profile", {"prices": [2, 1, 2]}))
