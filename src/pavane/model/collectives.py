"""Makers of collectives, by the papers' and by MPI's names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import index
from typing import TypedDict

from pavane.errors import InputError, expect, expect_list, expect_pairs, expect_whole, expect_wholes, shortened
from pavane.model.messages import PATTERN_OF, Collective
from pavane.model.network import Network

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

WITH_SIZES = ("alltoall", "allgather", "scatter", "gather")
"""The collectives that MPI gives a name of its own, like alltoallv, where messages differ in size."""

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
"""The options that name the members of each kind; every processor is a member of the other kinds."""


def taken_by(name: str) -> tuple[str, ...]:
    """Return the options that name the members of a collective; an allreduce in one part takes a root."""
    return ("root", "senders") if _is_in_one_part(name) else TAKES.get(kind_of(name), ())


def _is_in_one_part(name: str) -> bool:
    """Return whether a name means the allreduce that has one part."""
    return kind_of(name) == "ALLREDUCE" and _plain(name) != "allreduce"


def _names() -> list[str]:
    """Return all names of collectives, in small letters."""
    return [kind.lower() for kind in PATTERN_OF] + list(MPI_NAMES)


def _plain(name: str) -> str:
    """Return a name as the lists here have it, where it differs in capitals, blanks, `_` or `-`: all-to-all."""
    plain = name.strip().lower().replace("_", "-")
    joined = plain.replace("-", "")
    return next((known for known in _names() if known.replace("-", "") == joined), plain)


def without_sizes(name: str) -> str:
    """Return the name of the collective whose messages MPI gives different sizes under this name: alltoallv."""
    whole = _plain(_plain(name).removesuffix("v"))
    return whole if whole in WITH_SIZES and _plain(name).endswith("v") else name


def kind_of(name: str) -> str:
    """Return the kind that a user means: `aas`, `AAS` and `alltoall` are one."""
    expect(name, str, "collective", "name one, like alltoall, or make one, as `pavane.alltoall` does")
    plain = _plain(name)
    if plain.upper() in PATTERN_OF:
        return plain.upper()
    if plain in MPI_NAMES:
        return MPI_NAMES[plain]
    if (whole := without_sizes(name)) != name:
        raise InputError(
            f"{name!r} is {whole} with messages of different sizes: name {whole} and give `sizes`, like '0>5:3,1>4:2' "
            "or a table (CSV)"
        )
    near = difflib.get_close_matches(plain, (known := _names()), n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"choose one of {', '.join(known)}"
    raise InputError(f"unknown collective {name!r}; {hint}")


def _members(network: Network | Iterable[int]) -> tuple[int, ...]:
    """Return the processors that take part: all of a network, or those that are listed."""
    if isinstance(network, Network):
        return tuple(range(network.num_processors))
    if isinstance(network, str | bytes | Mapping) or not isinstance(network, Iterable):
        raise InputError(
            f"`network` is {shortened(network)}; give a network (`pavane.network`), or the processors that take part, "
            "like [0, 1, 5]"
        )
    members = expect_wholes(network, "network")
    if not members:
        raise InputError("`network` lists no processors; name those that take part, like [0, 1, 5]")
    return members


def _rooted(kind: str, network: Network | Iterable[int], root: int | None, others: Iterable[int] | None) -> Collective:
    """Return a collective between the root, the first member unless given, and all others, or those listed."""
    members = _members(network)
    first = next(iter(members), 0) if root is None else expect_whole(root, "root", 0)
    name = TAKES[kind][1]
    rest = tuple(member for member in members if member != first) if others is None else expect_wholes(others, name)
    return Collective(kind, (first,), rest) if name == "receivers" else Collective(kind, rest, (first,))


def broadcast(
    network: Network | Iterable[int], root: int | None = None, receivers: Iterable[int] | None = None
) -> Collective:
    """Return OAB: one message from the root to all, or to the given receivers (multicast).

    Args:
        network: The network, or the processors that take part, as a list.
        root: The processor that sends; the first one unless given.
        receivers: The processors that receive the message; all others unless given.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.broadcast(pavane.network("octagon"), root=3)
        <Collective: broadcast (OAB) from processor 3 to 7 receivers>
        >>> pavane.broadcast([0, 1, 2])
        <Collective: broadcast (OAB) from processor 0 to 2 receivers>
    """
    return _rooted("OAB", network, root, receivers)


def scatter(
    network: Network | Iterable[int], root: int | None = None, receivers: Iterable[int] | None = None
) -> Collective:
    """Return OAS: a private message from the root to each receiver.

    Args:
        network: The network, or the processors that take part, as a list.
        root: The processor that sends; the first one unless given.
        receivers: The processors that receive a message each; all others unless given.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.scatter(pavane.network("octagon"), root=3, receivers=[0, 1])
        <Collective: scatter (OAS) from processor 3 to 2 receivers>
    """
    return _rooted("OAS", network, root, receivers)


def gather(
    network: Network | Iterable[int], root: int | None = None, senders: Iterable[int] | None = None
) -> Collective:
    """Return AOG: a private message from each sender to the root.

    Args:
        network: The network, or the processors that take part, as a list.
        root: The processor that receives; the first one unless given.
        senders: The processors that send a message each; all others unless given.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.gather(pavane.network("octagon"), root=3)
        <Collective: gather (AOG) from 7 senders to processor 3>
    """
    return _rooted("AOG", network, root, senders)


def reduce(
    network: Network | Iterable[int], root: int | None = None, senders: Iterable[int] | None = None
) -> Collective:
    """Return AOR: the contributions of all senders, combined on their way to the root, which contributes as in MPI.

    The papers' AOR has no contribution of the root: give the other processors as `senders`, or name it `aor`.

    Args:
        network: The network, or the processors that take part, as a list.
        root: The processor that gets the sum; the first one unless given.
        senders: The processors that contribute; all unless given.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.reduce(pavane.network("octagon"))
        <Collective: reduce (AOR) from 8 senders to processor 0, which contributes>
        >>> pavane.named("aor", pavane.network("octagon"))
        <Collective: reduce (AOR) from 7 senders to processor 0, which does not contribute>
    """
    return _rooted("AOR", network, root, _members(network) if senders is None else senders)


def allgather(network: Network | Iterable[int]) -> Collective:
    """Return AAB: one message from every processor to all others.

    Args:
        network: The network, or the processors that take part, as a list.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.allgather(pavane.network("octagon"))
        <Collective: allgather (AAB) from 8 senders to 8 receivers>
    """
    members = _members(network)
    return Collective("AAB", members, members)


def alltoall(network: Network | Iterable[int]) -> Collective:
    """Return AAS: a private message for every ordered pair of processors.

    Args:
        network: The network, or the processors that take part, as a list.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.alltoall(pavane.network("octagon"))
        <Collective: alltoall (AAS) from 8 senders to 8 receivers>
        >>> pavane.alltoall([0, 1, 2])
        <Collective: alltoall (AAS) from 3 senders to 3 receivers>
    """
    members = _members(network)
    return Collective("AAS", members, members)


def reduce_scatter(network: Network | Iterable[int]) -> Collective:
    """Return AAR: a reduction towards every processor, each of its own data.

    Args:
        network: The network, or the processors that take part, as a list.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.reduce_scatter(pavane.network("octagon"))
        <Collective: reduce-scatter (AAR) from 8 senders to 8 receivers>
    """
    members = _members(network)
    return Collective("AAR", members, members)


def allreduce(network: Network | Iterable[int], senders: Iterable[int] | None = None) -> Collective:
    """Return ALLREDUCE: sums of what all contribute, for all, in one part named after each of them.

    Args:
        network: The network, or the processors that take part, as a list.
        senders: The processors that contribute and receive the sums; all unless given.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.allreduce(pavane.network("octagon"))
        <Collective: ALLREDUCE of 8 processors in 8 parts>
    """
    members = _members(network) if senders is None else expect_wholes(senders, "senders")
    return Collective("ALLREDUCE", members, members)


def reduce_broadcast(
    network: Network | Iterable[int], root: int | None = None, senders: Iterable[int] | None = None
) -> Collective:
    """Return ALLREDUCE in one part, named after the root: few start-ups for small messages.

    Args:
        network: The network, or the processors that take part, as a list.
        root: The processor that the part is named after; the first one unless given.
        senders: The processors that contribute and receive the sum; all unless given.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.reduce_broadcast(pavane.network("octagon"), root=3)
        <Collective: ALLREDUCE of 8 processors in 1 part>
    """
    everyone = _members(network)
    members = everyone if senders is None else expect_wholes(senders, "senders")
    part = next(iter(everyone), 0) if root is None else expect_whole(root, "root", 0)
    if isinstance(network, Network) and not 0 <= part < network.num_processors:
        raise InputError(
            f"ALLREDUCE: root {part} is out of range; {network.name} has processors 0 to {network.num_processors - 1}"
        )
    return Collective("ALLREDUCE", members, (part,))


def many_to_many_broadcast(senders: Iterable[int], receivers: Iterable[int]) -> Collective:
    """Return MNB: one message from each sender to all receivers.

    Args:
        senders: The processors that send a message each.
        receivers: The processors that get them all; some may be senders.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.many_to_many_broadcast(senders=range(4), receivers=[5, 6])
        <Collective: MNB from 4 senders to 2 receivers>
    """
    return Collective("MNB", expect_wholes(senders, "senders"), expect_wholes(receivers, "receivers"))


def many_to_many_scatter(senders: Iterable[int], receivers: Iterable[int]) -> Collective:
    """Return MNS: a private message from each sender to each receiver.

    Args:
        senders: The processors that send.
        receivers: The processors that get a message of each sender; some may be senders.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.many_to_many_scatter(senders=range(4), receivers=[5, 6])
        <Collective: MNS from 4 senders to 2 receivers>
    """
    return Collective("MNS", expect_wholes(senders, "senders"), expect_wholes(receivers, "receivers"))


def pairs(messages: Iterable[tuple[int, int]]) -> Collective:
    """Return PAIRS: the listed private messages, each from one processor to another.

    Args:
        messages: The pairs (sender, receiver), each once.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.pairs([(0, 4), (1, 5)])
        <Collective: PAIRS of 2 messages>
    """
    return Collective("PAIRS", pairs=expect_pairs(messages, "pairs"))


def permutation(images: Iterable[int]) -> Collective:
    """Return PAIRS: processor i sends to images[i]; fixed points send nothing.

    Args:
        images: The receiver of each processor, in order.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> pavane.permutation([1, 0, 2, 4, 3])
        <Collective: PAIRS of 4 messages>
    """
    listed = expect_wholes(images, "images")
    return pairs((i, image) for i, image in enumerate(listed) if i != image)


class CollectiveMembers(TypedDict, total=False):
    """What a user says of a collective beside its name, as `named` takes it."""

    root: int | None
    senders: Iterable[int] | None
    receivers: Iterable[int] | None
    pairs: Iterable[tuple[int, int]] | None
    pieces: int


def named(
    name: str,
    network: Network | Iterable[int],
    *,
    root: int | None = None,
    senders: Iterable[int] | None = None,
    receivers: Iterable[int] | None = None,
    pairs: Iterable[tuple[int, int]] | None = None,
    pieces: int = 1,
) -> Collective:
    """Return the collective that a user describes by name and options; refuses options that do not fit the name.

    Args:
        name: The papers' abbreviation or MPI's name: `aas`, `AAS` and `alltoall` are one.
        network: The network, or the processors that take part, as a list.
        root: The one that sends or receives, where there is one; the first processor unless given.
        senders: The processors that send, if not all do.
        receivers: The processors that receive, if not all do.
        pairs: The messages (sender, receiver) of `pairs`.
        pieces: The number of pieces that every message is cut into; `in_pieces` gives single messages sizes, too.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> octagon = pavane.network("octagon")
        >>> pavane.named("broadcast", octagon, root=3)
        <Collective: broadcast (OAB) from processor 3 to 7 receivers>
        >>> pavane.named("alltoall", octagon, pieces=2)
        <Collective: alltoall (AAS) from 8 senders to 8 receivers, 2 pieces a message>
    """
    return in_pieces(_named_whole(name, network, root, senders, receivers, pairs), pieces)


def in_pieces(collective: Collective, pieces: int = 1, sizes: Iterable[Iterable[int]] = ()) -> Collective:
    """Return a collective with messages cut into pieces, and with sizes of single messages.

    Args:
        collective: The collective.
        pieces: The number of pieces that every message is cut into.
        sizes: Units of single messages: (origin, target, units), or (origin, units) for broadcasts and
            (target, units) for reductions. Others have one unit.

    Returns:
        The collective, for a `Problem`.

    Example:
        >>> octagon = pavane.network("octagon")
        >>> pavane.in_pieces(pavane.named("alltoall", octagon), sizes=[(0, 5, 3)])
        <Collective: alltoall (AAS) from 8 senders to 8 receivers, 1 size>
    """
    listed = []
    for size in expect_list(sizes, "sizes"):
        try:
            listed.append(tuple(map(index, size)))
        except TypeError:
            raise InputError(
                f"`sizes`: {size!r:.40} is not a size; list each as whole numbers, like (0, 5, 3): 3 units from 0 to 5"
            ) from None
    if type(pieces) is int and (pieces, tuple(listed)) == (collective.pieces, collective.sizes):
        return collective
    return replace(collective, pieces=pieces, sizes=tuple(listed))


def _named_whole(
    name: str,
    network: Network | Iterable[int],
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
        return Collective(kind, pairs=expect_pairs(pairs, "pairs"))
    if _plain(name) == "reduce" and senders is None:
        return reduce(network, root)
    if kind in ("OAB", "OAS", "AOG", "AOR"):
        return _rooted(kind, network, root, senders if receivers is None else receivers)
    if kind == "ALLREDUCE":
        if not _is_in_one_part(name):
            return allreduce(network, senders)
        members = None if senders is None else expect_wholes(senders, "senders")
        first = members[0] if members else None
        return reduce_broadcast(network, first if root is None else root, members)
    return Collective(
        kind,
        _members(network) if senders is None else expect_wholes(senders, "senders"),
        _members(network) if receivers is None else expect_wholes(receivers, "receivers"),
    )
