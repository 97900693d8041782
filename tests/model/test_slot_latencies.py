"""Latency, bandwidth, use and table size of schedules under tdm."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pavane.errors import InputError
from pavane.judge.result import Result
from pavane.model.schedule import Schedule
from pavane.model.slot_latencies import SlotFigures, slot_figures
from pavane.search.synthesis import solve
from tests.problems import problem_of
from tests.slot_tables import twice, two_packets


def figures_of(result: Result) -> SlotFigures:
    """Return the figures of a result."""
    assert result.schedule is not None
    return slot_figures(result.problem, result.schedule)


def test_a_packet_waits_a_period_at_most_and_flies() -> None:
    """With one slot a period the worst latency of a pair is the period and the flight over its path."""
    assert figures_of(two_packets()).pairs.rows == [[0, 1, 1, 1, 4, 6], [0, 2, 1, 2, 4, 7]]
    assert figures_of(two_packets()).worst_latency == 7


def test_several_slots_of_a_pair_shorten_the_wait() -> None:
    """The wait of a pair is the largest gap between two of its injections, round the period."""
    assert figures_of(twice()).pairs.records() == [
        {"from": 0, "to": 2, "packets": 2, "hops": 2, "wait": 5, "latency": 8}
    ]


def test_the_last_slot_of_a_packet_counts() -> None:
    """A packet of f slots is whole f - 1 slots after the first of them arrives."""
    table = two_packets(12, late=4, router_delay=2, link_delay=1, packet_slots=2)
    assert [row[-1] for row in figures_of(table).pairs.rows] == [12 + 5 + 1, 12 + 8 + 1]


def test_a_table_that_does_not_wrap_has_arrivals() -> None:
    """Without wrap a latency is the number of slots until the packet is whole, from the beginning of the table."""
    figures = figures_of(two_packets(8, wrap=False))
    assert [row[-1] for row in figures.pairs.rows] == [4, 7]
    assert figures.worst_latency <= 8


def test_use_of_channels_and_ports() -> None:
    """Three uses of 8 channels in 4 slots, and two packets at 4 ports in and 4 out."""
    figures = figures_of(two_packets())
    assert figures.channel_use == Fraction(3, 8 * 4)
    assert figures.port_use == Fraction(2 + 2, 8 * 4)
    assert figures.mean_flight == Fraction(3 + 2, 2)


def test_a_slot_table_has_an_input_port_or_none_for_each_output_port() -> None:
    """A router with two channels each way and a processor has 3 outputs, and 3 inputs or none take 2 bits."""
    assert figures_of(two_packets()).table_bits == (4 * 3 * 2,) * 4


def test_figures_in_words_and_for_json() -> None:
    """One line has all figures of the whole; JSON has them under their names."""
    figures = figures_of(two_packets())
    text = "latency at most 7 slots, mean flight 2.5; channels 9.4% busy, ports 12.5%; slot table of 24 bits a router"
    assert str(figures) == text
    assert repr(figures) == f"<SlotFigures: {text}>"
    assert figures.to_dict() == {
        "worst_latency": 7,
        "mean_flight": 2.5,
        "channel_use": 3 / 32,
        "port_use": 1 / 8,
        "table_bits": [24] * 4,
    }


def test_steps_have_no_slots() -> None:
    """A schedule of steps, and one without transfers, are refused in one line."""
    result = solve(problem_of("ring:4", "AAS"))
    with pytest.raises(InputError, match="only tdm has slots, and the problem is under wormhole"):
        figures_of(result)
    with pytest.raises(InputError, match="the schedule is empty"):
        slot_figures(two_packets().problem, Schedule.from_transfers([], 4))
