"""Sizes of messages as people write them: a list like `0>5:3,1>4:2`, or a table with a row for each sender."""

from __future__ import annotations

import csv
import os
import re

from pavane.errors import InputError
from pavane.io.files import open_file, refuse_if_large
from pavane.io.parsing import shown
from pavane.model.messages import Collective, message_ends

LISTED = re.compile(r"\s*(\d{1,9})\s*(?:>\s*(\d{1,9})\s*)?:\s*(-?\d{1,9})\s*", re.ASCII)
"""An entry of a list: the sender (and the receiver), and the number of units."""

NUMBERS = re.compile(r"-?\d+([\s,;]+-?\d+)+[\s,;]*", re.ASCII)
"""The text of a table: nothing but numbers, and more than one."""

SEPARATORS = ",;\t "
"""What may stand between the numbers of a table; the first that occurs does."""

VARIED_END = {"OAS": 1, "AOG": 0}
"""Which end distinguishes private messages where the other end is one processor: the target, or the origin."""

Sizes = list[tuple[int, ...]]


def sizes_of(text: str, collective: Collective, num_processors: int, *, may_open: bool = True) -> Sizes:
    """Return the sizes that a text says for messages of a collective: a list, or the name of a table.

    Where files may not be opened, a list is expected, or the numbers of a table.
    """
    names_file = os.path.exists(text) or not re.search(r"[:>]", text)
    if may_open and text.strip() and names_file:
        return _of_table(text, _table(text, _lines_of(text)), collective, num_processors)
    if not may_open and NUMBERS.fullmatch(text.strip()):
        return _of_table("`sizes`", _table("`sizes`", text.splitlines()), collective, num_processors)
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


def _lines_of(name: str) -> list[str]:
    file = open_file(name)
    refuse_if_large(file)
    try:
        return bytes(file.data).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{name}: it is not text; give a table of numbers (CSV), a row for each sender") from None


def _table(name: str, lines: list[str]) -> list[list[int]]:
    """Read a table of whole numbers: CSV, or with semicolons, tabs or blanks between them."""
    numbered = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    between = next((mark for mark in SEPARATORS if any(mark in line for _, line in numbered)), ",")
    table: list[list[int]] = []
    for number, line in numbered:
        cells = next(csv.reader([line], delimiter=between, skipinitialspace=True))
        if not table and not any(cell.strip().lstrip("-").isdecimal() for cell in cells):
            raise InputError(
                f"{name}, line {number}: {shown(line.strip())} has no number; leave names of rows and columns out, and "
                "give units alone, a row for each sender"
            )
        table.append([_units(cell, f"{name}, line {number}, column {at}") for at, cell in enumerate(cells, 1)])
    return table


def _units(cell: str, where: str) -> int:
    if not re.fullmatch(r"\s*-?\d{1,9}\s*", cell, re.ASCII):
        raise InputError(f"{where}: {shown(cell.strip())} is not a whole number of units; write a number like 3")
    if int(cell) < 0:
        raise InputError(f"{where}: {cell.strip()} is not a number of units; write 0 or more")
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
    if is_line and side is not None and len(flat) in (num_processors, len(ends)):
        if len(flat) == num_processors:
            known = {end[side] for end in ends}
            # To and from one processor, its own number is that of what does not travel.
            own = {end[1 - side] for end in ends} if collective.pattern == "private" else set()
            for processor, units in enumerate(flat):
                if units and processor not in known | own:
                    raise _stray(name, f"number {processor + 1}", str(processor), collective)
            return [(*end, flat[end[side]]) for end in ends]
        return [(*end, units) for end, units in zip(ends, flat, strict=True)]
    form = f"{num_processors} rows of {num_processors} numbers" if side is None else f"{num_processors} numbers"
    raise InputError(f"{name}: the table of sizes does not fit {collective.kind}; give {form}, 0 where nothing is sent")


def _stray(name: str, where: str, message: str, collective: Collective) -> InputError:
    return InputError(
        f"{name}: {where} gives units to message {message}, which {collective.kind} does not have; write 0 there"
    )
