"""Tables of S4NoC: read, judged, and written where all routers have one."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.io.files import File, collect_notes
from pavane.io.format import Claim
from pavane.io.formats.s4noc import S4NOC, read_schedule
from pavane.io.registry import recognize
from pavane.judge.result import Result
from pavane.judge.rules import verify
from pavane.model.problem import Problem, Rules
from pavane.model.schedule import Schedule
from pavane.model.slots import wrapped
from pavane.networks import network
from tests.io.formats.schedules import refused, solved, written
from tests.io.formats.slotted import slotted

TABLE = """\
el|
 wl|
  sl|
   nl|
    wsl|
     enl|
      wnl|
       esl|
"""
"""A table for 3 x 3, in which every packet follows the one before: 10 columns."""

COMPASS = {"n": (-1, 0), "s": (1, 0), "e": (0, 1), "w": (0, -1)}
"""The change of row and column, as the hardware joins its routers."""


def file_of(text: str, name: str = "table.shd") -> File:
    """Return a file."""
    return File.of(text.encode(), name)


def claimed(text: str) -> Claim:
    """Read a table, and leave its notes aside."""
    with collect_notes():
        return read_schedule(file_of(text))


def repeating(text: str) -> Result:
    """Read a table, and let it repeat in its shortest period."""
    claim = claimed(text)
    return Result(*wrapped(claim.problem, claim.schedule))


def followed(text: str, side: int) -> set[tuple[int, int, tuple[int, ...]]]:
    """Follow every row from every router: start, and the routers on the way; written apart from the reader."""
    found = set()
    for line in text.splitlines():
        start = len(line) - len(line.lstrip(" "))
        for router in range(side * side):
            at = [router]
            for letter in line.strip().removesuffix("|").removesuffix("l"):
                row, column = divmod(at[-1], side)
                down, right = COMPASS[letter]
                at.append((row + down) % side * side + (column + right) % side)
            found.add((start, router, tuple(at)))
    return found


def routers_on(result: Result) -> set[tuple[int, int, tuple[int, ...]]]:
    """Return start, sender and routers of every transfer of a schedule."""
    assert result.schedule is not None
    heads = result.problem.network.heads
    return {
        (each.step, each.sender, (each.sender, *(int(heads[channel]) for channel in each.path)))
        for each in result.schedule
    }


def test_a_table_is_a_schedule_without_wrap() -> None:
    """Columns up to the last l and the injection slot are the period; the judge finds every packet delivered."""
    with collect_notes() as notes:
        claim = read_schedule(file_of(TABLE))
    assert claim.problem == Problem(network("torus:3x3"), "alltoall", Rules("tdm", ports=1, wrap=False))
    assert claim.schedule.num_steps == 11
    assert verify(claim.problem, claim.schedule) == []
    assert followed(TABLE, 3) == routers_on(claim.result())
    assert notes == [
        "table.shd: 10 columns and the injection slot are 11 slots without wrap; the wrapped period is 9: the table "
        "may repeat every 9 slots"
    ]


def test_the_wrapped_period_is_the_smallest_valid_one() -> None:
    """With wrap the same packets are valid in the period that the note says, and in no smaller one."""
    result = repeating(TABLE)
    problem, schedule = result.problem, result.schedule
    assert schedule is not None
    assert problem.rules.wrap
    assert schedule.num_steps == 9
    assert verify(problem, schedule) == []
    shorter = Schedule.from_transfers([each._replace(step=each.step % 8) for each in schedule], num_steps=8)
    assert verify(problem, shorter)


@pytest.mark.parametrize(
    "rows",
    [
        [line.removesuffix("l|") for line in TABLE.splitlines()],
        [f'    "{line}" +' for line in TABLE.splitlines()],
        [line.removesuffix("|") + "  " for line in TABLE.splitlines()],
    ],
)
def test_rows_as_other_files_write_them(rows: list[str]) -> None:
    """The l and the bar may be left out, as in .shd files, and rows may stand in quotes, as in Scala."""
    text = "\n".join(rows)
    assert recognize(file_of(text)) is S4NOC
    assert claimed(text).schedule == claimed(TABLE).schedule


def test_north_is_the_row_above() -> None:
    """Router 3 of 3 x 3 is south of router 0, router 1 east of it, as the hardware numbers them."""
    result = claimed(TABLE).result()
    ends = {start: routers for start, sender, routers in routers_on(result) if sender == 0}
    assert (ends[0], ends[1], ends[2], ends[3]) == ((0, 1), (0, 2), (0, 3), (0, 6))


def test_two_by_two_has_one_channel_to_a_neighbour() -> None:
    """On 2 x 2, n and s lead over the same channel."""
    claim = claimed("ne\n  s\n   w\n")
    assert verify(claim.problem, claim.schedule) == []
    assert claim.problem.network == network("torus:2x2")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("n\n e\n", "2 rows are no table for a torus of n x n"),
        (TABLE + "\nxyz\n", "line 10: 'xyz' expected a row like `  nel|`"),
        ("n" * 5 + "\n e\n  n\n", "a row of 5 letters visits routers twice; there are 4"),
        (TABLE.replace("esl|", "ewl|"), "the row 'ew' leads back to where it starts"),
    ],
)
def test_what_is_no_table(text: str, words: str) -> None:
    """The line says what is wrong."""
    with pytest.raises(InputError, match=r".") as caught:
        claimed(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_table_for_another_network() -> None:
    """A table names its network by the number of its rows."""
    with pytest.raises(InputError, match=r"a table of 8 rows is for torus:3x3, not for torus:4x4"):
        read_schedule(file_of(TABLE), network("torus:4x4"))


def test_a_table_that_collides_is_judged() -> None:
    """Two packets on one channel in a slot are a violation, and a path that is not minimal needs any routing."""
    claim = claimed(TABLE.replace("\n wl|", "\n ssl|").replace("  sl|", " sl|"))
    assert {each.rule for each in verify(claim.problem, claim.schedule)} >= {"port-capacity"}
    assert claim.problem.rules.routing == "any"


def test_what_is_written_is_read_back() -> None:
    """The text of a schedule gives the same paths, in the same slots, by our reader and by another one."""
    result = repeating(TABLE)
    text = written("s4noc", result)
    assert text == TABLE
    assert followed(text, 3) == routers_on(result)
    assert repeating(text).schedule == result.schedule


def test_what_is_not_one_table_for_all() -> None:
    """Other rules, collectives, networks, and routers with tables of their own are refused in one line."""
    assert "and S4NoC has one for all" in refused("s4noc", slotted("torus:3x3", "aas"))
    assert "solve with `switching='tdm'` and `ports=1`" in refused("s4noc", solved("ring:4", "aas"))
    assert "solve with `switching='tdm'` and `ports=1`" in refused("s4noc", slotted("torus:3x3", router_delay=2))
    assert "and this is PAIRS" in refused("s4noc", slotted("torus:3x3", "pairs"))
    assert "this is mesh:2x3" in refused("s4noc", slotted("mesh:2x3", "aas"))
