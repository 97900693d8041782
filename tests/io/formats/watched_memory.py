"""The memory of GPUs, byte by byte, with a record of who read and wrote what: for interpreters of others' programs.

Whether two accesses are in order is decided by vector clocks, not by the order in which an interpreter happens to run
them: so a race is found in whatever order the thread blocks run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CHUNK_BYTES = 16

Bytes = NDArray[np.uint8]
Clock = NDArray[np.int32]
"""For each thread block how many of its epochs are known to be over."""


class FaultError(AssertionError):
    """What a loader would refuse, or what would go wrong when the program runs."""


def check(holds: bool, otherwise: str) -> None:
    """Raise a fault unless something holds."""
    if not holds:
        raise FaultError(otherwise)


class Cell(NamedTuple):
    """A chunk of a buffer of a GPU; buffers are i, o and s."""

    gpu: int
    buffer: str
    chunk: int


class Access(NamedTuple):
    """Who accesses a cell: a thread block, in which of its epochs, and by what."""

    block: int
    epoch: int
    operation: tuple[int, ...]

    def is_before(self, other: Access, clock: Clock) -> bool:
        """Tell whether it is over before another access by somebody with that clock, or a part of it."""
        return bool(clock[self.block] >= self.epoch) or self.operation == other.operation


class WatchedMemory:
    """All buffers of all GPUs. Inputs are filled at random; nothing else may be read before it is written.

    In place the output is the input: the same cells under both names.
    """

    def __init__(self, sizes: dict[tuple[int, str], int], seed: int, in_place: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.sizes, self.in_place = sizes, in_place
        self.content: dict[Cell, Bytes] = {}
        for (gpu, buffer), size in sizes.items():
            check(0 <= size < 2**15, f"buffer {buffer} of GPU {gpu} has {size} chunks")
            if buffer == "i":
                for chunk in range(size):
                    self.content[Cell(gpu, "i", chunk)] = rng.integers(0, 256, CHUNK_BYTES, dtype=np.uint8)
        self.inputs = dict(self.content)
        self._written: dict[Cell, Access] = {}
        self._read: dict[Cell, list[Access]] = {}

    def cells(self, gpu: int, buffer: str, first: int, count: int) -> list[Cell]:
        """Return chunks that follow each other, all of them inside their buffer."""
        start = self.cell(gpu, buffer, first, count, 0)
        return [start, *(Cell(gpu, start.buffer, first + i) for i in range(1, count))]

    def cell(self, gpu: int, buffer: str, first: int, count: int, number: int) -> Cell:
        """Return one of some chunks that follow each other, all of them inside their buffer."""
        size = self.sizes.get((gpu, buffer), 0)
        if not (count > 0 <= first and first + count <= size):
            raise FaultError(f"{buffer}[{first}] + {count} of GPU {gpu} of {size}")
        return self._cell(gpu, buffer, first + number)

    def _cell(self, gpu: int, buffer: str, chunk: int) -> Cell:
        return Cell(gpu, "i" if self.in_place and buffer == "o" else buffer, chunk)

    def read(self, cell: Cell, access: Access, clock: Clock) -> Bytes:
        """Return what is in a cell."""
        if cell not in self.content:
            raise FaultError(f"{cell} is read by {access} before it is written")
        written = self._written.get(cell)
        if written is not None and not written.is_before(access, clock):
            raise FaultError(f"{cell}: {access} reads what {written} writes")
        self._read.setdefault(cell, []).append(access)
        return self.content[cell].copy()

    def write(self, cell: Cell, data: Bytes, access: Access, clock: Clock) -> None:
        """Put something into a cell."""
        if cell.buffer == "i" and not self.in_place:
            raise FaultError(f"{cell}: {access} writes into an input, and the collective is not in place")
        written = self._written.get(cell)
        if written is not None and not written.is_before(access, clock):
            raise FaultError(f"{cell}: {access} and {written} both write")
        for read in self._read.pop(cell, []):
            if not read.is_before(access, clock):
                raise FaultError(f"{cell}: {access} writes what {read} reads")
        self._written[cell] = access
        self.content[cell] = data

    def check_outputs(self, kind: str, num_gpus: int, pieces: int, root: int = 0) -> None:
        """Compare every byte of the outputs with the definition of a collective, and the inputs with what they were."""
        everyone = range(num_gpus)
        for cell, data in self.inputs.items():
            check(self.in_place or bool((self.content[cell] == data).all()), f"{cell} has changed")
        total = _total(self.inputs, num_gpus) if kind == "ALLREDUCE" else None
        for gpu in everyone:
            wanted = total or _output(kind, self.inputs, gpu, num_gpus, pieces, root)
            check(self.sizes[gpu, "o"] == len(wanted), f"the output of GPU {gpu} has {self.sizes[gpu, 'o']} chunks")
            for chunk, data in enumerate(wanted):
                got = self.content.get(self._cell(gpu, "o", chunk))
                check(got is not None and bytes(got) == bytes(data), f"output chunk {chunk} of GPU {gpu} is wrong")


def _output(kind: str, inputs: dict[Cell, Bytes], gpu: int, num_gpus: int, pieces: int, root: int) -> list[Bytes]:
    """Return what a GPU must have: MPI's allgather, alltoall, reduce-scatter by sums modulo 256, and broadcast."""
    everyone, every_piece = range(num_gpus), range(pieces)
    if kind == "AAB":
        return [inputs[Cell(origin, "i", piece)] for origin in everyone for piece in every_piece]
    if kind == "AAS":
        return [inputs[Cell(origin, "i", gpu * pieces + piece)] for origin in everyone for piece in every_piece]
    if kind == "OAB":
        return [inputs[Cell(root, "i", piece)] for piece in every_piece]
    assert kind == "AAR"
    contributions = [[inputs[Cell(origin, "i", gpu * pieces + piece)] for origin in everyone] for piece in every_piece]
    return [np.sum(parts, axis=0, dtype=np.uint8) for parts in contributions]


def _total(inputs: dict[Cell, Bytes], num_gpus: int) -> list[Bytes]:
    """Return what every GPU has after an allreduce: the sum of all inputs, chunk by chunk, modulo 256."""
    sizes = {sum(cell.gpu == gpu for cell in inputs) for gpu in range(num_gpus)}
    check(len(sizes) == 1, f"inputs have {sorted(sizes)} chunks")
    return [
        np.sum([inputs[Cell(gpu, "i", chunk)] for gpu in range(num_gpus)], axis=0, dtype=np.uint8)
        for chunk in range(sizes.pop())
    ]
