"""Lines of text files that say what a router carries."""

from __future__ import annotations

import pytest

from pavane.errors import InputError
from pavane.io.readers import parse_network
from pavane.model.network import Network


def read(text: str) -> Network:
    """Read a network from the text of a file."""
    return parse_network(text.encode(), "chip.txt")


def carried(network: Network) -> dict[str, int]:
    """Return the number of processors of each router."""
    return {name: len(own) for name, own in zip(network.routers, network.processors_on, strict=True)}


def test_a_line_gives_a_router_its_processors() -> None:
    """`cpu x2` puts two processors on cpu, `switch hub` and `bus x0` none, and order does not matter."""
    chip = read("cpu x2  # two cores\nswitch hub\ncpu hub\nhub dsp x3\nhub bus\nbus x0\n")
    assert carried(chip) == {"cpu": 2, "hub": 0, "dsp": 1, "bus": 0}
    assert chip.capacity.tolist() == [1, 1, 3, 3, 1, 1]


@pytest.mark.parametrize(
    ("text", "routers"),
    [
        ("hub x1\nhub x2\nhub x3\n", ("hub", "x1", "x2", "x3")),
        ("switch a\nswitch b\n", ("switch", "a", "b")),
        ("switch a\na b\nb switch\n", ("switch", "a", "b")),
    ],
)
def test_routers_may_be_called_so(text: str, routers: tuple[str, ...]) -> None:
    """Where a router is called `x2` or `switch`, or nothing else links the other name, a line is a link."""
    found = read(text)
    assert set(found.routers) == set(routers)
    assert set(carried(found).values()) == {1}


def test_refused_lines_say_how_processors_are_written() -> None:
    """What is no link is refused with the lines that say what a router carries."""
    for line in ("router cpu processors 2", "switch a hub"):
        with pytest.raises(InputError, match=r"line 1: .*`cpu x2` puts two processors on router cpu, `switch"):
            read(f"{line}\n0 1\n1 2\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a x10000000\na b\n", "more than 4,000,000 processors"),
        ("a b\na x99999999999\n", "line 2: 'x99999999999' is not a number of processors"),
        ("a x2.5\na b\n", "line 1: 'x2.5' is not a number of processors"),
        ("a b\nb c\nb x1e3\n", "line 3: 'x1e3' is not a number of processors"),
        ("a x2\na b\na x3\n", "line 3: a second line says what router 'a' carries; keep one of the two"),
        ("c x2\na b\n", "line 1: it says what router 'c' carries, and no line links that router; add its links, or re"),
        ("a b\nswitch c\n", "line 2: it says what router 'c' carries, and no line links that router"),
    ],
)
def test_processors_of_a_router_are_never_read_as_a_link(text: str, said: str) -> None:
    """A number that is none, a second line, and a router without links are refused."""
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).startswith("chip.txt")
    assert said in str(caught.value)
