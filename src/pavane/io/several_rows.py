"""Transfers of several collectives in a file: their labels begin with the number of the collective, from 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pavane.errors import InputError
from pavane.io.files import File
from pavane.io.objects import TransferObject


def numbered(rows: Iterable[TransferObject], number: int) -> Iterator[TransferObject]:
    """Yield transfers of a collective with its number before their labels."""
    for row in rows:
        row.carries = [[number, *label] for label in row.carries]
        yield row


def rows_of_each(file: File, count: int, steps: Iterable[list[TransferObject]]) -> list[list[list[TransferObject]]]:
    """Return the transfers of each collective in each step, without its number before their labels."""
    of_each: list[list[list[TransferObject]]] = [[] for _ in range(count)]
    for step, rows in enumerate(steps):
        for own in of_each:
            own.append([])
        for row in rows:
            its = {label[0] if label else -1 for label in row.carries}
            if len(its) != 1 or not 0 <= min(its) < count:
                raise InputError(
                    f"{file}, step {step + 1}: a transfer carries messages of one collective, each as its number, 0 "
                    f"to {count - 1}, and its label there; found {row.carries[:4]}"
                )
            row.carries = [label[1:] for label in row.carries]
            of_each[its.pop()][-1].append(row)
    return of_each
