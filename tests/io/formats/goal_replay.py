"""Programs of GOAL, carried out step by step."""

from __future__ import annotations

import re

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
                acts[here, found["label"]] = (found["act"], int(found["peer"]), int(found["size"]), int(found["tag"]))
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
