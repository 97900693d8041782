"""Several collectives as people write them: `KIND:MEMBERS`, or one kind in groups.

MEMBERS is a list of processors like `0-7,9`, and then it is one collective, or groups, and then it is one in each:
`rows` and `columns` of a mesh or torus, `blocks:8` for 0-7, 8-15 and so on, `every:8` for 0, 8, 16 and so on, 1, 9, 17
and so on. Behind it may stand `:root=3` and `:pieces=2`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from pavane.errors import InputError
from pavane.io.request import Request, network_from, pair_list, processors_listed
from pavane.model.arrays import Longs
from pavane.model.collectives import in_pieces, kind_of, named
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Problem

GROUPS = re.compile(r"rows|columns|(?:every|blocks):\d{1,9}", re.ASCII)
"""Words for several groups."""

SAID_OF_EACH = ("root", "senders", "receivers", "pairs", "sizes")
"""Options of one collective, which several say of each."""


def problem_of_several(
    request: Request, collectives: Sequence[str], groups: str | None, found: Network | Problem | None = None
) -> Problem:
    """Return the collectives that options describe, with their network and rules.

    The content of a network file may be given as `found`.
    """
    texts = [(f"--collective {text}", text) for text in collectives]
    if groups is not None:
        if collectives:
            raise InputError("`groups` is about the one COLLECTIVE; write --collective allgather:rows instead")
        if request.collective is None:
            raise InputError(f"no collective was named; put one behind {request.network}, for example allgather")
        texts = in_groups(request.collective, groups)
    elif request.collective is not None:
        raise InputError(f"COLLECTIVE {request.collective} is one more beside --collective; say it as another of these")
    if found is None:
        found = network_from(request.network, request.form, request.nodes, request.nic)
    return problem_of_texts(found, request, texts)


def in_groups(collective: str, groups: str) -> list[tuple[str, str]]:
    """Return a collective in each of several groups as `KIND:MEMBERS`, each behind what errors begin with."""
    members = [groups] if GROUPS.fullmatch(groups) else groups.split(",")
    return [(f"`groups` {groups}", f"{collective}:{each.strip().replace('+', ',')}") for each in members]


def problem_of_texts(found: Network | Problem, request: Request, texts: Sequence[tuple[str, str]]) -> Problem:
    """Return collectives on a network, by the rules and pieces of a request.

    Each text is `KIND:MEMBERS`, behind what errors about it begin with.
    """
    for name in SAID_OF_EACH:
        if getattr(request, name) is not None:
            raise InputError(
                f"`{name}` is about one collective, and there are several; say it behind each, as broadcast:0-7:root=3"
            )
    if not isinstance(found, Network):
        raise InputError(f"{request.network} is a whole problem, so it does not go with several collectives")
    network, pieces, rules = found, request.num_pieces(), request.rules(found)
    listed: list[Collective] = []
    for said, text in texts:
        try:
            listed += [Problem(network, each, rules).collective for each in _collectives(text, network, pieces)]
        except InputError as error:
            raise InputError(f"{said}: {error}") from None
    return Problem(network, listed, rules)


def _collectives(text: str, network: Network, pieces: int) -> list[Collective]:
    """Read one `KIND:MEMBERS`, which may be a collective in each of several groups."""
    name, _, rest = text.partition(":")
    said = dict(re.findall(r":?\b(root|pieces)=(\d{1,9})(?=:|$)", rest, re.ASCII))
    members = re.sub(r":?\b(?:root|pieces)=\d{1,9}(?=:|$)", "", rest)
    cut = int(said.get("pieces", pieces))
    if kind_of(name) == "PAIRS":
        return [in_pieces(named(name, network, pairs=pair_list(members, "members")), cut)]
    root = int(said["root"]) if "root" in said else None
    return [in_pieces(named(name, group, root=root), cut) for group in _groups(members, network)]


def _groups(members: str, network: Network) -> list[list[int]]:
    """Return the processors of each group."""
    size = network.num_processors
    if not members:
        return [list(range(size))]
    if not GROUPS.fullmatch(members):
        return [processors_listed(members, "members", network)]
    if members in ("rows", "columns"):
        grid = network.grid
        if grid is None or len(grid.sizes) != 2 or not np.array_equal(network.router_of, np.arange(size)):
            raise InputError(
                f"{network.name} has no rows and columns, as meshes and tori have; write blocks:N or every:N"
            )
        return _lines(np.arange(size).reshape(grid.sizes), turned=members == "columns")
    word, count = members.split(":")
    number = int(count)
    if not 1 <= number <= size or size % number:
        raise InputError(f"{size} processors do not fall into groups by {number}; give a divisor of {size}")
    return _lines(np.arange(size).reshape(-1, number), turned=word == "every")


def _lines(table: Longs, *, turned: bool) -> list[list[int]]:
    """Return the rows of a table of processors; turned, its columns."""
    lines: list[list[int]] = (table.T if turned else table).tolist()
    return lines
