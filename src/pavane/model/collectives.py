"""Makers of collectives, by the papers' and by MPI's names, and their duals by time reversal."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from operator import index
from typing import Any

from pavane.errors import InputError
from pavane.model.messages import PATTERN_OF, Collective
from pavane.model.network import Network
from pavane.model.problem import Problem

MPI_NAMES = {
    "broadcast": "OAB",
    "bcast": "OAB",
    "multicast": "OAB",
    "scatter": "OAS",
    "allgather": "AAB",
    "gossip": "AAB",
    "alltoall": "AAS",
    "gather": "AOG",
    "reduce": "AOR",
    "reduce-scatter": "AAR",
    "reduce-broadcast": "ALLREDUCE",
}
"""Other names of the kinds, as MPI and its users say them."""

DUAL_KINDS = {
    "OAS": "AOG",
    "AOG": "OAS",
    "OAB": "AOR",
    "AOR": "OAB",
    "AAB": "AAR",
    "AAR": "AAB",
    "MNB": "AAR",
    "AAS": "AAS",
    "MNS": "MNS",
    "PAIRS": "PAIRS",
    "ALLREDUCE": "ALLREDUCE",
}


TAKES = {
    "OAB": ("root", "receivers"),
    "OAS": ("root", "receivers"),
    "AOG": ("root", "senders"),
    "AOR": ("root", "senders"),
    "MNB": ("senders", "receivers"),
    "MNS": ("senders", "receivers"),
    "PAIRS": ("pairs",),
    "ALLREDUCE": ("senders",),
}
"""What may be said about the members of each kind; of the others all processors are members."""


def taken_by(name: str) -> tuple[str, ...]:
    """Return what may be said about the members of a collective by its name: of an allreduce in one part the root."""
    return ("root", "senders") if _is_in_one_part(name) else TAKES.get(kind_of(name), ())


def _is_in_one_part(name: str) -> bool:
    """Say whether an allreduce is asked for by the name of the one that has one part."""
    return kind_of(name) == "ALLREDUCE" and name.strip().lower() != "allreduce"


def kind_of(name: str) -> str:
    """Return the kind that a user means: `aas`, `AAS` and `alltoall` are one."""
    asked = name.strip().lower().replace("_", "-")
    if asked.upper() in PATTERN_OF:
        return asked.upper()
    if asked in MPI_NAMES:
        return MPI_NAMES[asked]
    known = [kind.lower() for kind in PATTERN_OF] + list(MPI_NAMES)
    near = difflib.get_close_matches(asked, known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose one of {', '.join(known)}"
    raise InputError(f"unknown collective {name!r}; {hint}")


def _listed(members: object, name: str, example: str) -> Iterable[Any]:
    """Return what can be listed; refuse a mapping, whose values would be lost, and what is no list at all."""
    if isinstance(members, Mapping):
        raise InputError(
            f"`{name}` is a mapping, and what it says of each entry would be lost; every message is sent once, so "
            f"give a list, like {example}"
        )
    if isinstance(members, str | bytes) or not isinstance(members, Iterable):
        raise InputError(f"`{name}` is {members!r:.40}, where a list was expected, like {example}")
    return members


def _processors(members: object, name: str) -> tuple[int, ...]:
    """Return the listed processors as whole numbers."""
    listed = tuple(_listed(members, name, "[0, 1, 5]"))
    try:
        return tuple(map(index, listed))
    except TypeError:
        wrong = next(each for each in listed if not hasattr(each, "__index__"))
        raise InputError(f"`{name}`: {wrong!r:.40} is no processor; give whole numbers, like [0, 1, 5]") from None


def _all(network: Network, but: int | None = None) -> tuple[int, ...]:
    return tuple(p for p in range(network.num_processors) if p != but)


def broadcast(network: Network, root: int = 0, receivers: Iterable[int] | None = None) -> Collective:
    """Return OAB: one message from the root to all, or to the given receivers (multicast)."""
    return Collective("OAB", (root,), _all(network, root) if receivers is None else _processors(receivers, "receivers"))


def scatter(network: Network, root: int = 0, receivers: Iterable[int] | None = None) -> Collective:
    """Return OAS: a private message from the root to each receiver."""
    return Collective("OAS", (root,), _all(network, root) if receivers is None else _processors(receivers, "receivers"))


def gather(network: Network, root: int = 0, senders: Iterable[int] | None = None) -> Collective:
    """Return AOG: a private message from each sender to the root."""
    return Collective("AOG", _all(network, root) if senders is None else _processors(senders, "senders"), (root,))


def reduce(network: Network, root: int = 0, senders: Iterable[int] | None = None) -> Collective:
    """Return AOR: the contributions of all senders, combined on their way to the root."""
    return Collective("AOR", _all(network, root) if senders is None else _processors(senders, "senders"), (root,))


def allgather(network: Network) -> Collective:
    """Return AAB: one message from every processor to all others."""
    return Collective("AAB", _all(network), _all(network))


def alltoall(network: Network) -> Collective:
    """Return AAS: a private message for every ordered pair of processors."""
    return Collective("AAS", _all(network), _all(network))


def reduce_scatter(network: Network) -> Collective:
    """Return AAR: a reduction towards every processor, each of its own data."""
    return Collective("AAR", _all(network), _all(network))


def allreduce(network: Network, senders: Iterable[int] | None = None) -> Collective:
    """Return ALLREDUCE: sums of what all contribute, for all, in one part named after each of them."""
    members = _all(network) if senders is None else _processors(senders, "senders")
    return Collective("ALLREDUCE", members, members)


def reduce_broadcast(network: Network, root: int = 0, senders: Iterable[int] | None = None) -> Collective:
    """Return ALLREDUCE in one part, named after the root: few start-ups for small messages."""
    members = _all(network) if senders is None else _processors(senders, "senders")
    if not 0 <= root < network.num_processors:
        raise InputError(
            f"ALLREDUCE: root {root} is out of range; {network.name} has processors 0 to {network.num_processors - 1}"
        )
    return Collective("ALLREDUCE", members, (root,))


def many_to_many_broadcast(senders: Iterable[int], receivers: Iterable[int]) -> Collective:
    """Return MNB: one message from each sender to all receivers."""
    return Collective("MNB", _processors(senders, "senders"), _processors(receivers, "receivers"))


def many_to_many_scatter(senders: Iterable[int], receivers: Iterable[int]) -> Collective:
    """Return MNS: a private message from each sender to each receiver."""
    return Collective("MNS", _processors(senders, "senders"), _processors(receivers, "receivers"))


def pairs(messages: Iterable[tuple[int, int]]) -> Collective:
    """Return PAIRS: the listed private messages, each from one processor to another."""
    return Collective("PAIRS", pairs=_pairs_of(messages))


def _pairs_of(messages: object) -> tuple[tuple[int, int], ...]:
    """Return the listed pairs as whole numbers; whatever says something else, or more, is refused."""
    listed = []
    for pair in _listed(messages, "pairs", "[(0, 5), (1, 4)]"):
        try:
            sender, receiver = (index(end) for end in pair)
        except (TypeError, ValueError):
            raise InputError(
                f"`pairs`: {pair!r:.40} is no pair of processors; list each message as (sender, receiver), like (0, 5)"
            ) from None
        listed.append((sender, receiver))
    return tuple(listed)


def permutation(images: Iterable[int]) -> Collective:
    """Return PAIRS: processor i sends to images[i]; fixed points send nothing."""
    return pairs((i, image) for i, image in enumerate(images) if i != image)


def named(
    name: str,
    network: Network,
    *,
    root: int | None = None,
    senders: Iterable[int] | None = None,
    receivers: Iterable[int] | None = None,
    pairs: Iterable[tuple[int, int]] | None = None,
    pieces: int = 1,
    sizes: Iterable[Iterable[int]] = (),
) -> Collective:
    """Return the collective that a user describes by name and options; refuses options that do not fit the name.

    `pieces` cuts every message; `sizes` lists (origin, target, units), or (origin, units) for broadcasts and
    (target, units) for reductions.
    """
    whole = _named_whole(name, network, root, senders, receivers, pairs)
    return in_pieces(whole, pieces, sizes)


def in_pieces(collective: Collective, pieces: int = 1, sizes: Iterable[Iterable[int]] = ()) -> Collective:
    """Return a collective with messages cut into pieces, and with sizes of single messages."""
    listed = []
    for size in _listed(sizes, "sizes", "[(0, 5, 3), (1, 4, 2)]"):
        try:
            listed.append(tuple(map(index, size)))
        except TypeError:
            raise InputError(
                f"`sizes`: {size!r:.40} is no size; list each as whole numbers, like (0, 5, 3): 3 units from 0 to 5"
            ) from None
    return replace(collective, pieces=pieces, sizes=tuple(listed))


def _named_whole(
    name: str,
    network: Network,
    root: int | None,
    senders: Iterable[int] | None,
    receivers: Iterable[int] | None,
    pairs: Iterable[tuple[int, int]] | None,
) -> Collective:
    kind = kind_of(name)
    given = {"root": root, "senders": senders, "receivers": receivers, "pairs": pairs}
    takes = taken_by(name)
    hints = {"AAB": "; mnb takes senders and receivers", "AAS": "; mns takes senders and receivers"}
    for option, value in given.items():
        if value is not None and option not in takes:
            fitting = "takes " + " and ".join(f"`{o}`" for o in takes) if takes else "goes from all to all"
            raise InputError(f"{name} does not take `{option}`; it {fitting}{hints.get(kind, '')}")
    if kind == "PAIRS":
        if pairs is None:
            raise InputError("pairs needs `pairs`, for example `pairs=[(0, 5), (1, 4)]`")
        return Collective(kind, pairs=_pairs_of(pairs))
    if kind in ("OAB", "OAS"):
        to_many = broadcast if kind == "OAB" else scatter
        return to_many(network, 0 if root is None else root, receivers)
    if kind in ("AOG", "AOR"):
        from_many = gather if kind == "AOG" else reduce
        return from_many(network, 0 if root is None else root, senders)
    if kind == "ALLREDUCE":
        if not _is_in_one_part(name):
            return allreduce(network, senders)
        members = None if senders is None else _processors(senders, "senders")
        first = members[0] if members else 0
        return reduce_broadcast(network, first if root is None else root, members)
    return Collective(
        kind,
        _all(network) if senders is None else _processors(senders, "senders"),
        _all(network) if receivers is None else _processors(receivers, "receivers"),
    )


@lru_cache(maxsize=4)
def dual(problem: Problem) -> Problem:
    """Return the time-reversed problem: channels turned round, senders and receivers exchanged.

    A schedule of one, read backwards, is a schedule of the other: scatter and gather, broadcast and reduction.
    """
    collective = problem.collective
    if collective.kind == "ALLREDUCE":
        return Problem(problem.network.reversed(), collective, problem.rules)
    turned = Collective(
        DUAL_KINDS[collective.kind],
        collective.receivers,
        collective.senders,
        tuple((d, s) for s, d in collective.pairs),
        collective.pieces,
        tuple((*size[-2::-1], size[-1]) for size in collective.sizes),
    )
    if turned.kind == "AAB" and turned.senders != turned.receivers:
        turned = replace(turned, kind="MNB")
    return Problem(problem.network.reversed(), turned, problem.rules)
