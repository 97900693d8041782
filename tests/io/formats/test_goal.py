"""Programs of GOAL, carried out step by step."""

from __future__ import annotations

import re

import pytest

from pavane.io.programs import transfer_bytes
from pavane.judge.result import Result
from tests.io.formats.pieced import cut, pieced
from tests.io.formats.schedules import around_a_switch, exchange, refused, solved, written

LINE = re.compile(
    r"(?P<label>l\d+): (?P<act>send|recv) (?P<size>\d+)b (?:to|from) (?P<peer>\d+) tag (?P<tag>\d+)"
    r"|(?P<calc>l\d+): calc (?P<time>\d+)"
    r"|(?P<later>l\d+) requires (?P<sooner>l\d+)"
)


def replay(text: str) -> list[tuple[int, int, int, int]]:
    """Carry out a GOAL program; return sender, receiver, size and the time at which each send goes off.

    Everything takes no time but a message, which takes one unit.
    """
    head, *blocks = re.split(r"^rank (\d+) \{\n", text, flags=re.MULTILINE)
    ids = [int(number) for number in blocks[::2]]
    assert head.split() == ["num_ranks", str(len(ids))]
    assert ids == list(range(len(ids)))
    needs: dict[tuple[int, str], set[str]] = {}
    acts: dict[tuple[int, str], tuple[str, int, int, int]] = {}
    for here, block in zip(ids, blocks[1::2], strict=True):
        assert block.endswith(("}\n\n", "}\n"))
        for line in block.strip().splitlines()[:-1]:
            found = LINE.fullmatch(line)
            assert found, line
            if found["later"]:
                assert (here, found["sooner"]) in needs
                needs[here, found["later"]].add(found["sooner"])
            elif found["calc"]:
                needs[here, found["calc"]] = set()
                acts[here, found["calc"]] = ("calc", here, 0, 0)
            else:
                needs[here, found["label"]] = set()
                acts[here, found["label"]] = (
                    found["act"],
                    int(found["peer"]),
                    int(found["size"]),
                    int(found["tag"]),
                )
    over: dict[tuple[int, str], int] = {}
    flying: dict[tuple[int, int, int, int], int] = {}
    sent = []
    progress = True
    while progress:
        progress = False
        for key, (act, peer, size, tag) in acts.items():
            here = key[0]
            if key in over or not all((here, sooner) in over for sooner in needs[key]):
                continue
            start = max((over[here, sooner] for sooner in needs[key]), default=0)
            if act == "send":
                flying[here, peer, size, tag] = start + 1
                sent.append((here, peer, size, start))
                start += 1
            elif act == "recv":
                if (peer, here, size, tag) not in flying:
                    continue
                start = max(start, flying.pop((peer, here, size, tag)))
            over[key] = start
            progress = True
    assert len(over) == len(acts)
    assert not flying
    return sent


@pytest.mark.parametrize(
    "result",
    [solved("kautz:2,2", "aas"), solved("ring:4", "aar"), solved("ring:4", "pairs"), exchange(), *pieced().values()],
    ids=lambda result: str(result.problem),
)
def test_goal_sends_in_the_order_of_the_steps(result: Result) -> None:
    """Every transfer is a send that a receive meets; none is late, and where all are busy none is early."""
    sent = replay(written("goal", result, 100))
    assert result.schedule is not None
    sent_bytes = transfer_bytes(result.problem, result.schedule, 100).tolist()
    wanted = [(t.sender, t.receiver, n, t.step) for t, n in zip(result.schedule, sent_bytes, strict=True)]
    assert sorted(row[:3] for row in sent) == sorted(row[:3] for row in wanted)
    # No processor gets ahead of its own earlier steps.
    for here in range(result.problem.network.num_processors):
        mine = [row[3] for row in sorted(wanted, key=lambda row: row[3]) if row[0] == here]
        times = sorted(row[3] for row in sent if row[0] == here)
        assert all(time <= step for time, step in zip(times, mine, strict=True))
    if result is exchange():
        assert sorted(sent) == sorted(wanted)


def test_pieces_of_a_message_add_up_to_it() -> None:
    """A processor that gets all pieces of a message gets its bytes, whatever they are divided by."""
    sent = replay(written("goal", cut("ring:4", "aab", 3), 100))
    assert {size for _, _, size, _ in sent} == {33, 34}
    assert all(sum(size for _, sink, size, _ in sent if sink == here) == 300 for here in range(4))


def test_goal_refuses_messages_at_switches() -> None:
    """GOAL has processors only."""
    assert "rest at the pure switch r3" in refused("goal", around_a_switch("store-and-forward"))
