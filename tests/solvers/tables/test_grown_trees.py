"""Tables for allgather, reduce-scatter and allreduce."""

from typing import Any

import numpy as np
import pytest

from pavane.bounds import counted_bounds
from pavane.judge.rules import verify
from pavane.model.collectives import in_pieces, many_to_many_broadcast, named
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.parallel.budget import Budget
from pavane.search.synthesis import solve
from pavane.solvers.tables import grown_trees
from pavane.solvers.tables.grown_trees import TranslatedTrees, tree_table
from pavane.symmetry.cayley import cayley_of
from tests.solvers.constructions.judged import declines
from tests.solvers.tables.judged import judged_table

ALIKE = (
    *("ring:7", "ring:5,oneway", "complete:6", "spidergon:16", "folded-hypercube:4", "torus:4x5", "torus:3x4x2"),
    *("hypercube:1", "hypercube:4", "star-graph:4", "cube-connected-cycles:3", "gaussian:2,4", "eisenstein:2,3"),
    *("octagon", "hyperx:3x4", "torus:5x5", "torus:7x9", "torus:4x4x4", "hypercube:7"),
    *("circulant:13,1,5", "circulant:16,1,4", "circulant:21,1,5", "circulant:30,1,4,9", "circulant:40,3,7"),
)
LARGE = ("torus:50x50", "torus:16x16x16", "hypercube:10", "hypercube:12", "star-graph:7", "cube-connected-cycles:9")


def problem(where: str | Network, kind: str, pieces: int = 1, **settings: Any) -> Problem:
    """Return a collective among all processors."""
    made = network(where) if isinstance(where, str) else where
    return Problem(made, in_pieces(named(kind, made), pieces), Rules(**settings))


def fewest(case: Problem, ports: int | None = None) -> int:
    """Return the steps in which a router receives all pieces of all others, by its channels or ports."""
    made = case.network
    return -(-case.collective.pieces * (made.num_routers - 1) // (ports or int(made.in_degrees[0])))


@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
@pytest.mark.parametrize("kind", ["AAB", "AAR", "ALLREDUCE"])
@pytest.mark.parametrize("spec", ALIKE)
def test_small_tables_written_out_are_valid(spec: str, kind: str, switching: str) -> None:
    """All kinds are busy until the last step; the judge of schedules accepts what the table says of all routers."""
    case = problem(spec, kind, switching=switching)
    table = judged_table("grown-trees", case)
    assert table.num_steps == fewest(case) * (2 if kind == "ALLREDUCE" else 1)


@pytest.mark.parametrize("kind", ["AAB", "AAR"])
@pytest.mark.parametrize("spec", LARGE)
def test_large_ones_are_at_the_bound(spec: str, kind: str) -> None:
    """No kind is idle before the last step on thousands of routers either."""
    case = problem(spec, kind)
    cayley = cayley_of(case.network)
    assert cayley is not None
    table = tree_table(case, cayley)
    assert table is not None
    assert verify(case, table) == []
    assert table.num_steps == fewest(case)


@pytest.mark.parametrize("kind", ["AAB", "AAR", "ALLREDUCE"])
@pytest.mark.parametrize("ports", [1, 2, 3])
def test_ports_limit_a_step(ports: int, kind: str) -> None:
    """With k ports a router receives k messages in a step."""
    case = problem("torus:5x5", kind, ports=ports)
    table = judged_table("grown-trees", case)
    assert table.num_steps == fewest(case, ports) * (2 if kind == "ALLREDUCE" else 1)


@pytest.mark.parametrize("kind", ["AAB", "AAR"])
@pytest.mark.parametrize(
    ("spec", "pieces"), [("ring:8", 2), ("torus:3x3", 3), ("star-graph:4", 5), ("ring:5,oneway", 2)]
)
def test_every_piece_has_a_tree(spec: str, pieces: int, kind: str) -> None:
    """The pieces share the steps: none is idle before the last one."""
    case = problem(spec, kind, pieces)
    assert judged_table("grown-trees", case).num_steps == fewest(case)


@pytest.mark.parametrize(
    ("spec", "pieces", "ports", "steps"),
    [
        *[("star-graph:4", 5, "all", 77), ("star-graph:5", 2, "all", 119), ("hypercube:4", 3, "all", 23)],
        *[("torus:3x4", 2, "all", 11), ("torus:3x4", 2, 3, 15), ("ring:8", 2, "all", 14)],
        ("ring:5,oneway", 2, "all", 16),
    ],
)
def test_phases_of_several_pieces_share_a_step(spec: str, pieces: int, ports: Any, steps: int) -> None:
    """An allreduce of p pieces takes ceil(2 p (N - 1) / K) steps, the volume bound."""
    case = problem(spec, "ALLREDUCE", pieces, ports=ports)
    assert -(-2 * pieces * (case.network.num_routers - 1) // int(case.injection[0])) == steps
    assert judged_table("grown-trees", case).num_steps == steps


@pytest.mark.parametrize("kind", ["AAB", "AAR", "ALLREDUCE"])
def test_kinds_may_have_room_for_several(kind: str) -> None:
    """Channels that carry two in one direction and one in the other, and parallel channels."""
    channels = [(r, (r + way) % 9) for r in range(9) for way in (1, -1)]
    for made in (Network("wide", 9, channels, capacities=[2, 1] * 9), Network("parallel", 9, channels + channels)):
        case = problem(made, kind, 3)
        assert judged_table("grown-trees", case).num_steps <= fewest(case) * (2 if kind == "ALLREDUCE" else 1) + 2


@pytest.mark.parametrize("kind", ["AAB", "AAR"])
@pytest.mark.parametrize("settings", [{}, {"router_delay": 2, "link_delay": 1}, {"packet_slots": 3}])
@pytest.mark.parametrize("spec", ["torus:4x4", "ring:5,oneway", "star-graph:4"])
def test_slots_without_wrap(spec: str, settings: dict[str, int], kind: str) -> None:
    """Under tdm a copy is sent on when all of it has come in, and the last packet ends within the period."""
    case = problem(spec, kind, switching="tdm", wrap=False, **settings)
    table = judged_table("grown-trees", case)
    injections = np.unique(table.steps)
    assert table.num_steps == injections[-1] + case.rules.flight(1) + case.rules.packet_slots


@pytest.mark.parametrize("kind", ["AAB", "AAR", "ALLREDUCE"])
def test_half_duplex_shares_links(kind: str) -> None:
    """Opposite kinds share their links; where a kind is its own opposite no table is made."""
    case = problem("torus:5x5", kind, duplex="half")
    table = judged_table("grown-trees", case)
    assert table.num_steps == 12 * (2 if kind == "ALLREDUCE" else 1)
    assert declined(problem("hypercube:4", kind, duplex="half"))


def declined(case: Problem) -> bool:
    """Return whether no table is made."""
    cayley = cayley_of(case.network)
    assert cayley is not None
    return tree_table(case, cayley) is None


def test_other_problems_are_declined() -> None:
    """Private messages, some members, one part, sizes, combining and restricted routing."""
    cube = network("hypercube:3")
    assert declined(problem("hypercube:3", "AAS"))
    assert declined(Problem(cube, many_to_many_broadcast([0, 1], [2, 3])))
    assert declined(Problem(cube, named("reduce-broadcast", cube)))
    assert declined(Problem(cube, in_pieces(named("AAB", cube), 1, [(0, 2)])))
    assert declined(problem("hypercube:3", "AAB", combining=True))
    assert declined(problem("torus:4x4", "AAB", routing="dimension-order"))


# -- written out


@pytest.mark.parametrize(
    ("spec", "pieces", "rules"),
    [
        ("torus:5x5", 1, {}),
        ("torus:5x5", 1, {"ports": 2, "switching": "store-and-forward"}),
        ("spidergon:10", 1, {"ports": 3}),
        ("hypercube:4", 5, {}),
    ],
)
def test_the_solver_writes_the_table_out(spec: str, pieces: int, rules: dict[str, Any]) -> None:
    """It has the steps of the table."""
    case = problem(spec, "AAB", pieces, **rules)
    assert TranslatedTrees()(case, None, 0, Budget()).num_steps == judged_table("grown-trees", case).num_steps


@pytest.mark.parametrize(
    ("spec", "fewest"),
    [("ring:7", 6), ("ring:8", 7), ("torus:5x5", 12), ("torus:4x4", 8), ("torus:3x4x2", 10), ("spidergon:10", 6)],
)
def test_half_duplex_written_out(spec: str, fewest: int) -> None:
    """Opposite kinds take turns; links of a kind that is its own opposite are used by one end after the other."""
    case = problem(spec, "AAB", duplex="half")
    found = TranslatedTrees()(case, None, 0, Budget()).num_steps
    assert found == fewest == max(bound.figure for bound in counted_bounds(case))


def test_a_kind_must_carry_alike() -> None:
    """Without channels of one capacity for each kind there is no schedule; in the first step pieces are few."""
    channels = [(r, (r + way) % 9) for r in range(9) for way in (1, -1)]
    wide = problem(Network("wide", 9, channels, capacities=[2, 1] * 9), "AAB", 3)
    assert TranslatedTrees()(wide, None, 0, Budget()).num_steps == 8
    assert declines(TranslatedTrees(), problem(Network("odd", 9, channels, capacities=[2] + [1] * 17), "AAB"))


def test_what_is_too_large_is_declined_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of transfers is compared before symmetries are looked for."""
    monkeypatch.setattr(grown_trees, "cayley_of", None)
    assert not TranslatedTrees().supports(problem("torus:80x80", "AAB"))


@pytest.mark.parametrize(("spec", "fewest"), [("torus:12x13", 39), ("hypercube:8", 32)])
def test_auto_is_at_the_bound_at_once(spec: str, fewest: int) -> None:
    """Above twenty thousand arrivals trees come before rarest first, which takes seconds and may miss the bound."""
    result = solve(problem(spec, "AAB"))
    assert (result.num_steps, result.status, result.provenance.solver) == (fewest, "optimal", "translated-trees")
