"""Sizes of messages as people write them: a list like `0>5:3,1>4:2`, or a table with a row for each sender."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from pavane.errors import InputError
from pavane.io.files import open_file
from pavane.io.parsing import lines_of, shown
from pavane.model.messages import Collective, message_ends

LISTED = re.compile(r"\s*(\d{1,9})\s*(?:>\s*(\d{1,9})\s*)?:\s*(-?\d{1,9})\s*", re.ASCII)
"""An entry of a list: the sender (and the receiver), and the number of units."""

NUMBERS = re.compile(r"-?\d+([\s,;]+-?\d+)+[\s,;]*", re.ASCII)
"""The text of a table: nothing but numbers, and more than one."""

BETWEEN = re.compile(r"\s*[,;]\s*|\s+")
"""What may stand between the numbers of a table."""

VARIED_END = {"OAS": 1, "AOG": 0}
"""Which end distinguishes private messages where the other end is one processor: the target, or the origin."""

Sizes = list[tuple[int, ...]]


def sizes_of(text: str, collective: Collective, num_processors: int, *, may_open: bool = True) -> Sizes:
    """Return the sizes that a text says for messages of a collective: a list, or the name of a table.

    Where files may not be opened, a list is expected, or the numbers of a table.
    """
    names_file = os.path.exists(text) or not re.search(r"[:>]", text)
    if may_open and text.strip() and names_file:
        return _of_table(text, _table(lines_of(open_file(text))), collective, num_processors)
    if not may_open and NUMBERS.fullmatch(text.strip()):
        lines = ((f"`sizes`, line {number}", line) for number, line in enumerate(text.splitlines(), 1))
        return _of_table("`sizes`", _table(lines), collective, num_processors)
    return [_of_entry(part, text, collective) for part in text.split(",")]


def _of_entry(part: str, text: str, collective: Collective) -> tuple[int, ...]:
    """Return the size that an entry of a list says; to and from one processor the other end is enough."""
    is_private, varied = collective.pattern == "private", VARIED_END.get(collective.kind)
    found = LISTED.fullmatch(part)
    is_short = found is not None and found[2] is None
    if found is None or (is_private and is_short and varied is None) or (not is_private and not is_short):
        form = "'0>5:3,1>4:2'" if is_private and varied is None else "'0:3,1:2'"
        raise InputError(
            f"`sizes` {shown(text.strip())}: {shown(part.strip())} is not a size; write a list like {form}"
        )
    numbers = [int(number) for number in found.groups() if number is not None]
    if is_private and is_short and varied is not None:
        root = collective.receivers[0] if varied == 0 else collective.senders[0]
        numbers.insert(1 - varied, root)
    return tuple(numbers)


def _table(lines: Iterable[tuple[str, str]]) -> list[list[int]]:
    """Read a table of whole numbers from lines, each behind its place in error texts."""
    return [
        [_units(cell, f"{where}, column {at}") for at, cell in enumerate(BETWEEN.split(line.strip()), 1)]
        for where, line in lines
        if line.strip()
    ]


def _units(cell: str, where: str) -> int:
    if not re.fullmatch(r"\d{1,9}", cell, re.ASCII):
        raise InputError(f"{where}: {shown(cell)} is not a number of units; write a whole number, 0 or more")
    return int(cell)


def _of_table(name: str, table: list[list[int]], collective: Collective, num_processors: int) -> Sizes:
    """Return the sizes of a table: of all processors by all, or where one end is the same for all, a row or a column.

    What a processor has for itself does not travel, so the diagonal may hold anything.
    """
    ends = [tuple(row) for row in message_ends(collective).tolist()]
    if len(table) == num_processors and all(len(row) == num_processors for row in table) and num_processors > 1:
        if collective.pattern != "private":
            raise InputError(f"{name}: {collective.kind} has a size for each processor; give one row, or one column")
        known = set(ends)
        for origin, row in enumerate(table):
            for target, units in enumerate(row):
                if units and origin != target and (origin, target) not in known:
                    where = f"row {origin + 1}, column {target + 1}"
                    raise _stray(name, where, f"{origin}>{target}", collective)
        return [(origin, target, table[origin][target]) for origin, target in ends]
    flat = [units for row in table for units in row]
    is_line = len(table) == 1 or all(len(row) == 1 for row in table)
    side = VARIED_END.get(collective.kind, 0 if collective.pattern != "private" else None)
    if is_line and side is not None and len(flat) == num_processors:
        known = {end[side] for end in ends}
        # To and from one processor, its own number is that of what does not travel.
        own = {end[1 - side] for end in ends} if collective.pattern == "private" else set()
        for processor, units in enumerate(flat):
            if units and processor not in known | own:
                raise _stray(name, f"number {processor + 1}", str(processor), collective)
        return [(*end, flat[end[side]]) for end in ends]
    form = f"{num_processors} rows of {num_processors} numbers" if side is None else f"{num_processors} numbers"
    raise InputError(f"{name}: the table of sizes does not fit {collective.kind}; give {form}, 0 where nothing is sent")


def _stray(name: str, where: str, message: str, collective: Collective) -> InputError:
    return InputError(
        f"{name}: {where} gives units to message {message}, which {collective.kind} does not have; write 0 there"
    )
