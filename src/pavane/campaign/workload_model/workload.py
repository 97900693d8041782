"""A workload: what an application does, phase by phase, on any number of processors.

A phase computes, communicates, or repeats other phases. Numbers may be formulas of `P` (processors), `rows` and
`columns` (of the shape that processors are laid out in), and of the workload's own parameters. So one file describes an
application on every network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pavane.campaign.workload_model.expressions import Expression
from pavane.campaign.workload_model.quantities import Quantity
from pavane.errors import InputError, expect, shortened
from pavane.text import counted

OF_EVERY_NETWORK = ("P", "rows", "columns")
"""Names that the network gives: its processors, and the shape they are laid out in."""

MOST_PHASES = 200
"""The most phases of a workload, those inside loops counted once."""


@dataclass(frozen=True)
class Compute:
    """A phase in which every processor computes for the same time."""

    name: str
    where: str
    seconds: Quantity | None
    operations: Quantity | None = None
    speed: Quantity | None = None
    """Operations a second; None: the speed of the workload."""
    times: Quantity | None = None


@dataclass(frozen=True)
class Sizes:
    """Units of messages of different length: a table, or factors by sender and by receiver, used in turn."""

    table: tuple[tuple[int, ...], ...] = ()
    """table[sender][receiver]; empty where factors are given."""
    by_sender: tuple[int, ...] = (1,)
    by_receiver: tuple[int, ...] = (1,)

    def units(self, sender: int, receiver: int) -> int:
        """Return the units of one message."""
        if self.table:
            return self.table[sender][receiver]
        return self.by_sender[sender % len(self.by_sender)] * self.by_receiver[receiver % len(self.by_receiver)]


@dataclass(frozen=True)
class Communicate:
    """A phase in which processors communicate: one collective in all groups at the same time, or pairs."""

    name: str
    where: str
    collective: str
    """Its name, like alltoall; pairs: what `pairs` lists."""
    size: Quantity
    """The bytes of a message; of an allreduce, of the whole vector; with sizes, of one unit."""
    groups: str | tuple[tuple[int, ...], ...] = "all"
    """all, rows, columns, a name that the workload gives, or the members of each group."""
    root: Quantity | None = None
    """The index of the root in its group."""
    pairs: str | tuple[tuple[int, int], ...] = ()
    """neighbours, neighbours-around, or the messages themselves."""
    sizes: Sizes | None = None
    times: Quantity | None = None


@dataclass(frozen=True)
class Loop:
    """Phases that are repeated."""

    name: str
    where: str
    times: Quantity
    phases: tuple[Phase, ...]


Phase = Compute | Communicate | Loop


@dataclass(frozen=True, repr=False)
class Workload:
    """What an application computes and communicates, phase by phase; `pavane.workload` reads one.

    Example:
        >>> workload = pavane.workload("fft")
        >>> workload
        <Workload: fft, 6 phases>
        >>> workload.parameters["L"].text
        '12'
    """

    name: str
    phases: tuple[Phase, ...]
    about: str = ""
    parameters: Mapping[str, Expression] = field(default_factory=dict)
    speed: Quantity | None = None
    shape: tuple[Quantity, Quantity] | None = None
    groups: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)

    @property
    def leaves(self) -> Iterator[Compute | Communicate]:
        """Yield the phases that do something, those inside loops once."""
        yield from _leaves(self.phases)

    def names(self, shape: tuple[int, int], given: Mapping[str, float] | None = None) -> dict[str, float]:
        """Return the value of every name where processors are laid out in a shape; `given` goes before the file."""
        expect(given or {}, Mapping, "parameters", "give names and numbers, like {'n': 8192}")
        changed = dict(given or {})
        for name, value in changed.items():
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise InputError(f"workload {self.name} has no parameter {shortened(name)}; it has {known}")
            expect(value, (int, float), "parameters", f"give a number for {name}")
        rows, columns = shape
        values = {"P": float(rows * columns), "rows": float(rows), "columns": float(columns)}
        for name, formula in self.parameters.items():
            values[name] = float(changed[name]) if name in changed else formula.value(values)
        return values

    def __hash__(self) -> int:
        return hash((self.name, self.phases))

    def __repr__(self) -> str:
        return f"<Workload: {self.name}, {counted(len(list(self.leaves)), 'phase')}>"


def _leaves(phases: tuple[Phase, ...]) -> Iterator[Compute | Communicate]:
    for phase in phases:
        if isinstance(phase, Loop):
            yield from _leaves(phase.phases)
        else:
            yield phase


def repeated(phases: tuple[Phase, ...], names: Mapping[str, float]) -> Iterator[tuple[Compute | Communicate, int]]:
    """Yield the phases that do something, each with how often it is carried out in all."""
    for phase in phases:
        if isinstance(phase, Loop):
            around = phase.times.count(names, 0)
            yield from ((inner, around * times) for inner, times in repeated(phase.phases, names))
        else:
            yield phase, 1 if phase.times is None else phase.times.count(names, 0)
