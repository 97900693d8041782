"""Networks as plain text: edge lists."""

from __future__ import annotations

import contextlib
import itertools
import re
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io import Note, read_network
from pavane.io.files import collect_notes
from pavane.io.readers import parse_network
from pavane.io.text_files import LEAST_BYTES, MOST_LINE_BYTES, links_in
from pavane.model.network import Network


def read(tmp_path: Path, text: str | bytes) -> Network:
    """Write a file and read it."""
    path = tmp_path / "net.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_network(path)


def channels(network: Network) -> list[tuple[str, str]]:
    """List the channels of a network between the names of routers."""
    return [(network.routers[tail], network.routers[head]) for tail, head in network.channels.tolist()]


def capacities(network: Network) -> list[tuple[str, str, int]]:
    """List the channels of a network between the names of routers, with their capacities."""
    return [(*ends, carried) for ends, carried in zip(channels(network), network.capacity.tolist(), strict=True)]


# -- edge lists


def test_every_router_carries_one_processor(tmp_path: Path) -> None:
    """The network is named after the file."""
    found = read(tmp_path, "0 1\n1 2\n")
    assert (found.name, found.is_slim) == ("net", True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Of an edge list a line is a link, a channel each way, or behind an arrow one channel.
        ("0 1\n1 2\n", [("0", "1", 1), ("1", "0", 1), ("1", "2", 1), ("2", "1", 1)]),
        *((line, [("0", "1", 1)]) for line in ("0 > 1", "0>1", "0 >1", "\t0  >\t1  ")),
        *((line, [("a", "b", 1)]) for line in ("a -> b", "a->b")),
        # A number behind it is the capacity, unless routers are called so.
        ("0 1 x12\n", [("0", "1", 12), ("1", "0", 12)]),
        ("0 > 1 x3\n1 0\n1 2 x1\n", [("0", "1", 3), ("1", "0", 1), ("0", "1", 1), ("1", "2", 1), ("2", "1", 1)]),
        ("0>1 x3 # fast\n1 > 0 x1000000\n", [("0", "1", 3), ("1", "0", 1_000_000)]),
        ("x1 x2 x3\n", [("x1", "x2", 3), ("x2", "x1", 3)]),
    ],
)
def test_lines_are_channels_with_capacities(text: str, expected: list[tuple[str, str, int]], tmp_path: Path) -> None:
    """Channels stand in the order of the lines; each mention of a link is one more link."""
    assert capacities(read(tmp_path, text)) == expected


@pytest.mark.parametrize(
    ("text", "routers"),
    [("10 2\n2 1\n", ("1", "2", "10")), ("10 b\nb 1\n", ("10", "b", "1")), (f"{'9' * 5000} 1\n", ("9" * 5000, "1"))],
    ids=["numbers", "names", "digits that are no number"],
)
def test_whole_numbers_are_ordered_as_numbers_and_other_names_as_they_appear(
    text: str, routers: tuple[str, ...], tmp_path: Path
) -> None:
    """One name that is no number, and the file decides; five thousand digits are a name."""
    assert read(tmp_path, text).routers == routers


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_comments_blank_lines_and_line_ends_say_nothing(ending: str, mark: str, tmp_path: Path) -> None:
    """`#` starts a comment, empty lines are skipped, and neither CRLF nor a byte order mark is part of a name."""
    text = ending.join(["# a network: of two", "", "0 1  # the link", "   ", "#", "1 > 2"])
    found = read(tmp_path, mark + text)
    assert channels(found) == [("0", "1"), ("1", "0"), ("1", "2")]


@pytest.mark.parametrize(
    ("text", "capacities", "said"),
    [
        ("0 1 {}\n0 2 {}\n", [1, 1], None),
        ("0 1 {'colour': '#ff0000'}\n0 2 {}  # comment\n", [1, 1], None),
        ("0 1 {'capacity': 3}\n0 2 {'capacity': 1}\n", [3, 1], None),
        ("0 1 {'bandwidth': np.float64(3.5)}\n0 2 {'bandwidth': 7.0}\n", [1, 2], "`bandwidth` 3.5 and 7 became"),
        ("0 1 {'weight': 3.5, 'bw': '10G'}\n0 2 {}\n", [1, 1], "attributes that are not read: `weight`, `bw` of edges"),
        ("0 1 {'capacity': 3}\n0 2 {}\n", [3, 1], "1 edge without `capacity` carries 1 a step"),
        ("0 1 {'bandwidth': '100G'}\n0 2 {'bandwidth': '25G'}\n", [4, 1], "`bandwidth` 2.5e+10 and 1e+11 became"),
    ],
)
def test_edge_lists_of_networkx_are_read(text: str, capacities: list[int], said: str | None, tmp_path: Path) -> None:
    """With attributes behind each link, of which a note tells what they became."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = read(tmp_path, text)
    assert channels(found) == [("0", "1"), ("1", "0"), ("0", "2"), ("2", "0")]
    assert found.capacity.tolist() == [capacity for capacity in capacities for _ in range(2)]
    told = [str(warning.message) for warning in caught]
    assert told == [] if said is None else len(told) == 1 and said in told[0], told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 1 x0.5\n1 > 2\n", [("0", "1", 1), ("1", "0", 1), ("1", "2", 2)]),
        ("0 > 1 x1/2\n1 > 0 x2/3\n", [("0", "1", 3), ("1", "0", 4)]),
    ],
)
def test_fractions_are_multiplied_by_their_common_denominator(
    text: str, expected: list[tuple[str, str, int]], tmp_path: Path
) -> None:
    """What says no capacity carries as many as 1 has become; one note says the unit."""
    with collect_notes() as notes:
        assert capacities(read(tmp_path, text)) == expected
    (note,) = notes
    assert ": capacity 1 is 1/" in note


@pytest.mark.parametrize("text", ["0 1\n1 0\n", "0 1 {}\n1 0 {}\n", "0 1 x2\n1 0 x5\n"])
def test_a_directed_edge_list_gives_channels(text: str, tmp_path: Path) -> None:
    """Who names that format has each line read as one channel."""
    path = tmp_path / "net.txt"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Note)
        assert channels(read_network(path, "directed-edge-list")) == [("0", "1"), ("1", "0")]
        assert read_network(path, "edge-list").num_channels == 4


def test_a_list_of_both_ways_is_noted(tmp_path: Path) -> None:
    """Each line is a link, so a list of channels makes everything double; the note says how to tell."""
    with pytest.warns(
        Note, match="each is two parallel links; `form=directed-edge-list` reads each line as one channel"
    ):
        assert read(tmp_path, "0 1\n1 2\n1 0\n2 1\n").num_channels == 8
    assert read(tmp_path, "0 1\n1 2\n1 0\n2 3\n").num_channels == 8


# -- any


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.sampled_from(["link", "channel"]), st.integers(0, 30)).filter(
            lambda line: line[0] != line[2]
        ),
        min_size=1,
        max_size=40,
    )
)
def test_every_edge_list_is_read_line_by_line(tmp_path: Path, lines: list[tuple[int, str, int]]) -> None:
    """Channels are numbered in the order of the lines, the way there before the way back."""
    expected = []
    for a, kind, b in lines:
        expected += [(str(a), str(b))] + [(str(b), str(a))] * (kind == "link")
    text = "\n".join(f"{a} > {b}" if kind == "channel" else f"{a} {b}" for a, kind, b in lines)
    assert channels(read(tmp_path, text)) == expected


def test_lines_may_straddle_blocks(tmp_path: Path) -> None:
    """A file longer than one block of reading loses and doubles nothing."""
    names = [f"router-{'x' * (i % 97)}-{i}" for i in range(4000)]
    text = "".join(f"{a} > {b}\n" for a, b in itertools.pairwise(names))
    assert len(text) > 4 * MOST_LINE_BYTES
    assert channels(read(tmp_path, text)) == list(itertools.pairwise(names))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 1\n0 1 2\n", "line 2: expected a link such as `0 1` or `0 > 1`, found '0 1 2'"),
        ("0 > > 1\n", "line 1: expected a link such as `0 1` or `0 > 1`"),
        ("0 1 {}\n0 1 {\n", "line 2: expected attributes in braces, like `0 1 {'capacity': 3}`, found '0 1 {'"),
        ("0 1\n0,1\n", "found '0,1'; put a space, not a comma, between two names"),
        ("0 1\n0, 1\n", "line 2: '0,' is not the name of a router, in '0, 1'; write `0 1`"),
        ("0 1\na: b\n", "line 2: 'a:' is not the name of a router"),
        ("# nothing\n\n", "no channels in it; an edge list has a line `0 1` for each link"),
        ("0 1\n1 1\n", "line 2: '1 1' links a router with itself; leave that link out"),
        (
            "word " * 30,
            "line 1: expected a link such as `0 1` or `0 > 1`, found 'word word word word word word word word...'",
        ),
        (
            "0 1\n" + "9" * MOST_LINE_BYTES,
            f"line 2: the line is longer than {MOST_LINE_BYTES} bytes; this is not a network",
        ),
        (b"0 1\n\xff\xfe 2\n", "line 2: this is not text, so not a network file that can be read"),
        (
            "0 1\n0 2 x0\n",
            "line 2: 'x0' is not a capacity, a number above 0 up to 1,000,000, in '0 2 x0'; leave out what",
        ),
        ("0 1 x1/0\n", "line 1: 'x1/0' is not a capacity, a number above 0 up to 1,000,000, in '0 1 x1/0'; write"),
        ("0 1 x0.0001\n", "the capacities are multiples of no fraction down to 1/1000"),
        ("0 1 x\n", "line 1: expected a link such as `0 1` or `0 > 1`, found '0 1 x'"),
        ("0 \x1b[31m\n", "is empty or not printable; rename that router"),
        ("0 1\n// c\n", "line 2: '//' is not the name of a router; a comment begins with #"),
        ("% c\n0 1\n", "line 1: '%' is not the name of a router; a comment begins with #"),
        ("0 1 {capacity: 3}\n", "line 1: the attribute capacity stands without quotes in '{capacity: 3}'; write {'cap"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_no_list_is_refused(text: str | bytes, message: str, tmp_path: Path) -> None:
    """The text names file and line and shows what should stand there."""
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "net.txt"))
    assert "\n" not in str(caught.value)


def test_too_many_channels_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may be small enough and a network still too large."""
    monkeypatch.setattr("pavane.io.network_builder.MOST_CHANNELS", 10)
    with pytest.raises(InputError, match="line 6: more than 10 channels; that is too large a network"):
        read(tmp_path, "0 1\n" * 100)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet="01:>#abxx. \n\r\t²٣", min_size=1, max_size=40))
def test_any_text_gives_a_network_or_an_error_for_the_user(tmp_path: Path, text: str) -> None:
    """Whatever looks like a list, nothing but InputError comes of it."""
    with contextlib.suppress(InputError), collect_notes():
        assert isinstance(read(tmp_path, text), Network)


def large(lines: list[str]) -> bytes:
    """Return a ring of many routers, and some lines more."""
    ring = [f"{number} {number + 1}" for number in range(100, 20_100)]
    return "\n".join([*ring, "20100 100", *lines, ""]).encode()


def slowly(data: bytes, form: str) -> Network:
    """Read a file line by line: at its end stands a comment, which says nothing."""
    assert links_in(data + b"# no more\n") is None
    return parse_network(data + b"# no more\n", "large.txt", form)


@pytest.mark.parametrize("form", ["edge-list", "directed-edge-list"])
def test_it_is_the_same_network(form: str) -> None:
    """Names, their order and the channels are the same, with parallel links, odd spaces and comments at the head."""
    data = b"# nodes\n#\n" + large(["7 100", "100 7", "  5\t7  ", "", "0 5\r"])
    assert links_in(data) is not None
    assert parse_network(data, "large.txt", form) == slowly(data, form)


@pytest.mark.parametrize("line", ["1 2 3", "1", "01 2", "1 > 2", "a 1", "1 2 x3", "1" * 19 + " 2", "1 2 # why", "-1 2"])
def test_small_files_and_other_lines_are_read_one_by_one(line: str) -> None:
    """Whatever is more than two numbers in a line, without a link, or small, is left to the reader of lines."""
    assert links_in(large([])) is not None
    assert links_in(large([line])) is None
    assert links_in(b"0 1\n1 2\n") is None
    assert links_in(b" \n" * LEAST_BYTES) is None
    assert links_in(b"#" * LEAST_BYTES) is None


def test_errors_are_those_of_the_reader_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """A link from a router to itself, and more channels than a network may have."""
    with pytest.raises(InputError, match="7"):
        parse_network(large(["7 7"]), "large.txt")
    for module in ("network_builder", "text_files"):
        monkeypatch.setattr(f"pavane.io.{module}.MOST_CHANNELS", 60_000)
    many = b"1 2\n" * 30_001
    assert len(many) > LEAST_BYTES
    with pytest.raises(InputError, match="line 30001: more than 60,000 channels"):
        parse_network(many, "large.txt", "edge-list")


# -- what routers carry


def parsed(text: str) -> Network:
    """Read a network from the text of a file."""
    return parse_network(text.encode(), "chip.txt")


def carried(network: Network) -> dict[str, int]:
    """Return the number of processors of each router."""
    return {name: len(own) for name, own in zip(network.routers, network.processors_on, strict=True)}


def test_a_line_gives_a_router_its_processors() -> None:
    """`cpu x2` puts two processors on cpu, `switch hub` and `bus x0` none, and order does not matter."""
    chip = parsed("cpu x2  # two cores\nswitch hub\ncpu hub\nhub dsp x3\nhub bus\nbus x0\n")
    assert carried(chip) == {"cpu": 2, "hub": 0, "dsp": 1, "bus": 0}
    assert chip.capacity.tolist() == [1, 1, 3, 3, 1, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a x10000000\na b\n", "more than 4,000,000 processors"),
        ("a b\na x99999999999\n", "line 2: 'x99999999999' is not a number of processors"),
        ("a x2.5\na b\n", "line 1: 'x2.5' is not a number of processors"),
        ("a b\nb c\nb x1e3\n", "line 3: 'x1e3' is not a number of processors"),
        ("a x2\na b\na x3\n", "line 3: a second line says what router 'a' carries; keep one of the two"),
        (
            "a x2\nx2 b\na b\n",
            "line 1: it says what router 'a' carries, and 'x2' is a router, too; add its links, or re",
        ),
        ("switch a\na b\nb switch\n", "line 1: it says what router 'a' carries, and 'switch' is a router, too"),
        ("c x2\na b\n", "line 1: it says what router 'c' carries, and no line links that router; add its links, or re"),
        ("a b\nswitch c\n", "line 2: it says what router 'c' carries, and no line links that router"),
    ],
)
def test_processors_of_a_router_are_never_read_as_a_link(text: str, said: str) -> None:
    """A number that is none, a second line, and a router without links are refused."""
    with pytest.raises(InputError) as caught:
        parsed(text)
    assert str(caught.value).startswith("chip.txt")
    assert said in str(caught.value)
