"""Files of every format, mutated: each is read or refused in one line, in moderate time and memory; nothing else.

File number n of a seed is the same everywhere. Samples are those of the tests and of the documentation, and what the
program writes itself.
"""

from __future__ import annotations

import random
import re
import signal
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from tests.io.formats.samples import SAMPLES

import pavane
from pavane.errors import PavaneError
from pavane.io import parse_network_or_problem, parse_schedule, schedule_bytes
from pavane.io.files import File
from pavane.io.registry import recognize

EXAMPLES = Path(__file__).resolve().parent.parent / "docs" / "examples"
MOST_SECONDS = 5.0
"""For a file of a few kilobytes."""

MOST_CHARACTERS = 600
"""Of a refusal, which errors keep to one line."""

WORDS = (
    *(b"999999999999", b"-1", b"0", b"1e999", b"NaN", b"Infinity", b"null", b"[]", b"{}", b'""', b"true", b"\x00"),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"<!ENTITY a 'b'>", b"&a;", b"..", b"[" * 300, b"{" * 300, b"<a>" * 300),
    *(b"1000000000", b"4294967296", b"9223372036854775808", b"\n", b"\r", b"\t", b",", b":", b"\\ud800", b"-0"),
    *(b"0x10", "\u00e9".encode(), b"%s", b"3.5", b"processors", b"x12", b"->", b"capacity", b"\x1b[8m", b"../../etc"),
)
"""What is put where it does not belong."""


class Sample(NamedTuple):
    """A file to begin with."""

    name: str
    data: bytes
    kind: str = "network"
    """What it is read as: a network or problem, or a schedule."""
    form: str | None = None


GRAPHS = {
    "adjacency-list": "# x\n0 1 2\n1 2\n",
    "dot": 'graph "net" { hub [processors=0]; hub -- a [capacity=2]; hub -- b; }',
    "gexf": """<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph defaultedgetype="undirected">
<nodes><node id="0"/><node id="1"/></nodes><edges><edge id="0" source="0" target="1"/></edges></graph></gexf>""",
    "gml": 'graph [ node [ id 3 label "hub" ] node [ id 5 label "a" ] edge [ source 3 target 5 capacity 2 ] ]',
    "graph6": ">>graph6<<Cr\n",
    "pajek": "*Vertices 3\n1 a\n2 b\n3 c\n*Edges\n1 2\n2 3\n3 1\n",
}
"""Small graphs in the formats of NetworkX."""


@cache
def samples() -> tuple[Sample, ...]:
    """Return files of every format."""
    found = [Sample(sample.name, sample.text.encode(), form=sample.form) for sample in SAMPLES]
    found += [Sample(f"ring.{form}", text.encode(), form=form) for form, text in GRAPHS.items()]
    found.append(Sample("speeds.edgelist", b"0 1 {'bandwidth': 3.5}\n", form="directed-edge-list"))
    found += [Sample(path.name, path.read_bytes()) for path in sorted(EXAMPLES.iterdir()) if path.is_file()]
    for spec, kind, rules in (
        ("ring:4", "alltoall", {}),
        ("star:4", "allreduce", {"switching": "store-and-forward"}),
        ("mesh:2x2*2", "allgather", {"ports": 1}),
    ):
        problem = pavane.Problem(pavane.network(spec), kind, pavane.Rules(**rules))
        found.append(Sample(f"{kind}.json", schedule_bytes(pavane.solve(problem)), "schedule"))
    return tuple(found)


def mutated_file(seed: int, number: int) -> tuple[Sample, bytes]:
    """Return file number n of a seed: what it was, and what became of it."""
    rng = random.Random(f"{seed}/{number}/file")
    sample = rng.choice(samples())
    data = sample.data
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        data = _mutated(rng, data)
    return sample, data


def _mutated(rng: random.Random, data: bytes) -> bytes:
    """Change a file in one of many ways."""
    i = rng.randrange(len(data) + 1)
    j = min(len(data), i + rng.randrange(1, 30))
    way = rng.randrange(9)
    if way == 0 and data:
        return data[: max(0, i - 1)] + bytes([rng.randrange(256)]) + data[i:]
    if way == 1:
        return data[:i] + data[j:]
    if way == 2:
        return data[:i] + rng.choice(WORDS) + data[i:]
    if way == 3:
        return data[:j] + data[i:j] * rng.choice((1, 2, 50)) + data[j:]
    if way == 4:
        return data[:i] + rng.choice(WORDS) + data[j:]
    if way == 5:
        return data[:i]
    if way in (6, 7):
        found = list(re.finditer(rb"\d+" if way == 6 else rb'"[^"]*"', data))
        if not found:
            return data
        old = rng.choice(found)
        new = rng.choice(WORDS) if way == 6 else rng.choice(found).group()
        return data[: old.start()] + new + data[old.end() :]
    lines = data.split(b"\n")
    if rng.random() < 0.3:
        rng.shuffle(lines)
    else:
        lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"\n".join(lines)


def failure_of(sample: Sample, data: bytes, *, is_forced: bool = False) -> str | None:
    """Read a file; return what went wrong, None where it was read or refused as it should be."""
    begun = time.process_time()
    try:
        with warnings.catch_warnings(), _no_longer_than(4 * MOST_SECONDS):
            warnings.simplefilter("ignore")
            if sample.kind == "schedule":
                parse_schedule(data, sample.name).result()
            else:
                parse_network_or_problem(data, sample.name, sample.form if is_forced else None)
    except PavaneError as error:
        text = str(error)
        if not 10 <= len(text) <= MOST_CHARACTERS:
            return f"refusal of {len(text)} characters: {text[:80]!r}"
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return f"crash: {type(error).__name__} in {Path(frame.filename).name}: {error}"
    took = time.process_time() - begun
    return f"overrun: {took:.1f} s for {len(data)} bytes" if took > MOST_SECONDS else None


def form_of(sample: Sample, data: bytes) -> str | None:
    """Return the format that a file is taken for; None where it is not recognized."""
    with suppress(PavaneError):
        found = recognize(File.of(data, sample.name))
        return None if found is None else found.name
    return None


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Interrupt what takes too long, where the system can."""

    def late(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"more than {seconds:g} s")

    try:
        before = signal.signal(signal.SIGALRM, late)
    except (ValueError, AttributeError):  # not the main thread, or no such signal
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def shortest_failing(sample: Sample, data: bytes, *, is_forced: bool = False) -> bytes:
    """Return a shorter file with which the same thing goes wrong, as short as leaving parts out makes it."""
    kind = _kind(failure_of(sample, data, is_forced=is_forced))
    length = len(data) // 2
    while length:
        at = 0
        while at < len(data):
            less = data[:at] + data[at + length :]
            if _kind(failure_of(sample, less, is_forced=is_forced)) == kind:
                data = less
            else:
                at += length
        length //= 2
    return data


def _kind(failure: str | None) -> str | None:
    return None if failure is None else ":".join(failure.split(":")[:2])
