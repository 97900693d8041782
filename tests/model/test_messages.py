"""Collectives as sets of messages: pieces, sizes, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from pavane.errors import InputError
from pavane.model.collectives import alltoall, in_pieces, named, pairs, reduce_scatter
from pavane.model.duals import dual
from pavane.model.messages import MOST_MESSAGES, Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.checker import parcels
from tests.strategies import problems_in_pieces

RING = network("ring:4")

DIGEST = "a92530be6069a4d8f17091b0a4d73fafb4405b03ca09d32310357603f9cba063"
"""Of all-to-all on the ring, as versions before pieces had it."""


def on_ring(collective: Collective, **rules: object) -> Problem:
    """Return a problem on a ring of four."""
    return Problem(RING, collective, Rules(**rules))  # type: ignore[arg-type]


def test_every_message_is_cut_into_pieces() -> None:
    """Labels have a row per piece and end with its number, so that the pieces of a message follow each other."""
    problem = on_ring(in_pieces(pairs([(2, 0), (0, 3)]), 3))
    assert problem.labels.tolist() == [[0, 3, 0], [0, 3, 1], [0, 3, 2], [2, 0, 0], [2, 0, 1], [2, 0, 2]]
    assert problem.ends.tolist() == [[0, 3]] * 3 + [[2, 0]] * 3
    assert problem.distinct_ends.tolist() == [[0, 3], [2, 0]]
    assert (problem.num_messages, problem.num_deliveries, problem.has_pieces, problem.is_plain) == (6, 6, True, False)
    assert [problem.message_name(message) for message in (0, 5)] == ["0>3.0", "2>0.2"]
    broadcast = on_ring(named("oab", RING, root=1, pieces=2))
    assert broadcast.labels.tolist() == [[1, 0], [1, 1]]
    assert (broadcast.num_deliveries, broadcast.message_name(1)) == (6, "1.1")


def test_sizes_are_units_of_single_messages() -> None:
    """A message of size n has n times as many pieces, one of size 0 none, and one that is not listed one."""
    sized = in_pieces(named("oas", RING), sizes=[(0, 1, 2), (0, 2, 0)])
    assert on_ring(sized).labels.tolist() == [[0, 1, 0], [0, 1, 1], [0, 3, 0]]
    assert on_ring(in_pieces(sized, 2, sized.sizes)).num_messages == 6
    assert on_ring(sized).num_sent.tolist() == [3, 0, 0, 0]
    assert on_ring(sized).num_received.tolist() == [0, 2, 0, 1]
    without = on_ring(in_pieces(named("aab", RING), sizes=[(3, 0)]))
    assert without.labels.tolist() == [[0], [1], [2]]  # nothing to tell apart, so no numbers of pieces
    assert (without.num_messages, without.num_deliveries, without.has_pieces) == (3, 9, False)
    to_one = on_ring(in_pieces(named("aar", RING), sizes=[(1, 3)]))
    assert to_one.labels.tolist() == [[0, 0], [1, 0], [1, 1], [1, 2], [2, 0], [3, 0]]


def test_equal_collectives_are_equal_however_sizes_are_listed() -> None:
    """The order of sizes says nothing, and a size of one nothing new."""
    one = in_pieces(named("aas", RING), sizes=[(3, 0, 2), (0, 1, 4), (1, 2, 1)])
    other = in_pieces(named("aas", RING), sizes=[(0, 1, 4), (3, 0, 2)])
    assert one == other
    assert on_ring(one).digest() == on_ring(other).digest()
    assert in_pieces(named("aas", RING), sizes=[(0, 1, 1)]) == alltoall(RING)
    assert in_pieces(alltoall(RING), 1).is_plain


def test_one_piece_of_one_unit_writes_and_digests_what_it_always_did() -> None:
    """Keys for pieces, sizes and capacities are written only where there are some."""
    plain = on_ring(alltoall(RING))
    assert plain.digest() == DIGEST
    assert set(plain.to_dict()["collective"]) == {"kind", "senders", "receivers"}
    assert "capacities" not in plain.to_dict()["network"]
    cut = on_ring(in_pieces(alltoall(RING), 2, [(0, 1, 3)]))
    assert cut.to_dict()["collective"]["pieces"] == 2
    assert cut.to_dict()["collective"]["sizes"] == [[0, 1, 3]]
    assert len({plain.digest(), cut.digest(), on_ring(in_pieces(alltoall(RING), 2)).digest()}) == 3


@given(problems_in_pieces())
def test_a_piece_is_what_a_message_was(problem: Problem) -> None:
    """Labels, deliveries and counts are those of the messages, each as often as it has pieces."""
    listed = parcels(problem.collective)
    assert problem.num_messages == len(problem.labels) == len(listed)
    assert problem.num_deliveries == sum(
        len(parcel.starts | parcel.targets) - 1 if problem.pattern != "private" else 1 for parcel in listed
    ) * (2 if problem.pattern == "allreduce" else 1)
    numbers = np.arange(problem.num_messages)
    assert problem.message_numbers(problem.labels).tolist() == numbers.tolist()
    assert len({tuple(label) for label in problem.labels.tolist()}) == problem.num_messages
    if problem.pattern == "private":
        for side, counts in ((0, problem.num_sent), (1, problem.num_received)):
            assert counts.tolist() == np.bincount(problem.ends[:, side], minlength=len(counts)).tolist()
    mirror = dual(problem)
    assert mirror.num_messages == problem.num_messages
    assert dual(mirror).collective.sizes == problem.collective.sizes


def test_labels_of_no_piece_have_the_number_minus_one() -> None:
    """A piece beyond the last, before the first, or of a message that does not exist."""
    problem = on_ring(in_pieces(named("oas", RING), sizes=[(0, 1, 2)]))
    asked = np.array([[0, 1, 0], [0, 1, 1], [0, 1, 2], [0, 1, -1], [0, 2, 0], [0, 2, 1], [1, 0, 0], [0, 3, 2**31 - 1]])
    assert problem.message_numbers(asked).tolist() == [0, 1, -1, -1, 2, -1, -1, -1]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: named("aas", RING, pieces=0), "pieces 0: every message is cut into 1 to"),
        (lambda: named("aas", RING, pieces=1.5), "pieces 1.5: every message is cut into a whole number"),  # type: ignore[arg-type]
        (lambda: named("aas", RING, pieces=True), "pieces True: every message is cut into a whole number"),
        (lambda: in_pieces(named("aas", RING), sizes=[(0, 1)]), r"AAS: a size is \(origin, target, units\)"),
        (lambda: in_pieces(named("aab", RING), sizes=[(0, 1, 2)]), r"AAB: a size is \(origin, units\)"),
        (lambda: in_pieces(named("aar", RING), sizes=[(0, 1, 2)]), r"AAR: a size is \(target, units\)"),
        (lambda: in_pieces(named("aas", RING), sizes=[(0, 1, -1)]), "message 0>1 has size -1; give its units"),
        (lambda: in_pieces(named("aas", RING), sizes=[(0, 1, 2), (0, 1, 3)]), "the size of message 0>1 is given twice"),
        (
            lambda: in_pieces(named("aas", RING), sizes=[(0, 0, 2)]),
            "for message 0>0, which it does not have",
        ),
        (
            lambda: in_pieces(named("aas", RING), sizes=[(0, 9, 1)]),
            "a size is given for message 0>9, which it does not have",
        ),
        (lambda: in_pieces(pairs([(0, 1)]), 1, [(1, 0, 2)]), "a size is given for message 1>0"),
        (
            lambda: in_pieces(named("oab", RING), sizes=[(1, 2)]),
            "a size is given for message 1, which it does not have",
        ),
        (lambda: in_pieces(named("aas", RING), sizes={(0, 1): 2}), "`sizes` is .*; give a list, like"),
        (lambda: in_pieces(named("aas", RING), sizes=[3]), "`sizes`: 3 is not a size; list each as whole numbers"),  # type: ignore[list-item]
        (lambda: in_pieces(named("aas", RING), sizes=[(0, 1, 1.5)]), "is not a size; list each as whole numbers"),  # type: ignore[list-item]
        (
            lambda: on_ring(in_pieces(named("oab", RING), sizes=[(0, 0)])),
            "nothing to send; .* of a message whose size is not 0",
        ),
        (
            lambda: on_ring(named("aas", RING, pieces=MOST_MESSAGES)).labels,
            "has 600,000,000 pieces; at most 50,000,000 fit",
        ),
    ],
)
def test_refusals_say_what_is_wrong_and_how_to_mend_it(make: Callable[[], object], text: str) -> None:
    """Bad pieces and sizes get one clear line."""
    with pytest.raises(InputError, match=text) as error:
        make()
    assert "\n" not in str(error.value)


def test_a_processor_without_channels_may_have_messages_of_no_units() -> None:
    """Who has nothing to send or to receive need not be reached."""
    parted = Network("parted", 3, [(0, 1), (1, 0)])
    with pytest.raises(InputError, match=r"cannot be reached|has no port"):
        Problem(parted, alltoall(parted))
    none = [(2, 0, 0), (2, 1, 0), (0, 2, 0), (1, 2, 0)]
    assert Problem(parted, in_pieces(alltoall(parted), 1, none)).num_messages == 2
    with pytest.raises(InputError, match=r"cannot be reached|has no port"):
        Problem(parted, in_pieces(reduce_scatter(parted), 1, [(2, 0)]))  # it still contributes
