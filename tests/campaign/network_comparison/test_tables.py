"""A comparison in words, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

from pavane.campaign.network_comparison.compared import Comparison
from pavane.campaign.network_comparison.tables import as_object, comparison_table, figure, figures_table, legend
from pavane.model.problem import Rules
from pavane.timing import Costs
from tests.campaign.network_comparison.made import cell, made_up

COSTS = Costs(1e-6, 1e-9)
PAIR = {"ring:8": (cell(8), cell(4)), "octagon": (cell(5, bound=4), cell(3))}


def text_table(found: Comparison, *, only_best: bool = False) -> list[list[str]]:
    """Return the texts of the table for people, the titles first."""
    table = comparison_table(found, only_best=only_best)
    return [table.titles, *table.cells()]


def test_columns_of_one_collective() -> None:
    """Its steps are marked themselves, beside the bound where they differ; where there are none, the cell says why."""
    head, ring, octagon = text_table(made_up({"ring:8": (cell(8),), "octagon": (cell(5, bound=4),)}))
    assert " ".join(head) == "network processors routers degree cost diameter distance bisection survives AAS"
    assert ring == ["ring:8", "8", "8", "2", "16", "4", "2.29", "4", "1, 1", "8*"]
    assert octagon[-1] == "5, bound 4*"
    assert figure(cell(None)) == "not searched"
    assert text_table(made_up({"ring:8": (cell(None),)}))[1][-1].startswith("not searched")


def test_columns_of_several_collectives() -> None:
    """All of them together are marked."""
    head, ring, _ = text_table(made_up(PAIR, ("AAS", "AAB")))
    assert head[-3:] == ["AAS", "AAB", "all"]
    assert ring[-3:] == ["8", "4", "12*"]
    head, ring, _ = text_table(made_up(PAIR, ("AAS", "AAB"), COSTS, (1000,)))
    assert head[-5:] == ["AAS", "AAB", "AAS 1,000 B", "AAB 1,000 B", "all 1,000 B"]
    assert ring[-3:] == ["16 us", "8 us", "24 us*"]


def test_only_the_pareto_set() -> None:
    """Networks that another one beats are left out; two names of one are listed, the others counted."""
    found = made_up({"ring:8": (cell(8),), "mesh:2x4": (cell(8),), "octagon": (cell(4),)})
    assert [line[0] for line in text_table(found, only_best=True)[1:]] == ["ring:8", "octagon"]
    named = replace(found, rows=(replace(found.rows[0], names=("a", "b", "c", "d")),))
    assert text_table(named)[1][0] == "a = b and 2 more"


def test_the_legend_says_what_there_is() -> None:
    """Brackets, capacities, bounds and numbers of processors are explained where they come up."""
    plain = " ".join(legend(made_up({"ring:8": (cell(8),)})))
    assert "every figure is proven" in plain
    assert "steps       every figure" in plain
    tdm = replace(made_up({"ring:8": (cell(8),)}), rules=Rules("tdm"))
    assert "slots       every figure" in " ".join(legend(tdm))
    assert not any(
        word in plain for word in ("brackets", "capacity", "9, bound 8", "as many processors", "one after the other")
    )
    much = " ".join(
        legend(made_up({"dgx-2": (cell(9, bound=8), cell(2)), "ring:8": (cell(8), cell(None))}, ("AAS", "AAB")))
    )
    assert all(
        word in much for word in ("brackets", "capacity", "9, bound 8", "as many processors", "one after the other")
    )
    assert "every figure" not in much


def test_json() -> None:
    """Every key is there, whatever was found; sizes are keys as text."""
    found = made_up({"ring:8": (cell(8), cell(None))}, ("AAS", "AAB"), COSTS, (4, 4096))
    told = json.loads(json.dumps(as_object(found)))
    assert set(told) == {"collectives", "rules", "seed", "costs", "bytes", "interrupted", "networks"}
    assert told["costs"] == {"startup": 1e-6, "per_byte": 1e-9, "per_hop": 0.0}
    (row,) = told["networks"]
    assert set(row) == {
        *("name", "names", "processors", "routers", "degree", "switch_degree", "channels", "cost", "diameter"),
        *("mean_distance", "bisection", "bisection_is", "connectivity", "router_connectivity"),
        *("links_survived", "routers_survived", "collectives", "steps", "times", "pareto"),
    }
    assert set(row["collectives"]["AAS"]) == {"bound", "steps", "outcome", "proven", "times", "solver", "seconds"}
    assert set(row["collectives"]["AAS"]["times"]) == {"4", "4096"}
    assert row["collectives"]["AAB"]["outcome"] == "not searched"
    assert (row["steps"], row["times"], row["pareto"]) == (None, {"4": None, "4096": None}, [])
    plain = as_object(made_up({"ring:8": (cell(8),)}))
    assert (plain["costs"], plain["bytes"], plain["networks"][0]["pareto"]) == (None, [], True)


def test_csv() -> None:
    """A line a network; what is not known is empty, and what is true is `true`."""
    found = made_up({"ring:8": (cell(8), cell(None)), "octagon": (cell(4), cell(3))}, ("AAS", "AAB"))
    ring, octagon = csv.DictReader(io.StringIO(figures_table(found).csv()))
    assert (ring["network"], ring["cost"], ring["AAS steps"], ring["AAS proven"]) == ("ring:8", "16", "8", "true")
    assert (ring["AAB steps"], ring["AAB proven"], ring["steps"], ring["pareto"]) == ("", "false", "", "false")
    assert (octagon["steps"], octagon["pareto"], octagon["switch_degree"]) == ("7", "true", "")
    timed = figures_table(made_up(PAIR, ("AAS", "AAB"), COSTS, (4,)))
    assert {"AAS seconds at 4", "AAB seconds at 4", "seconds at 4", "pareto at 4"} <= set(timed.titles)
