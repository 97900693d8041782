"""Values of the wrong type: each is refused in one line, by whatever public name it is given to."""

from __future__ import annotations

import pytest

import pavane

OCTAGON = pavane.network("octagon")
PROBLEM = pavane.Problem(OCTAGON, "alltoall")
RESULT = pavane.solve(PROBLEM)

CALLS = (
    "pavane.network(5)",
    'pavane.Problem(8, "alltoall")',
    "pavane.Problem(OCTAGON, 5)",
    'pavane.Problem(OCTAGON, "alltoal")',
    'pavane.Problem(OCTAGON, "alltoall", "x")',
    'pavane.alltoall("octagon")',
    "pavane.alltoall(5)",
    "pavane.alltoall([])",
    'pavane.alltoall([0, "a"])',
    'pavane.broadcast(OCTAGON, root="a")',
    "pavane.permutation(5)",
    "pavane.pairs(5)",
    "pavane.named(5, OCTAGON)",
    'pavane.named("aas", "x")',
    "pavane.Collective(5)",
    'pavane.Collective("AAS", 5, 5)',
    'pavane.Collective("AAS", [0, "a"], [1])',
    'pavane.Collective("PAIRS", pairs=[5])',
    'pavane.Rules(switching=["a"])',
    'pavane.Rules(ports="x")',
    "pavane.Network(5, 3, [])",
    'pavane.Network("a", 3.5, [])',
    'pavane.Network("a", "abc", [])',
    'pavane.Network("a", 3, 5)',
    'pavane.Network("a", 3, [(0, 1)], grid="x")',
    "OCTAGON.without(links=5)",
    "OCTAGON.without(links=[5])",
    'OCTAGON.without(channels="a")',
    'OCTAGON.with_processors("2")',
    "OCTAGON.router(5)",
    'pavane.solve("x")',
    "pavane.solve(OCTAGON)",
    'pavane.solve(PROBLEM, num_steps="3")',
    'pavane.SearchOptions(seed="3")',
    'pavane.SearchOptions(seconds="3")',
    "pavane.solve(PROBLEM, method=3)",
    "pavane.solve(PROBLEM, solver=3)",
    'pavane.SearchOptions(workers="two")',
    'pavane.SearchOptions(evaluations="two")',
    "pavane.solve(PROBLEM, start=3)",
    "pavane.solve(PROBLEM, 3)",
    "pavane.pareto_front(OCTAGON)",
    "pavane.sweep_pieces(OCTAGON)",
    "pavane.sweep_pieces(PROBLEM, 5)",
    "pavane.pareto_front_over_pieces(OCTAGON)",
    "pavane.lower_bounds(OCTAGON)",
    "pavane.explain(PROBLEM, 5)",
    'pavane.bisection("octagon")',
    "pavane.verify(OCTAGON, RESULT.schedule)",
    "pavane.verify(PROBLEM, RESULT)",
    "pavane.Result(OCTAGON, None)",
    "pavane.Result(PROBLEM, 5)",
    "pavane.Schedule.from_transfers([5])",
    "pavane.Schedule.from_transfers(5)",
    'RESULT.schedule["a"]',
    "pavane.dual(OCTAGON)",
    'pavane.write_network("x.json", 5)',
    'pavane.write_problem("x.json", 5)',
    'pavane.write_schedule("x.json", 5)',
    "pavane.write_schedule(5, RESULT)",
    "pavane.read_network(5)",
    "pavane.read_schedule(None)",
    "pavane.read_problem([])",
    "pavane.study(PROBLEM, [3], num_steps=3)",
    "pavane.study(PROBLEM, 3, num_steps=3)",
    'pavane.faults(OCTAGON, "broadcast")',
    "pavane.faults(OCTAGON, [5])",
    'pavane.faults("o", ["aas"])',
    'pavane.compare("octagon")',
    "pavane.compare(OCTAGON)",
    "pavane.compare([5])",
    'pavane.compare([OCTAGON], "aas")',
    "pavane.compare([OCTAGON], [5])",
    'pavane.compare([OCTAGON], rules="any")',
    "pavane.compare([OCTAGON], costs=5, message_bytes=4)",
    'pavane.compare([OCTAGON], message_bytes="4")',
    'pavane.compare([OCTAGON], options="a")',
    "pavane.repair(PROBLEM, 5, PROBLEM)",
    "pavane.repair(PROBLEM, RESULT.schedule, 5)",
    'pavane.Costs("a", 1)',
    "pavane.predicted(5, 5, 5)",
    "pavane.profile(5)",
)


@pytest.mark.parametrize("call", CALLS)
def test_the_wrong_type_is_an_input_error(call: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never an AttributeError from somewhere inside, and never more than one line."""
    monkeypatch.chdir(str(tmp_path))
    known = {"pavane": pavane, "OCTAGON": OCTAGON, "PROBLEM": PROBLEM, "RESULT": RESULT}
    with pytest.raises(pavane.InputError) as refusal:
        eval(call, known)
    assert "\n" not in str(refusal.value)
