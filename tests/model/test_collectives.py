"""Collectives: makers, names, options."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.model import collectives
from pavane.model.collectives import MPI_NAMES, in_pieces, kind_of, named
from pavane.model.messages import PATTERN_OF, Collective
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules

LINE = Network("line", 4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)])
ALL = (0, 1, 2, 3)


# -- makers


@pytest.mark.parametrize(
    ("made", "kind", "senders", "receivers"),
    [
        (collectives.broadcast(LINE, 2, [3, 0]), "OAB", (2,), (3, 0)),
        (collectives.scatter(LINE, 1), "OAS", (1,), (0, 2, 3)),
        (collectives.scatter(LINE, 1, iter([2])), "OAS", (1,), (2,)),
        (collectives.gather(LINE, 3, [1]), "AOG", (1,), (3,)),
        (collectives.reduce(LINE, 1, [0, 1]), "AOR", (0, 1), (1,)),
        (collectives.many_to_many_broadcast([0, 2], [1]), "MNB", (0, 2), (1,)),
        (collectives.many_to_many_scatter(iter([0, 2]), iter([2, 3])), "MNS", (0, 2), (2, 3)),
    ],
    ids=lambda value: str(value) if isinstance(value, Collective) else "",
)
def test_makers_name_senders_and_receivers(
    made: Collective, kind: str, senders: tuple[int, ...], receivers: tuple[int, ...]
) -> None:
    """One to all, all to one, all to all, and many to many, each over all processors or over the given ones."""
    assert made == Collective(kind, senders, receivers)
    assert Problem(LINE, made).num_messages


def test_the_members_are_processors_not_routers() -> None:
    """All means all processors: on fat routers more than routers, beside pure switches fewer."""
    network = Network("odd", 3, [(0, 1), (1, 0), (1, 2), (2, 1)], [0, 0, 0, 2])
    assert collectives.alltoall(network).senders == (0, 1, 2, 3)
    few = Network("few", 3, [(0, 1), (1, 0), (1, 2), (2, 1)], [2, 0])
    assert collectives.gather(few).senders == (1,)


@given(st.permutations(range(6)))
def test_a_permutation_sends_from_every_processor_to_its_image(images: list[int]) -> None:
    """Processor i sends to images[i], and fixed points send nothing."""
    made = collectives.permutation(images)
    assert made.kind == "PAIRS"
    assert dict(made.pairs) == {i: image for i, image in enumerate(images) if i != image}


@pytest.mark.parametrize(
    ("name", "members", "text"),
    [
        ("pairs", {(0, 1): 3}, "`pairs` is {(0, 1): 3}; give a list, like [(0, 5), (1, 4)]"),
        ("pairs", [(0, 1, 2)], "`pairs`: (0, 1, 2) is not a pair; give two numbers, like (0, 5)"),
        ("pairs", [(0, 1.5)], "`pairs` is 1.5; give a whole number, like 5"),
        ("pairs", [(0, 1), (0, 1)], "PAIRS: the pair (0, 1) is listed twice; list it once"),
        ("receivers", {0: 2}, "`receivers` is {0: 2}; give a list, like [0, 1, 5]"),
        ("receivers", [0, "1"], "`receivers` is '1'; give a whole number, like 5"),
    ],
)
def test_what_is_no_list_of_processors_is_refused(name: str, members: Any, text: str) -> None:
    """A count of a pair, or whatever else is no list, is refused in one line; by the maker and by name."""
    with pytest.raises(InputError, match=re.escape(text)):
        collectives.pairs(members) if name == "pairs" else collectives.scatter(LINE, 3, members)
    with pytest.raises(InputError, match=re.escape(text)):
        named("pairs" if name == "pairs" else "mns", LINE, **{name: members})


def test_whole_numbers_of_numpy_are_processors() -> None:
    """They become plain numbers, which files can be written of."""
    made = collectives.pairs(np.array([[0, 1], [1, 2]]))
    assert made.pairs == ((0, 1), (1, 2))
    assert {type(end) for pair in made.pairs for end in pair} == {int}


# -- names


@pytest.mark.parametrize("kind", sorted(PATTERN_OF))
def test_the_papers_names_are_known(kind: str) -> None:
    """The papers' abbreviations are accepted in any case."""
    assert {kind_of(name) for name in (kind, kind.lower(), kind.title(), f" {kind} ")} == {kind}


def test_no_name_means_two_kinds() -> None:
    """MPI's names and the papers' do not overlap, and every one of them leads to a kind."""
    assert not {name.upper() for name in MPI_NAMES} & PATTERN_OF.keys()
    assert set(MPI_NAMES.values()) <= PATTERN_OF.keys()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("aass", "unknown collective 'aass'; did you mean aas?"),
        ("brodcast", "unknown collective 'brodcast'; did you mean broadcast"),
        ("all-to-al", "unknown collective 'all-to-al'; did you mean alltoall"),
        ("alltoallv", "'alltoallv' is alltoall with messages of different sizes: name alltoall and give `sizes`"),
        ("All_GatherV", "'All_GatherV' is allgather with messages of different sizes: name allgather"),
        ("", "unknown collective ''; choose one of oab, oas, aab, aas, mnb, mns, aog, aor, aar, pairs, allreduce"),
        ("xyzzy", "unknown collective 'xyzzy'; choose one of oab, oas"),
    ],
)
def test_unknown_names_are_refused_with_near_matches(name: str, text: str) -> None:
    """A misspelt name is answered with the names that are near it, or with all of them."""
    with pytest.raises(InputError) as refusal:
        kind_of(name)
    assert str(refusal.value).startswith(text)


# -- options


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("broadcast", {}, Collective("OAB", (0,), (1, 2, 3))),
        ("Bcast", {}, Collective("OAB", (0,), (1, 2, 3))),
        ("oab", {"root": 2}, Collective("OAB", (2,), (0, 1, 3))),
        ("scatter", {"root": 2, "receivers": [0]}, Collective("OAS", (2,), (0,))),
        ("gather", {"root": 1, "senders": [0, 3]}, Collective("AOG", (0, 3), (1,))),
        ("reduce", {}, Collective("AOR", ALL, (0,))),
        ("aor", {}, Collective("AOR", (1, 2, 3), (0,))),
        ("ALLTOALL", {}, Collective("AAS", ALL, ALL)),
        ("allgather", {}, Collective("AAB", ALL, ALL)),
        ("reduce-scatter", {}, Collective("AAR", ALL, ALL)),
        ("reduce_scatter", {}, Collective("AAR", ALL, ALL)),
        ("mns", {"senders": [0, 1]}, Collective("MNS", (0, 1), ALL)),
        ("mnb", {"receivers": [3]}, Collective("MNB", ALL, (3,))),
        ("pairs", {"pairs": [(0, 3)]}, Collective("PAIRS", pairs=((0, 3),))),
    ],
)
def test_options_fill_in_the_members(name: str, options: dict[str, Any], expected: Collective) -> None:
    """MPI's names mean the papers' kinds; the root defaults to processor 0, senders and receivers to all."""
    assert named(name, LINE, **options) == expected


NO_MEMBERS = "goes from all to all"


@pytest.mark.parametrize(
    ("name", "options", "text"),
    [
        ("oab", {"senders": [1]}, "oab does not take `senders`; it takes `root` and `receivers`"),
        ("scatter", {"pairs": [(0, 1)]}, "scatter does not take `pairs`; it takes `root` and `receivers`"),
        ("gather", {"receivers": [1]}, "gather does not take `receivers`; it takes `root` and `senders`"),
        ("reduce", {"root": 0, "receivers": []}, "reduce does not take `receivers`; it takes `root` and `senders`"),
        ("mnb", {"root": 0}, "mnb does not take `root`; it takes `senders` and `receivers`"),
        (
            "aas",
            {"senders": [0]},
            f"aas does not take `senders`; it {NO_MEMBERS}; mns takes senders and receivers",
        ),
        (
            "allgather",
            {"root": 0},
            f"allgather does not take `root`; it {NO_MEMBERS}; mnb takes senders and receivers",
        ),
        ("aar", {"root": 0}, f"aar does not take `root`; it {NO_MEMBERS}"),
        ("pairs", {"root": 0}, "pairs does not take `root`; it takes `pairs`"),
        ("pairs", {}, "pairs needs `pairs`, for example `pairs=[(0, 5), (1, 4)]`"),
    ],
)
def test_contradictory_options_are_refused(name: str, options: dict[str, Any], text: str) -> None:
    """An option that does not fit the collective is refused, with those that do."""
    with pytest.raises(InputError) as refusal:
        named(name, LINE, **options)
    assert str(refusal.value) == text


# -- lists of processors


def test_makers_take_the_processors_that_take_part() -> None:
    """In place of a network there may be a list; the first one is the root unless another is named."""
    members = (1, 2, 3)
    assert collectives.alltoall([1, 2, 3]) == Collective("AAS", members, members)
    assert collectives.allgather(range(1, 4)) == Collective("AAB", members, members)
    assert collectives.reduce_scatter(members) == Collective("AAR", members, members)
    assert collectives.allreduce(members) == Collective("ALLREDUCE", members, members)
    assert collectives.reduce_broadcast(members) == Collective("ALLREDUCE", members, (1,))
    assert collectives.broadcast(members) == Collective("OAB", (1,), (2, 3))
    assert collectives.scatter(members, root=0) == Collective("OAS", (0,), members)
    assert collectives.gather(members, root=2) == Collective("AOG", (1, 3), (2,))
    assert collectives.reduce(np.array([1, 2])) == Collective("AOR", (1, 2), (1,))
    assert named("alltoall", [1, 2, 3]) == collectives.alltoall(members)


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (collectives.alltoall([0, 1, 2]), "<Collective: alltoall (AAS) from 3 senders to 3 receivers>"),
        (collectives.pairs([(0, 1)]), "<Collective: PAIRS of 1 message>"),
        (in_pieces(named("oas", LINE), 2, [(0, 1, 3)]), "<Collective: scatter (OAS) from processor 0 to 3 receivers, "),
        (Rules(), "Rules()"),
        (Rules(ports=1, combining=True), "Rules(ports=1, combining=True)"),
        (Problem(LINE, "alltoall"), "<Problem: alltoall (AAS) from 4 senders to 4 receivers on line (wormhole, "),
    ],
)
def test_values_are_short_to_read(made: object, text: str) -> None:
    """What a prompt shows fits on a line."""
    assert repr(made).startswith(text)
    assert len(repr(made)) < 140
