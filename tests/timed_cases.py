"""Random step schedules with random links and sizes."""

from __future__ import annotations

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.model.links import Links
from pavane.model.timed import TimedProblem
from tests.strategies import Case, cases


@st.composite
def timed_cases(draw: st.DrawFn) -> tuple[TimedProblem, Case]:
    """Return a step schedule with random links and sizes."""
    case = draw(cases())
    network = case.problem.network
    numbers = st.lists(st.integers(0, 9), min_size=network.num_channels, max_size=network.num_channels)
    latencies, overheads, rates = (np.array(draw(numbers), dtype=np.int64) for _ in range(3))
    links = Links(latencies, overheads, (rates + 1) * 10**11)
    try:
        return TimedProblem(case.problem, links, draw(st.integers(1, 50))), case
    except InputError:
        reject()  # tdm, combining, or too few bytes for the pieces
