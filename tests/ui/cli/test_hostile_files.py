"""Files with values that no network, problem or schedule has: one line that says what, where and how to mend it.

Values that are hidden in a file, as huge numbers and deep nesting, and files of hardware; the readers' own tests have
all other refusals.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.io.formats.samples import IBNETDISCOVER, NCCL, NVIDIA_SMI
from tests.ui.cli.calls import Call

HUGE = 10**30
DEEP = "[" * 5000 + "]" * 5000
PAIR = '{"name": "pair", "routers": ["0", "1"], "channels": [[0, 1], [1, 0]], "processors": [0, 1]}'
KIND = '"collective": {"kind": "AAS", "senders": [0, 1], "receivers": [0, 1]}'
PROBLEM = f'{{"network": {PAIR}, {KIND}, "rules": {{}}}}'
SCHEDULE = (
    f'{{"format": "pavane/schedule/1", "problem": {PROBLEM}, '
    '"steps": [[{"from": 0, "to": 1, "route": [0], "carries": [[0, 1]]}]]}'
)
TABLE = (
    '{"format": "pavane/table/1", "steps": 2, "translations": {"sizes": [2, 2]}, '
    '"problem": {"network": "hypercube:2", "collective": {"kind": "AAS"}, "rules": {}}, '
    '"rows": {"steps": [1, 0, -1], "messages": [1, 1, 1], "runs": [1, 1, 2], "kinds": [1, 0, 0, 1], '
    '"lengths": [1, 1, 1, 1]}}'
)
GRAPHML = '<graphml><graph edgedefault="undirected"></graph></graphml>'


def but(text: str, old: str, new: object) -> str:
    """Return a text with one change."""
    assert old in text
    return text.replace(old, str(new), 1)


HOSTILE: dict[str, list[tuple[str | bytes, str]]] = {
    "bounds input.dat aab": [
        (
            but(PAIR, '"name"', '"format": "pavane/network/1", "capacities": [1, NaN], "name"'),
            "JSON is malformed",
        ),
        (but(PAIR, '"name"', f'"format": "pavane/network/1", "x": {DEEP}, "name"'), "the JSON is nested too deeply"),
        (but(GRAPHML, "undirected", "both"), "`edgedefault` is 'both'; write undirected or directed"),
        (b"0 1\x00\n", "line 1: this is not text, so not a network file that can be read"),
        (": b\n", "line 1: ':' is not the name of a router, in ': b'; write `0 1`"),
        ("a b {'capacity': nan}", "an edge has `capacity` 'nan'; give numbers above 0"),
        (but(IBNETDISCOVER, "Switch\t36", "Switch\t-1"), "a port stands before the first Switch or Ca; the file may"),
        (but(NVIDIA_SMI, "NV2", "NV-1"), "line 2: GPU0 has 'NV-1', where 4 like NV4 or SYS were expected"),
        (but(NVIDIA_SMI, " X ", "NV1"), "GPU0 has NV1 for itself, where X was expected; a column is missing"),
        (but(NVIDIA_SMI, "GPU1\tNV2", "GPU0\tNV2"), "line 3: GPU0 has a second row; keep one of the two"),
        (but(NCCL, 'count="2"', 'count="-2"'), "the count of an nvlink of GPU0 is -2; it must lie between 1 and"),
        (but(NCCL, 'count="2"', 'count="nan"'), "the count of an nvlink of GPU0 is 'nan', where a whole number"),
        (but(NCCL, 'busid="0000:1b', 'busid="0000:1a'), "two <pci> have the busid '0000:1a:00.0'; give each its own"),
    ],
    "bounds input.dat": [
        (
            but(PROBLEM, '"senders": [0', f'"senders": [{HUGE}'),
            f"sender {HUGE} is out of range; pair has",
        ),
        (
            but(PROBLEM, '"rules": {', f'"rules": {{"ports": {HUGE}'),
            "expected `int` <= 2147483647",
        ),
        (but(PROBLEM, '"rules": {', '"rules": {"combining": 1'), "expected `bool`, got `int` - at `$.rules.combining`"),
    ],
    "verify input.dat": [
        (but(SCHEDULE, '"from": 0', f'"from": {HUGE}'), "step 1: a number is too large to be a processor or a channel"),
        (but(SCHEDULE, '"from": 0', f'"from": {DEEP}'), "the JSON is nested too deeply"),
        (but(TABLE, '"kinds": [1', f'"kinds": [{2**40}'), "too large"),
        (but(TABLE, "hypercube:2", "hypercube:99"), "hypercube:99"),
    ],
}
"""What is wrong and what is said of it, by the command that reads it."""


@pytest.mark.parametrize(
    ("command", "content", "said"),
    [(command, content, said) for command, some in HOSTILE.items() for content, said in some],
    ids=lambda value: re.sub(r"\W+", "-", value[:40]) if isinstance(value, str) else "bytes",
)
def test_hostile_values_are_refused(command: str, content: str | bytes, said: str, call: Call, tmp_path: Path) -> None:
    """One line, exit code 2 and no traceback; what was there stays as it was."""
    path = tmp_path / "input.dat"
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(raw)
    answer = call(*command.split())
    told = answer._replace(err="".join(line for line in answer.err.splitlines(True) if ": note: " not in line))
    assert told.is_refusal("input.dat", said)
    assert path.read_bytes() == raw
    assert list(tmp_path.iterdir()) == [path]
