"""Table files: a schedule given by one router's table (`model.symmetric_schedule`), as lists of whole numbers.

A network of the catalogue is written as its text, any other as schedule files have it. Steps and messages are written
as differences to the row before, because these pack better. A column that is 0 in every row is left out.
"""

from __future__ import annotations

from math import prod
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec.structs import asdict

from pavane.errors import InputError
from pavane.io.files import File, refuse_if_large
from pavane.io.format import Claim, Format
from pavane.io.objects import BoundObject, ProblemObject, ProvenanceObject, decode
from pavane.judge.result import Provenance
from pavane.model.arrays import Ints, Longs
from pavane.model.channel_kinds import grid_sizes, grid_translations
from pavane.model.collectives import in_pieces, named
from pavane.model.mesh_table import AnyTable, MeshTable
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.model.symmetric_schedule import Clock, SymmetricSchedule
from pavane.networks import network as network_of

TABLE_FORMAT = "pavane/table/1"

MOST_NUMBER = 2**48
"""Larger numbers are refused, so that sums of a few fit into 64 bits: no schedule has as many steps."""

MOST_DIMENSIONS = 32
"""More sizes of a grid, or dimensions of a clock, are refused: 2^32 routers are too many for any network here."""

MOST_MESSAGES_OF_PROCESSOR = 10_000_000
"""A table of more messages is refused, before the judge counts them, unless it may have a row for each."""

Whole = Annotated[int, msgspec.Meta(ge=-MOST_NUMBER, le=MOST_NUMBER)]


class TranslationsObject(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The translations of a table: those of a grid of some sizes, or permutations of the processors."""

    sizes: list[Annotated[int, msgspec.Meta(ge=1, le=2**31)]] | None = None
    permutations: list[list[Whole]] | None = None
    routers: list[list[Whole]] | None = None
    """With switches the same translations as permutations of the routers."""

    @classmethod
    def of(cls, table: SymmetricSchedule) -> TranslationsObject:
        """Return the translations of a table: as the sizes of a grid where they are its translations by one."""
        sizes = grid_sizes(table.translations)
        routers = None if table.routers is None else table.routers.tolist()
        return cls(sizes, table.translations.tolist() if sizes is None else None, routers)

    def translations(self, num_processors: int) -> Ints:
        """Return the permutations of the processors; refuses what is not as long as the network has processors."""
        if (self.sizes is None) == (self.permutations is None):
            raise InputError("`translations` has either `sizes` or `permutations`")
        if self.sizes is not None:
            if len(self.sizes) > MOST_DIMENSIONS or prod(self.sizes) != num_processors:
                raise InputError(f"the sizes of `translations` do not make a grid of {num_processors:,} processors")
            return grid_translations(self.sizes)
        assert self.permutations is not None
        if not self.permutations or any(len(each) != num_processors for each in self.permutations):
            raise InputError(f"a permutation of `translations` does not have {num_processors:,} processors")
        return _column(self.permutations, "permutations")

    def of_routers(self, num_routers: int) -> Ints | None:
        """Return the permutations of the routers; None where each has one processor."""
        if self.routers is None:
            return None
        if any(len(each) != num_routers for each in self.routers):
            raise InputError(f"a permutation in `routers` of `translations` does not have {num_routers:,} routers")
        return _column(self.routers, "routers").reshape(-1, num_routers)


class ClockObject(msgspec.Struct, forbid_unknown_fields=True):
    """A clock: its moduli, and what a hop of each kind adds."""

    moduli: list[Annotated[int, msgspec.Meta(ge=1, le=2**31)]]
    increments: list[list[Whole]]

    def clock(self) -> Clock:
        """Return the clock that it describes."""
        dimensions = len(self.moduli)
        if dimensions > MOST_DIMENSIONS or any(len(each) != dimensions for each in self.increments):
            raise InputError("a clock has no increment for each of its moduli")
        increments = np.array(self.increments, dtype=np.int64).reshape(len(self.increments), dimensions)
        return Clock(tuple(self.moduli), increments)


class RowsObject(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """The rows of a table, column by column."""

    steps: list[Whole]
    """The first step of each row, as the difference to the row before."""
    messages: list[Whole]
    """The message of each row, as the difference to the row before."""
    runs: list[Whole]
    """The number of runs of each row."""
    kinds: list[Whole]
    """The kind of each run."""
    lengths: list[Whole]
    """The number of hops of each run."""
    senders: list[Whole] | None = None
    """The processor that each row starts from; without it all start from processor 0."""
    clocks: list[ClockObject] = msgspec.field(default_factory=list)
    clock: list[Whole] | None = None
    """The clock of each row; without it all have the first one."""
    phases: list[list[Whole]] | None = None
    """The phases of the rows, a list for each dimension of the clock with the most; without it all are 0."""

    receivers: list[Whole] | None = None
    """With switches the receiving processor of each row."""
    processors: list[Whole] | None = None
    """With switches the processor of each run's channel."""

    @classmethod
    def of(cls, table: SymmetricSchedule) -> RowsObject:
        """Return the columns of a table, without those that are 0 everywhere or not there."""
        return cls(
            _differences(table.steps),
            _differences(table.messages),
            np.diff(table.run_offsets).tolist(),
            table.run_kinds.tolist(),
            table.run_lengths.tolist(),
            table.senders.tolist() if table.senders.any() else None,
            [ClockObject(list(clock.moduli), clock.increments.tolist()) for clock in table.clocks],
            table.row_clocks.tolist() if table.row_clocks.any() else None,
            table.row_phases.T.tolist() if table.row_phases.any() else None,
            None if table.receivers is None else table.receivers.tolist(),
            None if table.run_processors is None else table.run_processors.tolist(),
        )

    def table(self, num_steps: int, translations: Ints, routers: Ints | None) -> SymmetricSchedule:
        """Return the table; refuses columns that are not of one length."""
        num_rows, clocks = len(self.steps), tuple(clock.clock() for clock in self.clocks)
        self._check(num_rows, max((len(clock.moduli) for clock in clocks), default=0))
        phases = None if self.phases is None else np.array(self.phases, dtype=np.int64).reshape(-1, num_rows).T
        return SymmetricSchedule(
            num_steps,
            translations,
            _summed(self.steps),
            np.zeros(num_rows, dtype=np.int32) if self.senders is None else _column(self.senders, "senders"),
            _summed(self.messages),
            np.concatenate([[0], _summed(self.runs)]),
            _column(self.kinds, "kinds"),
            _column(self.lengths, "lengths"),
            clocks,
            None if self.clock is None else _column(self.clock, "clock"),
            phases,
            routers,
            None if self.receivers is None else _column(self.receivers, "receivers"),
            None if self.processors is None else _column(self.processors, "processors"),
        )

    def _check(self, num_rows: int, dimensions: int) -> None:
        """Refuse columns that do not have an entry for each row, each run, or each dimension of the clocks."""
        columns = [self.messages, self.runs, self.senders, self.clock, self.receivers, *(self.phases or [])]
        if any(column is not None and len(column) != num_rows for column in columns):
            raise InputError(f"`rows` has {num_rows:,} steps, and another column is not as long")
        num_runs, of_runs = sum(self.runs), [self.kinds, self.lengths, self.processors]
        if min(self.runs, default=0) < 0 or any(each is not None and len(each) != num_runs for each in of_runs):
            raise InputError(f"`rows` has {num_runs:,} runs, and a column of these is not as long")
        if self.phases is not None and len(self.phases) != dimensions:
            raise InputError(f"`rows` has {len(self.phases)} lists of phases, and its clocks {dimensions} dimensions")


class ExchangesObject(msgspec.Struct, forbid_unknown_fields=True):
    """A mesh table: its sides, and for each dimension when legs start in an exchange and when exchanges start."""

    sizes: list[Annotated[int, msgspec.Meta(ge=1, le=2**31)]]
    starts: list[list[Whole]]
    """For each dimension the starts of legs by origin and target, row by row, as differences to the entry before."""
    firsts: list[list[Whole]]
    """For each dimension the first step of the exchange of each displacement, as differences to the entry before."""

    @classmethod
    def of(cls, table: MeshTable) -> ExchangesObject:
        """Return the columns of a mesh table."""
        columns = ([_differences(each.reshape(-1)) for each in part] for part in (table.starts, table.firsts))
        return cls(list(table.sizes), *columns)

    def table(self, num_steps: int, num_routers: int) -> MeshTable:
        """Return the table; refuses columns that do not fit the sides."""
        sizes = self.sizes
        if len(sizes) > MOST_DIMENSIONS or prod(sizes) != num_routers:
            raise InputError(f"the sizes of `exchanges` do not make a mesh of {num_routers:,} routers")
        lengths = [len(each) for each in (*self.starts, *self.firsts)]
        if lengths != [*(size * size for size in sizes), *(num_routers for _ in sizes)]:
            raise InputError("`starts` or `firsts` of `exchanges` do not have an entry for each pair or displacement")
        starts = tuple(_summed(each).reshape(size, size) for each, size in zip(self.starts, sizes, strict=True))
        return MeshTable(num_steps, tuple(sizes), starts, np.stack([_summed(each) for each in self.firsts]))


class TableFile(msgspec.Struct, forbid_unknown_fields=True):
    """A table file: either translations and rows, or exchanges."""

    format: Literal["pavane/table/1"]
    problem: ProblemObject
    steps: Annotated[int, msgspec.Meta(ge=1, le=MOST_NUMBER)]
    translations: TranslationsObject | None = None
    rows: RowsObject | None = None
    exchanges: ExchangesObject | None = None
    bounds: list[BoundObject] = msgspec.field(default_factory=list)
    provenance: ProvenanceObject = msgspec.field(default_factory=ProvenanceObject)

    def table(self, network: Network) -> AnyTable:
        """Return the table of the file."""
        if self.exchanges is not None and self.translations is None and self.rows is None:
            return self.exchanges.table(self.steps, network.num_routers)
        if self.exchanges is not None or self.translations is None or self.rows is None:
            raise InputError("a table has either `translations` and `rows`, or `exchanges`")
        translations = self.translations.translations(network.num_processors)
        return self.rows.table(self.steps, translations, self.translations.of_routers(network.num_routers))

    @property
    def num_rows(self) -> int:
        """Return the number of entries for messages of one processor."""
        columns = (
            [] if self.rows is None else [self.rows.steps],
            [] if self.exchanges is None else self.exchanges.firsts,
        )
        return max(map(len, [*columns[0], *columns[1]]), default=0)


# -- writing


def table_head(problem: Problem, table: AnyTable) -> bytes:
    """Return the beginning of a table file: all but its bounds and its provenance."""
    encode = msgspec.json.encode
    parts: dict[str, Any] = {
        "format": TABLE_FORMAT,
        "problem": _problem_object(problem),
        "steps": table.num_steps,
    }
    if isinstance(table, MeshTable):
        parts["exchanges"] = ExchangesObject.of(table)
    else:
        parts |= {"translations": TranslationsObject.of(table), "rows": RowsObject.of(table)}
    return b"{" + b",\n ".join(encode(key) + b": " + encode(part) for key, part in parts.items())


def _problem_object(problem: Problem) -> dict[str, Any]:
    """Return a problem as its file has it: in words where these mean the same."""
    collective, network = problem.collective, problem.network
    is_whole = collective == in_pieces(named(collective.kind, network), collective.pieces)
    try:
        is_known = network_of(network.name) == network
    except InputError:
        is_known = False
    written = {} if is_whole and is_known else problem.to_dict()
    pieces = {"pieces": collective.pieces} if collective.pieces > 1 else {}
    return {
        "network": network.name if is_known else written["network"],
        "collective": {"kind": collective.kind, **pieces} if is_whole else written["collective"],
        "rules": problem.rules.to_dict(),
    }


# -- reading


def is_table(file: File) -> bool:
    """Return whether a file names the format of table files."""
    return file.keys is not None and bool(file.keys.format == TABLE_FORMAT)


def read_problem_of_table(file: File) -> Problem:
    """Read the problem of a table file."""
    refuse_if_large(file)
    return decode(file.data, TableFile, file).problem.problem()


def read_table_file(file: File, network: Network | None = None) -> Claim:
    """Read a table file; it names its network itself."""
    if network is not None:
        raise InputError(f"{file}: it says itself which network it is for, so it does not go with `on={network.name}`")
    refuse_if_large(file)
    found = decode(file.data, TableFile, file)
    problem = found.problem.problem()
    num_messages = problem.network.num_processors * problem.collective.pieces
    if num_messages > max(MOST_MESSAGES_OF_PROCESSOR, 2 * found.num_rows):
        raise InputError(
            f"{file}: {found.num_rows:,} rows cannot carry {num_messages:,} pieces of one processor's messages"
        )
    table = found.table(problem.network)
    return Claim(problem, table, tuple(bound.bound() for bound in found.bounds), Provenance(**asdict(found.provenance)))


def _column(numbers: list[Any], name: str) -> Ints:
    """Return a column as an array; refuses numbers that do not fit."""
    try:
        return np.array(numbers, dtype=np.int32)
    except OverflowError:
        raise InputError(f"a number of `{name}` is too large") from None


def _differences(column: Longs) -> list[int]:
    """Return a column as differences to the entry before."""
    differences: list[int] = np.diff(column, prepend=0).tolist()
    return differences


def _summed(differences: list[int]) -> Longs:
    """Return the column whose differences are given."""
    column: Longs = np.cumsum(np.array(differences, dtype=np.int64))
    if np.abs(column).max(initial=0) > MOST_NUMBER:
        raise InputError("the sums of differences are too large")
    return column


TABLE = Format(TABLE_FORMAT, "table file of pavane", is_table, read_problem_of_table, read_table_file)
