"""Time models: the papers' own examples, units as people write them, and which schedule is the fastest when."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.model.schedule import Schedule, Transfer
from pavane.networks import network
from pavane.search.pieces import sweep_pieces
from pavane.timing import (
    Costs,
    Profile,
    decision_table,
    links_of_costs,
    predicted,
    profile,
    read_duration,
    read_per_byte,
    read_size,
    read_sweep,
    read_time,
    rounded_size_text,
    size_text,
    time_text,
)
from tests.problems import problem_of

NOC = Costs(10e-9, 1e-9)
"""Typical parameters of networks on chip (noc section 4)."""

CLUSTER = Costs(1e-6, 0.5e-9)
"""Typical parameters of clusters (gecco08 section 4)."""


def alike(num_steps: int, payload: int = 1, hops: int = 1) -> Profile:
    """Return the profile of equal steps."""
    return Profile((payload,) * num_steps, (hops,) * num_steps)


def spread(num_steps: int, tco: int) -> Profile:
    """Return some profile with so many start-ups and that occupancy."""
    return Profile((tco - num_steps + 1, *(1,) * (num_steps - 1)), (1,) * num_steps)


@pytest.mark.parametrize(("steps", "text"), [(1, "1.512 us"), (3, "4.536 us"), (34, "51.408 us")])
def test_example_of_gecco08(steps: int, text: str) -> None:
    """1 us and 0.5 ns a byte: one step of 1024 bytes takes 1.512 us, 3 take 4.54 us, and 34 take 51.4 us (not 55)."""
    assert time_text(predicted(CLUSTER, 1024, alike(steps))) == text


def test_examples_of_noc() -> None:
    """8 steps of 100 bytes take 880 ns, and 3 steps of 100, 200 and 400 bytes 730 ns (noc section 3)."""
    assert time_text(predicted(NOC, 100, alike(8, hops=0))) == "880 ns"
    growing = Profile((1, 2, 4), (1, 1, 1))
    assert growing.tco == 7
    assert time_text(predicted(NOC, 100, growing)) == "730 ns"


TABLE_3 = {
    "mesh 4x4": ["4/4", "6/15", "4/15", "6/48"],
    "mesh 8x8": ["6/6", "14/63", "6/63", "14/448"],
    "rings 16": ["4/4", "15/24", "4/15", "7/138"],
    "rings 64": ["6/6", "11/319", "6/63", "11/2658"],
}
"""Start-ups and occupancy of OAB, AAB, OAS and AAS (noc Table 3); of several rows the one that noc Table 4 uses."""

TABLE_4 = {
    "mesh 4x4": [56, 120, 100, 252],
    "mesh 8x8": [84, 392, 312, 1932],
    "rings 16": [56, 246, 100, 622],
    "rings 64": [84, 1386, 312, 10742],
}
"""The times in ns of noc Table 4, for 4 bytes."""


@pytest.mark.parametrize("where", TABLE_3)
def test_table_4_of_noc_follows_from_table_3(where: str) -> None:
    """Start-ups and occupancy of noc Table 3 give the times of noc Table 4, to the nanosecond."""
    pairs = [map(int, pair.split("/")) for pair in TABLE_3[where]]
    times = [predicted(NOC, 4, spread(*pair)) * 1e9 for pair in pairs]
    assert times == pytest.approx(TABLE_4[where])


def test_the_time_is_the_sum_of_the_steps() -> None:
    """A step takes a start-up, its largest payload and its longest path (noc eq. (1))."""
    costs = Costs(100.0, 1.0, 7.0)
    assert predicted(costs, 10, Profile((1, 3, 2), (2, 1, 4))) == (100 + 10 + 14) + (100 + 30 + 7) + (100 + 20 + 28)


def test_links_take_as_long_as_the_model_says() -> None:
    """A start-up, the bytes, and a time for each hop; they need a bandwidth."""
    ring = network("ring:4")
    links = links_of_costs(ring, Costs(1e-6, 1e-9, 1e-7))
    time = links.busy(0, 5000) + 3 * int(links.latencies[0])
    assert time / 1e12 == pytest.approx(1e-6 + 5000e-9 + 3e-7)
    with pytest.raises(InputError, match="bandwidth"):
        links_of_costs(ring, Costs(1e-6, 0.0))


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_costs_are_no_nonsense(value: float) -> None:
    """Times are finite and not negative."""
    with pytest.raises(InputError, match="per hop is"):
        Costs(1, 1, value)


def test_profile_of_a_schedule() -> None:
    """Each step counts with its largest payload and its longest path, wherever they are."""
    schedule = Schedule.from_transfers(
        [
            Transfer(0, 0, 1, (0, 1, 2), (0,)),
            Transfer(0, 1, 2, (3,), (1, 2)),
            Transfer(2, 2, 0, (), (3,)),
            Transfer(1, 2, 0, (4,), (4, 5, 6)),
        ]
    )
    assert profile(schedule) == Profile((2, 3, 1), (3, 1, 0))
    assert profile(schedule).tco == schedule.tco == 6
    assert profile(schedule).num_steps == 3


# -- units


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10ns", 10e-9),
        ("1us", 1e-6),
        ("1µs", 1e-6),
        ("1μs", 1e-6),
        ("2.5ms", 2.5e-3),
        ("3 s", 3.0),
        (".5ps", 0.5e-12),
        ("1e3ns", 1e-6),
        ("0", 0.0),
        ("0ns", 0.0),
    ],
)
def test_times_as_people_write_them(text: str, seconds: float) -> None:
    """A number and a unit, with or without a space; the micro sign in either form."""
    assert read_time(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "ns", "-1ns", "1 NS", "1h", "1ns2", "nan s", "1e999s", "1e99999s", "1,5ns"])
def test_other_times_are_refused(text: str) -> None:
    """The text says which option and how to write it."""
    with pytest.raises(InputError, match=r"--startup .* is (not a time|too long)"):
        read_time(text, "--startup")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10", 10),
        ("0.5", 0.5),
        ("10s", 10),
        ("2m", 120),
        ("2 min", 120),
        ("1.5h", 5400),
        ("500ms", 0.5),
        ("1e-3", 0.001),
    ],
)
def test_how_long_something_may_take(text: str, seconds: float) -> None:
    """Seconds without a unit; m is a minute here."""
    assert read_duration(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "soon", "-1", "1d", "2M", "1m30s", "1e999", "inf"])
def test_other_durations_are_refused(text: str) -> None:
    """The text says how to write it."""
    with pytest.raises(InputError, match=r"is (not a time: write seconds, or|too long)"):
        read_duration(text)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4", 4),
        ("4B", 4),
        ("0", 0),
        ("1kB", 1000),
        ("1KiB", 1024),
        ("1.5 KiB", 1536),
        ("1MB", 10**6),
        ("1MiB", 2**20),
        ("2GiB", 2**31),
        ("1K", 1024),
        ("1k", 1024),
        ("1M", 2**20),
        ("1.5 G", 3 * 2**29),
    ],
)
def test_sizes_as_people_write_them(text: str, size: int) -> None:
    """Bytes without a unit; kB is 1000 and KiB is 1024, and so is K alone."""
    assert read_size(text) == size


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1Kb", "write a number and B, kB, KiB"),
        ("1kb", "is not a size"),
        ("-1", "is not a size"),
        ("", "is not a size"),
        ("0.5", "not a usable whole number"),
        ("1e99", "not a usable whole number"),
        ("1e999", "not a usable whole number"),
    ],
)
def test_other_sizes_are_refused(text: str, why: str) -> None:
    """KB is nobody's unit for certain, and half a byte is none."""
    with pytest.raises(InputError, match=why):
        read_size(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1ns", 1e-9),
        ("0.5ns/B", 0.5e-9),
        ("80ps", 80e-12),
        ("1GB/s", 1e-9),
        ("16GiB/s", 1 / 2**34),
        ("100Gbit/s", 80e-12),
        ("8 Mbit/s", 1e-6),
        ("500B/s", 0.002),
        ("100Gb/s", 80e-12),
        ("100Gbps", 80e-12),
        ("1GBps", 1e-9),
        ("8b/s", 1.0),
    ],
)
def test_the_time_of_a_byte_as_people_write_it(text: str, seconds: float) -> None:
    """A time, or a bandwidth in bytes or bits a second."""
    assert read_per_byte(text) == pytest.approx(seconds, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1", "neither a time nor a bandwidth"),
        ("1GB", "neither"),
        ("1Gb", "neither"),
        ("1gbps", "neither"),
        ("0B/s", "0"),
    ],
)
def test_other_bandwidths_are_refused(text: str, why: str) -> None:
    """The text says how to write it."""
    with pytest.raises(InputError, match=why):
        read_per_byte(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (1.512e-6, "1.512 us"),
        (880e-9, "880 ns"),
        (999.9999999e-9, "1 us"),
        (999.9996e-9, "1 us"),
        (1e-3, "1 ms"),
        (10742e-9, "10.742 us"),
        (0.25, "250 ms"),
        (90.0, "90 s"),
        (8e-11, "80 ps"),
        (3e-13, "0.3 ps"),
    ],
)
def test_times_for_people(seconds: float, text: str) -> None:
    """Six figures at most, in the unit that leaves one to three of them before the point."""
    assert time_text(seconds) == text


@given(st.floats(1e-11, 1e3))
def test_printed_times_can_be_read(seconds: float) -> None:
    """What is printed reads as the same time, to six figures."""
    assert read_time(time_text(seconds)) == pytest.approx(seconds, rel=1e-5)


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (4, "4 B"), (1000, "1,000 B"), (1024, "1 KiB"), (3 * 2**20, "3 MiB"), (7.5, "7.5 B")],
)
def test_sizes_for_people(size: float, text: str) -> None:
    """Whole multiples of 1024 have their unit; the rest is bytes."""
    assert size_text(size) == text


# -- which is the fastest


def test_few_start_ups_win_small_messages_and_low_occupancy_large_ones() -> None:
    """Of 3/12 and 7/7 the first is the faster one below 4 ts / (5 t1) = 8 bytes."""
    table = decision_table(NOC, [alike(7), Profile((4, 4, 4), (1, 1, 1))])
    assert [stretch.fastest for stretch in table] == [1, 0]
    assert [stretch.first for stretch in table] == pytest.approx([0, 8])


@given(
    st.lists(st.tuples(st.integers(1, 8), st.integers(0, 20), st.integers(0, 5)), min_size=1, max_size=7),
    st.sampled_from([NOC, Costs(0, 1), Costs(1, 0), Costs(3, 1, 2)]),
    st.integers(0, 200),
)
def test_the_decision_table_names_the_fastest(rows: list[tuple[int, int, int]], costs: Costs, size: int) -> None:
    """At every size the schedule of the stretch it lies in is as fast as any, and stretches go upward."""
    profiles = [Profile((1 + more, *(1,) * (steps - 1)), (hops,) * steps) for steps, more, hops in rows]
    table = decision_table(costs, profiles)
    starts = [stretch.first for stretch in table]
    assert starts == sorted(starts)
    assert starts[0] == 0
    chosen = [stretch for stretch in table if stretch.first <= size][-1].fastest
    times = [predicted(costs, size, about) for about in profiles]
    assert times[chosen] == pytest.approx(min(times), rel=1e-9)


def test_pieces_share_the_bytes_of_a_message() -> None:
    """A piece has m / k bytes, and TCO / k is what schedules of different k compare by."""
    whole, cut = alike(2), Profile((1,) * 7, (1,) * 7, pieces=6)
    assert cut.message_times == Fraction(7, 6)
    assert cut.piece_of(600) == 100
    costs = Costs(1.0, 0.5)
    assert predicted(costs, 600, cut) == pytest.approx(predicted(costs, 100, Profile(cut.payloads, cut.hops)))
    # 2 ts + 2 m t1 = 7 ts + 7/6 m t1 at m t1 = 6 ts.
    table = decision_table(costs, [whole, cut])
    assert [(stretch.first, stretch.fastest) for stretch in table] == [(0.0, 0), (12.0, 1)]


def test_a_profile_knows_the_pieces_that_it_is_told() -> None:
    """Payloads count pieces then."""
    problem = problem_of("ring:4", "AAB")
    result = sweep_pieces(problem, [2]).best()
    assert result.schedule is not None
    about = profile(result.schedule, result.problem.collective.pieces)
    assert (about.num_steps, about.tco, about.message_times) == (3, 3, Fraction(3, 2))


def test_messages_may_be_several_times_the_size() -> None:
    """Two steps of the whole vector, four parts long, against six steps of one part."""
    parts, whole = alike(6, hops=0), Profile((1, 1), (0, 0), units=4)
    assert predicted(NOC, 16, whole) == pytest.approx(2 * (10e-9 + 64e-9))
    assert [(one.first, one.fastest) for one in decision_table(NOC, [parts, whole])] == [(0, 1), (20, 0)]


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("1KB:64kB", [1000, 4000, 16_000, 64_000]),
        ("1kB:5kB", [1000, 4000, 5000]),
        ("1KiB:4KiB:2", [1024, 2048, 4096]),
        ("4:4", [4]),
    ],
)
def test_sweeps_multiply_sizes_and_end_with_the_last(text: str, sizes: list[int]) -> None:
    """Four times the size before unless a factor is given; KB is kB in a sweep."""
    assert read_sweep(text) == sizes


@pytest.mark.parametrize("text", ["", "1kB", "1kB:", "1kB:4kB:1", "1kB:4kB:x", "4kB:1kB", "0:1kB", "1kB:4kB:2:2"])
def test_sweeps_that_cannot_be_are_refused(text: str) -> None:
    """The text says what was expected."""
    with pytest.raises(InputError, match="sweep"):
        read_sweep(text)


@pytest.mark.parametrize(
    ("size", "text"), [(64_000, "64 kB"), (1_024_000, "1,024 kB"), (2**20, "1 MiB"), (999, "999 B"), (10**9, "1 GB")]
)
def test_rounded_sizes_take_the_unit_that_they_are_multiples_of(size: int, text: str) -> None:
    """Decimal units for multiples of a thousand, binary ones otherwise."""
    assert rounded_size_text(size) == text
