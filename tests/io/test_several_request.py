"""Several collectives as users write them: kinds with members, groups, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.io import write_problem
from pavane.io.request import Request
from pavane.io.several_request import problem_of_several
from pavane.model.collectives import allgather, allreduce, broadcast, in_pieces, pairs
from pavane.model.problem import Problem, Rules
from pavane.networks import network


@pytest.mark.parametrize(
    ("spec", "text", "collectives"),
    [
        ("ring:8", "allgather:0-2,5", [allgather([0, 1, 2, 5])]),
        ("ring:8", "allreduce", [allreduce(range(8))]),
        ("mesh:2x3", "allgather:rows", [allgather([0, 1, 2]), allgather([3, 4, 5])]),
        ("mesh:2x3", "allgather:columns", [allgather([0, 3]), allgather([1, 4]), allgather([2, 5])]),
        ("ring:6", "allgather:blocks:3", [allgather([0, 1, 2]), allgather([3, 4, 5])]),
        ("ring:6", "allgather:every:3", [allgather([0, 3]), allgather([1, 4]), allgather([2, 5])]),
        ("ring:6", "broadcast:0-2:root=1:pieces=2", [in_pieces(broadcast([0, 1, 2], root=1), 2)]),
        ("ring:6", "pairs:0>5,1>4", [pairs([(0, 5), (1, 4)])]),
    ],
)
def test_kinds_with_members(spec: str, text: str, collectives: list[object]) -> None:
    """A list is one collective; rows, columns, blocks and every are one in each group."""
    problem = problem_of_several(Request(spec), [text], None)
    assert list(problem.collectives) == collectives


def test_groups_of_one_kind() -> None:
    """Groups are words or ranges, and members of a range that are not in a row are joined by plus signs."""
    for groups, members in (("0-2,3-5", [range(3), range(3, 6)]), ("0+2,1+3", [[0, 2], [1, 3]])):
        problem = problem_of_several(Request("ring:6", "allgather", ports="1"), [], groups)
        assert list(problem.collectives) == [allgather(each) for each in members]
        assert problem.rules == Rules(ports=1)


def test_a_file_is_the_whole_problem(tmp_path: Path) -> None:
    """A problem file of several collectives is read like any other, and takes no other options."""
    problem = Problem(network("ring:6"), (allgather([0, 1]), allgather([2, 3])))
    file = str(tmp_path / "problem.json")
    write_problem(file, problem)
    assert Request(file).problem() == problem
    with pytest.raises(InputError, match="does not go with `ports`"):
        Request(file, ports="1").problem()


@pytest.mark.parametrize(
    ("request_", "collectives", "groups", "said"),
    [
        (Request("ring:6"), ["allgather:rows"], None, "no rows and columns"),
        (Request("ring:6"), ["allgather:every:4"], None, "divisor of 6"),
        (Request("ring:6", "aas"), ["allgather:0-2"], None, "one more beside"),
        (Request("ring:6"), [], "rows", "no collective was named"),
        (Request("ring:6", "aab"), ["allgather:0-2"], "0-2", "about the one COLLECTIVE"),
        (Request("ring:6", root="1"), ["allgather:0-2"], None, "about one collective"),
        (Request("ring:6", pieces="1,2"), ["allgather:0-2"], None, "one number of pieces"),
        # An error about one of several begins with its option, as it was written; one about rules names no collective.
        *(
            (Request("ring:6"), ["allgather:0-2", text], None, f"^--collective {text}: {said}")
            for text, said in (
                ("allgather:0-9", "`members` '0-9': processor 9 is out of range"),
                ("allgather:0-2:pieces=0", "pieces 0: every message"),
                ("pairs:0", "`members` '0': '0' is not a pair"),
            )
        ),
        (Request("ring:6", "allgather"), [], "0-2,3-7", "^`groups` 0-2,3-7: `members` '3-7': processor 7 is out of"),
        (Request("ring:6", ports="x"), ["allgather:0-2"], None, "^`ports`"),
    ],
)
def test_what_is_refused(request_: Request, collectives: list[str], groups: str | None, said: str) -> None:
    """Every error says what came and what was expected."""
    with pytest.raises(InputError, match=said):
        problem_of_several(request_, collectives, groups)
