"""Question 2: Kautz networks with fat routers (gecco08 section 6).

Inside a router, processors exchange messages over their ports, which is the model as it is; or they share memory, so
that nothing inside a router takes time. The second needs no new rule:

**Shared memory is a slim network of larger messages.** Let every router carry c processors of k ports each, and let a
message that is at one processor of a router be at all of them, free of charge. Then a collective has a schedule of S
steps if and only if the slim network, one processor of c * k ports on each router, has one of S steps in which a
message to another router has c * c pieces in AAS (one for each pair of processors), c pieces in AAB (one for each
origin) and in OAS (one for each target), and one piece in OAB.

Proof. Leave out what stays inside a router, and further copies of a message that a router has already: what remains is
one transfer for each pair of processors on different routers (AAS, OAS), or reaches every other router once with each
message (AAB, OAB). Name the message of processor i of router a for processor j of router b piece c * i + j of the
message from a to b, and likewise with one index where only origins or targets differ. Paths, and so loads of network
channels and minimal routing, stay what they are. A router injects and ejects at most c * k transfers a step before, its
one processor does so after. A sender holds the message before, so its router holds the piece after. Backwards,
every processor of a router holds what the router holds, and may take in what is meant for its neighbour: so the at most
c * k transfers that a router injects in a step can be dealt out, k to each of its processors, and likewise those that
it ejects. What is left out costs nothing in this direction, because memory is shared.

All-port routers need no factor: a transfer between routers takes a channel at both ends, so channels limit it first.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from papers.open_questions.question import Row, with_texts
from papers.open_questions.searches import arrange, figures, listed, proof_of, solved, written
from papers.problems import catalogue, problem
from pavane.errors import InputError
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.search.options import SearchOptions
from pavane.text import counted

KINDS = ("OAB", "OAS", "AAB", "AAS")

SLIM = {24: "kautz:2,4", 48: "kautz:2,5", 72: "kautz:8,2", 96: "kautz:2,6"}
"""The slim Kautz networks of as many processors; where there are several, the one of the least degree."""

FAT = (
    ("kautz:2,3", 2),
    ("kautz:3,2", 2),
    ("kautz:2,3", 4),
    ("kautz:3,2", 4),
    ("kautz:2,4", 2),
    ("kautz:3,3", 2),
    ("kautz:2,4", 4),
    ("kautz:3,3", 4),
)
"""Networks and processors a router, 24 to 144 in all."""

MESSAGES, MEMORY, ALONE = "messages", "memory", "slim"
"""How processors of a router exchange what they have; or there is one on each router."""


class FatCase(NamedTuple):
    """A fat network, or a slim one, and a collective."""

    spec: str
    per_router: int
    ports: int | str
    kind: str
    inside: str


def shared_memory(spec: str, per_router: int, kind: str, ports: int | str) -> Problem:
    """Return the problem on the slim network that is the same as one with processors that share memory."""
    if kind not in KINDS:
        raise InputError(f"collective {kind}: shared memory is worked out for {listed(KINDS)}")
    pieces = {"AAS": per_router**2, "AAB": per_router, "OAS": per_router, "OAB": 1}[kind]
    slim = catalogue(spec)
    rules = Rules(ports=ports if isinstance(ports, str) else per_router * ports)  # type: ignore[arg-type]
    return Problem(slim, named(kind, slim, pieces=pieces), rules)


def _row(case: FatCase, limits: SearchOptions) -> Row:
    is_memory = case.inside == MEMORY
    text = case.spec if case.per_router == 1 else f"{case.spec}*{case.per_router}"
    instance = (
        shared_memory(case.spec, case.per_router, case.kind, case.ports)
        if is_memory
        else problem(text, case.kind, ports=case.ports)
    )
    network = catalogue(text)
    return {
        "network": text,
        "processors": network.num_processors,
        "channels": network.num_channels,
        "ports": case.ports,
        "inside": case.inside,
        "collective": case.kind,
        **figures(solved(instance, limits)),
    }


def _cases() -> tuple[FatCase, ...]:
    ports: tuple[int | str, ...] = (1, "all")
    fat = product(FAT, ports, (MESSAGES, MEMORY), KINDS)
    slim = product(SLIM.values(), ports, KINDS)
    return (
        *(FatCase(spec, size, port, kind, inside) for (spec, size), port, inside, kind in fat),
        *(FatCase(spec, 1, port, kind, ALONE) for spec, port, kind in slim),
    )


def _table(rows: Sequence[Row]) -> list[Row]:
    """Arrange a line a network, the four collectives side by side, networks of one size together."""
    inside = [MESSAGES, MEMORY, ALONE]
    order = sorted(
        rows,
        key=lambda row: (
            row["processors"],
            str(row["ports"]),
            row["inside"] == ALONE,
            row["network"],
            inside.index(row["inside"]),
        ),
    )

    def about(row: Row) -> Row:
        return {
            "processors": row["processors"],
            "ports": row["ports"],
            "network": f"`{row['network']}`",
            "inside a router": "" if row["inside"] == ALONE else row["inside"],
            "channels": row["channels"],
        }

    return arrange((about(row), {row["collective"]: written(row)}) for row in order)


def _other(rows: Sequence[Row], row: Row, inside: str, network: str) -> Row | None:
    """Return the row of the same ports and collective with another way inside a router: alike in `network` or size."""
    keys = (network, "ports", "collective")
    return next((o for o in rows if o["inside"] == inside and all(o[key] == row[key] for key in keys)), None)


def _saved(rows: Sequence[Row]) -> str:
    """State what shared memory saves against messages inside a router."""
    parts = []
    for ports in (1, "all"):
        sent = [row for row in rows if row["inside"] == MESSAGES and row["ports"] == ports]
        pairs = [(row, memory) for row in sent if (memory := _other(rows, row, MEMORY, "network")) is not None]
        fewer = [(row, memory) for row, memory in pairs if memory["steps"] < row["bound"]]
        text = f"{ports}-port in {len(fewer)} of {counted(len(pairs), 'problem')}"
        if fewer:
            row, memory = min(fewer, key=lambda pair: pair[1]["steps"] / pair[0]["steps"])
            text += f" (most on `{row['network']}` {row['collective']}: {written(memory)} instead of {written(row)})"
        parts.append(text)
    scatter = [row for row in rows if row["inside"] == MESSAGES and row["collective"] == "AAS"]
    same = [row for row in scatter if (o := _other(rows, row, MEMORY, "network")) and o["steps"] == row["steps"]]
    return (
        f"Shared memory inside a router provably saves steps {listed(parts)}. "
        f"AAS takes as many steps either way in {len(same)} of {counted(len(scatter), 'problem')}."
    )


def _against_slim(rows: Sequence[Row], kind: str) -> str:
    """State how fat networks, all-port and with messages inside, compare with slim ones of as many processors."""
    pairs = [
        (row["steps"] / slim["steps"], row, slim)
        for row in rows
        if (row["inside"], row["collective"], row["ports"]) == (MESSAGES, kind, "all")
        and (slim := _other(rows, row, ALONE, "processors")) is not None
    ]
    if not pairs:
        return ""
    faster = sum(row["steps"] < slim["bound"] for _, row, slim in pairs)
    slower = sum(row["bound"] > slim["steps"] for _, row, slim in pairs)
    equal = sum(row["bound"] == row["steps"] == slim["bound"] == slim["steps"] for _, row, slim in pairs)
    ratio, row, slim = min(pairs, key=lambda pair: pair[0])
    best = (
        f"at best {ratio:.2f} times the steps (`{row['network']}` {written(row)}, `{slim['network']}` {written(slim)}; "
        f"{row['channels']} and {slim['channels']} channels)"
    )
    worst = max(ratio for ratio, _, _ in pairs)
    return (
        f" {kind} is provably faster on {faster} of {counted(len(pairs), 'fat network')}, equal on {equal} and slower "
        f"on {slower}; of what was reached, {best}, at worst {worst:.2f} times."
    )


def _answer(rows: Sequence[Row]) -> str:
    compared = "".join(_against_slim(rows, kind) for kind in KINDS)
    alone = {row["processors"] for row in rows if row["inside"] == ALONE}
    without = sorted({row["processors"] for row in rows} - alone)
    missing = f" No slim network here has {listed(list(map(str, without)))} processors." if without else ""
    return f"{_saved(rows)} All-port, beside the slim Kautz network of as many processors:{compared}{missing}"


def _proof(rows: Sequence[Row]) -> str:
    return proof_of(
        (f"`{row['network']}` {row['ports']}-port {row['collective']} ({row['inside']})", row) for row in rows
    )


QUESTION = with_texts(2, _cases(), _row, _answer, _proof, _table)
