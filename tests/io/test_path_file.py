"""Path notation read back: what reports print, what people write, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from pavane.errors import InputError
from pavane.io.notation import path_lines
from pavane.io.readers import parse_schedule
from pavane.judge.rules import verify
from pavane.model.network import Network
from pavane.networks import network
from pavane.search.synthesis import solve
from pavane.ui.description import headline
from tests.problems import problem_of


@pytest.mark.parametrize(
    ("spec", "collective", "rules"),
    [
        ("octagon", "alltoall", {}),
        ("line:3*2", "alltoall", {}),
        ("star:4", "broadcast", {"switching": "store-and-forward"}),
        ("ring:4", "allreduce", {"switching": "store-and-forward"}),
        ("ring:5", "reduce", {}),
        ("mesh:2x3", "reduce-scatter", {"routing": "any"}),
    ],
)
def test_reports_are_read_back(spec: str, collective: str, rules: dict[str, Any]) -> None:
    """What a report prints of a problem and a schedule is that problem, and a valid schedule of as many steps."""
    problem = problem_of(spec, collective, **rules)
    schedule = solve(problem).schedule
    assert schedule is not None
    rows = [f"{number:>6}  {line}" for number, line in path_lines(problem, schedule, by_number=True)]
    text = "\n".join([*headline(problem), "status      optimal (certificate)", *rows, "", "src  1  2", "0  1  2"])
    claim = parse_schedule(text.encode(), "printed.txt")
    assert claim.problem == problem
    assert claim.schedule.num_steps == schedule.num_steps
    assert verify(claim.problem, claim.schedule) == []


def test_pieces_are_named_in_brackets() -> None:
    """A piece is called by its message and its number."""
    text = "network ring:3\ncollective allgather\npieces 2\n1 01 [0.1], 12 [1.0]"
    claim = parse_schedule(text.encode(), "hand.txt")
    carried = [claim.problem.message_name(message) for message in claim.schedule.messages.tolist()]
    assert carried == ["0.1", "1.0"]


def test_a_schedule_by_hand() -> None:
    """Words describe the problem, `#` starts a comment, and steps may be left empty."""
    text = "# first try\ncollective broadcast\nroot 1\nports 1\n\n1: 10 # to the left\n3  12, 01"
    claim = parse_schedule(text.encode(), "hand.txt", network("line:3"))
    assert claim.problem.collective.kind == "OAB"
    assert (claim.problem.collective.senders, claim.problem.rules.ports) == ((1,), 1)
    assert [(each.start, each.sender, each.receiver) for each in claim.schedule] == [(0, 1, 0), (2, 0, 1), (2, 1, 2)]


def test_parallel_channels_are_shared_out() -> None:
    """Transfers of a step over one pair of routers take different channels, as far as there are any."""
    pair = Network("pair", 2, [(0, 1), (0, 1), (1, 0)])
    claim = parse_schedule(b"collective allgather\npieces 2\n1 01 [0.0], 01 [0.1]\n2 10 [1.0]\n3 10 [1.1]", "x", pair)
    assert [each.path for each in claim.schedule] == [(0,), (1,), (2,), (2,)]


def test_names_with_hyphens() -> None:
    """Names of routers may have hyphens, as paths do."""
    named = Network("named", ("a", "b-1", "c"), [(0, 1), (1, 2), (2, 1), (1, 0)])
    claim = parse_schedule(b"collective alltoall\n1 a-b-1-c", "x", named)
    assert [(each.path, each.receiver) for each in claim.schedule] == [((0, 1), 2)]


@pytest.mark.parametrize(
    ("where", "text", "error"),
    [
        ("ring:5", "1 01", "no collective is named; add a line such as `collective alltoall`"),
        ("ring:5", "collective alltoall", "no step was found; write a line for each"),
        ("ring:5", "collective alltoall\n1 09", r"line 2: there is no router '9' on ring:5"),
        ("ring:5", "collective alltoall\n1 02", r"line 2: '02': there is no channel from 0 to 2"),
        ("ring:5", "collective alltoall\n1 01\n1 12", r"line 3: step 1 comes after step 1; number them 1, 2"),
        ("ring:5", "collective alltoall\n0 01", "line 2: steps are numbered from 1"),
        (
            "ring:5",
            "collective allgather\n1 01",
            r"line 2: '01' does not say which message it carries; add it in brackets",
        ),
        ("ring:5", "collective allgather\n1 01 [7]", r"line 2: there is no message '7'; messages are called 0, 1, 2"),
        ("ring:5", "collective alltoall\n1 01 [0>1", "line 2: '01 .0>1' is not a path, as 012"),
        ("ring:5", "collective alltoall\n1 p9:01:p1", "line 2: there is no processor 9; they are 0 to 4"),
        ("ring:5", "colective alltoall\n1 01", "line 1: 'colective alltoall' is neither a step"),
        ("ring:5", "collective alltoall\nrules sideways\n1 01", "the rule 'sideways' is not known"),
        ("ring:5", "collective alltoall from 5 senders: 7 messages\n1 01", "the collective has 7 messages, and"),
        ("line:2*2", "collective alltoall\n1 01", "router 0 has 2 processors; write which one, as p0: before the path"),
        (None, "collective alltoall\n1 01", "no network is named; add a line such as `network ring:5`, or say --on"),
    ],
)
def test_refusals(where: str | None, text: str, error: str) -> None:
    """A wrong line is named, with what is expected in its place."""
    with pytest.raises(InputError, match=error):
        parse_schedule(text.encode(), "hand.txt", network(where) if where else None)
