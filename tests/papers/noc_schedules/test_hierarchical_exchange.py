"""Exchange among counterparts on hierarchical rings, then within groups; test_hierarchical has noc Tables 3 and 4."""

from math import prod

from papers.noc_schedules.hierarchical_exchange import hierarchical_exchange
from papers.noc_schedules.ring_exchange import exchange_steps

from tests.papers.noc_schedules.judged import COMBINING, PLAIN, each_size, figures, problem, rings

EXCHANGE = hierarchical_exchange


@each_size
def test_exchange_among_counterparts(sizes: tuple[int, ...]) -> None:
    """AAS takes the sum of T(s) G^2 start-ups; AAB rotates on the outermost level, then sends to each of the group."""
    groups = [prod(sizes[:level]) for level in range(len(sizes))]
    direct = [len(exchange_steps(ring)) * group**2 for ring, group in zip(sizes, groups, strict=True)]
    for rules in (PLAIN, COMBINING):
        assert figures(EXCHANGE, problem(rings(sizes), "AAS", rules)) == (sum(direct), sum(direct))
    first = (sizes[-1] - 1) * groups[-1]
    tco = first + sizes[-1] * sum(direct[:-1])
    assert figures(EXCHANGE, problem(rings(sizes), "AAB")) == (first + sum(direct[:-1]), tco)
    assert figures(EXCHANGE, problem(rings(sizes), "AAB", PLAIN)) == (tco, tco)
