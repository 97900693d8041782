"""Schedules in path notation: what `pavane show` prints, and what people write by hand.

A line for each step: its number, then its transfers, as in `1  012, 03, p4:4-5:p5 [0]` (notation.py). Lines before them
say the problem as a report does, or with a word and its value: `network ring:5`, `collective broadcast`,
`root 2`, `ports 1`. Of parallel channels a transfer takes the one that is used least in its step. `#` starts a comment;
what follows the steps after an empty line is not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.format import Claim
from pavane.io.parsing import lines_of
from pavane.judge.result import Provenance
from pavane.model.collectives import MPI_NAMES, named
from pavane.model.messages import PATTERN_OF
from pavane.model.network import Network
from pavane.model.problem import Problem, default_rules
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network

STEP = re.compile(r"\s*(\d{1,6})(?:\s*:\s+|\s{1,})(\S.*)", re.ASCII)
"""A step: its number and its transfers."""

TRANSFER = re.compile(r"(?:([pr]\d{1,7}):)?([^\[\]]*?)(?::([pr]\d{1,7}))?(?:\s*\[([^\[\]]*)\])?", re.ASCII)
"""A transfer: perhaps its sender, its path, perhaps its receiver and what it carries."""

ENDS = re.compile(r"(from|to) processor (\d+)", re.ASCII)
"""The root in the line of a report on the collective."""

SAID = ("bound", "reached", "schedule", "status", "time", "file", "phases")
"""Other lines of a report, which are not read: the judge works them out again."""

SETTINGS = ("switching", "switches", "ports", "duplex", "routing")
"""Rules that stand in lines of their own."""

WORDS = ("network", "collective", "root", "pieces", "rules", *SETTINGS)
"""The words that say a problem."""

COLLECTIVES = (*(kind.lower() for kind in PATTERN_OF), *MPI_NAMES)
"""The names of collectives."""

RULES = {
    "all-port": ("ports", "all"),
    "full duplex": ("duplex", "full"),
    "half duplex": ("duplex", "half"),
    "no combining": ("combining", False),
    "combining": ("combining", True),
    "multicast": ("multicast", True),
    **{name: ("switching", name) for name in ("wormhole", "store-and-forward", "tdm")},
}
"""The rules as reports print them, by the fields of a request."""


def is_in_paths(file: File) -> bool:
    """Return whether a file names a collective before its steps, as no list of links does."""
    words = [line.split() for line in file.head_lines]
    return any(line[0] == "collective" and line[1].lower() in COLLECTIVES for line in words if len(line) > 1)


def read_paths(file: File, on: Network | None = None) -> Claim:
    """Read a schedule in path notation; InputError says which line is wrong."""
    heading, steps = _parts(file)
    problem = _problem(file, heading, on)
    notation = _Notation(problem)
    transfers = [
        transfer
        for where, step, texts in steps
        for transfer in notation.transfers_of(where, step, [text.strip() for text in texts.split(",")])
    ]
    schedule = Schedule.from_transfers(transfers, max(step for _, step, _ in steps) + 1)
    return Claim(problem, schedule, (), Provenance("path notation"), is_foreign=True)


def _parts(file: File) -> tuple[dict[str, str], list[tuple[str, int, str]]]:
    """Return the words before the steps with their values, and each step with its place, its number and its text."""
    heading: dict[str, str] = {}
    steps: list[tuple[str, int, str]] = []
    for where, line in lines_of(file):
        text = line.partition("#")[0].strip()
        if not text:
            if steps:
                break
            continue
        found = STEP.fullmatch(text)
        if found:
            if steps and int(found[1]) <= steps[-1][1] + 1:
                raise InputError(f"{where}: step {found[1]} comes after step {steps[-1][1] + 1}; number them 1, 2, ...")
            if int(found[1]) < 1:
                raise InputError(f"{where}: steps are numbered from 1")
            steps.append((where, int(found[1]) - 1, found[2]))
            continue
        word, _, value = text.partition(" ")
        if steps or (word not in (*WORDS, *SAID)):
            raise InputError(
                f"{where}: {text!r:.60} is neither a step, as `1  012, 03`, nor a word of a problem with its value, as "
                "`collective alltoall` or `ports 1`"
            )
        heading[word] = value.strip()
    if not steps:
        raise InputError(f"{file}: no step was found; write a line for each, as `1  012, 03`")
    return heading, steps


def _problem(file: File, heading: dict[str, str], on: Network | None) -> Problem:
    """Return the problem that the lines before the steps describe."""
    named_network = re.split(r": [\d,]+ routers?,", heading.get("network", ""))[0]
    if on is None and not named_network:
        raise InputError(f"{file}: no network is named; add a line such as `network ring:5`, or say --on ring:5")
    if "collective" not in heading:
        raise InputError(f"{file}: no collective is named; add a line such as `collective alltoall`")
    found = network(named_network) if on is None else on
    words, settings = heading["collective"], _settings(file, heading)
    root = ENDS.search(words)
    pieces = re.match(r"(\d{1,9})(?:$| a )", heading.get("pieces", ""), re.ASCII)
    collective = named(
        "aor" if "does not contribute" in words else words.partition(":")[0].split(" ")[0],
        found,
        root=_number(file, "root", heading["root"]) if "root" in heading else None if root is None else int(root[2]),
        pieces=1 if pieces is None else int(pieces[1]),
    )
    problem = Problem(found, collective, default_rules(found, **settings))
    counted = re.search(r": ([\d,]+) messages?$", words)
    if counted and int(counted[1].replace(",", "")) != problem.num_whole_messages:
        raise InputError(
            f"{file}: the collective has {counted[1]} messages, and {collective} has {problem.num_whole_messages}; "
            "write a collective of some processors as a schedule file (JSON)"
        )
    return problem


def _settings(file: File, heading: dict[str, str]) -> dict[str, Any]:
    """Return the rules that the lines before the steps name, one by one or as a report prints them."""
    settings: dict[str, Any] = {name: value for name, value in heading.items() if name in SETTINGS}
    for text in filter(None, (text.strip() for text in heading.get("rules", "").split(","))):
        name, value = _rule(file, text)
        settings[name] = value
    if settings.get("ports", "all") != "all":
        settings["ports"] = _number(file, "ports", settings["ports"])
    return settings


def _number(file: File, word: str, text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise InputError(f"{file}: `{word} {text:.40}`: a whole number was expected, as in `{word} 1`")
    return int(text)


def _rule(file: File, text: str) -> tuple[str, object]:
    if text in RULES:
        return RULES[text]
    for pattern, name in ((r"(\d+)-port", "ports"), (r"([\w-]+) routing", "routing"), (r"switches (\w+)", "switches")):
        if found := re.fullmatch(pattern, text, re.ASCII):
            return name, found[1]
    raise InputError(f"{file}: the rule {text!r:.40} is not known; write them as reports do: wormhole, 1-port")


class _Notation:
    """The names in path notation of a problem's routers and messages."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._network = problem.network
        self._number_of = {name: router for router, name in enumerate(self._network.routers)}

    @cached_property
    def _messages(self) -> dict[str, int]:
        """The number of each message, by its name."""
        return {self._problem.message_name(message): message for message in range(self._problem.num_messages)}

    def transfers_of(self, where: str, step: int, texts: list[str]) -> Iterator[Transfer]:
        """Yield the transfers of a step."""
        used: Counter[int] = Counter()
        for text in texts:
            found = TRANSFER.fullmatch(text)
            if not found or not (found[2] or found[1]):
                raise InputError(f"{where}: {text!r:.60} is not a path, as 012 or 0-1-2, or as p0:0-1-2:p3 [0]")
            routers = self._routers(where, found[2])
            path = self._path(where, text, routers, used)
            sender, receiver = (
                self._end(where, end, router)
                for end, router in ((found[1], routers[0]), (found[3] or None, routers[-1]))
            )
            yield Transfer(step, sender, receiver, path, self._carried(where, text, (sender, receiver), found[4]))

    def _routers(self, where: str, path: str) -> list[int]:
        """Return the routers of a path: its names stand side by side if all have one character, or between hyphens."""
        parts = path.split("-")
        if len(parts) == 1 and path not in self._number_of and all(len(name) == 1 for name in self._number_of):
            parts = list(path)
        routers: list[int] = []
        while parts:  # a name may have hyphens of its own
            size = next((k for k in range(len(parts), 0, -1) if "-".join(parts[:k]) in self._number_of), 0)
            if not size:
                raise InputError(f"{where}: there is no router {parts[0]!r:.40} on {self._network.name}")
            routers.append(self._number_of["-".join(parts[:size])])
            parts = parts[size:]
        return routers

    def _path(self, where: str, text: str, routers: list[int], used: Counter[int]) -> tuple[int, ...]:
        path: list[int] = []
        for tail, head in pairwise(routers):
            parallel = [channel for channel in self._network.out_channels[tail] if self._network.heads[channel] == head]
            if not parallel:
                names = self._network.routers
                raise InputError(f"{where}: {text!r:.60}: there is no channel from {names[tail]} to {names[head]}")
            path.append(min(parallel, key=lambda channel: used[channel] / self._network.capacity[channel]))
            used[path[-1]] += 1
        return tuple(path)

    def _end(self, where: str, named: str | None, router: int) -> int:
        """Return the processor or pure switch at an end of a path."""
        here = self._network.processors_on[router]
        if named is None:
            if len(here) > 1:
                first = f"p{here[0]}"
                raise InputError(
                    f"{where}: router {self._network.routers[router]} has {len(here)} processors; write which one, "
                    f"as {first}: before the path or :{first} behind it"
                )
            return here[0] if here else ~router
        number = int(named[1:])
        if named.startswith("r"):
            return ~number
        if number >= self._network.num_processors:
            raise InputError(
                f"{where}: there is no processor {number}; they are 0 to {self._network.num_processors - 1}"
            )
        return number

    def _carried(self, where: str, text: str, ends: tuple[int, int], names: str | None) -> tuple[int, ...]:
        """Return the messages that a transfer carries: those in brackets, else the only one or that of its two ends."""
        if names is None:
            if self._problem.num_messages == 1:
                return (0,)
            if (name := f"{ends[0]}>{ends[1]}") in self._messages:
                return (self._messages[name],)
            raise InputError(f"{where}: {text!r:.60} does not say which message it carries; add it in brackets, as [0]")
        carried = []
        for name in names.split():
            plain = name.removeprefix("+")  # whether a sum is added follows from what the receiver has
            if plain not in self._messages:
                known = ", ".join(list(self._messages)[:3])
                raise InputError(f"{where}: there is no message {plain!r:.40}; messages are called {known}, ...")
            carried.append(self._messages[plain])
        return tuple(carried)
