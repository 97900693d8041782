"""What the papers print, by problem."""

import pytest
from papers.steps_printed import every_printed, printed, printed_steps

from pavane.errors import InputError


def test_a_figure_is_written_as_bound_and_steps() -> None:
    """One figure where the bound was reached, both where it was not."""
    assert str(printed("gecco08", "kautz:3,2", "AAS")) == "7"
    assert str(printed("gecco08", "heawood", "AAS")) == "9, reached 10"
    assert str(printed("noc", "hierarchical-rings:4,4", "AAS", ports=1)) == "32, reached 51"
    assert printed("gecco07", "mesh:4x4", "AAB", ports=1).problem().rules.ports == 1


def test_the_paper_is_part_of_the_question() -> None:
    """A network that no paper has, or another routing, is refused."""
    assert printed_steps("gecco08", "OAB", "petersen", "levi") == {"petersen": 2, "levi": 3}
    for spec in ("mesh:9x9", "kautz:3,3"):
        with pytest.raises(InputError, match="gecco08 prints no number of steps of OAS"):
            printed("gecco08", spec, "OAS")
    assert printed("gecco08", "kautz:3,3", "OAS", routing="any").steps == 12


def test_no_figure_stands_twice() -> None:
    """A paper says one thing about a problem."""
    keys = [(some.paper, some.spec, some.kind, some.ports, some.routing) for some in every_printed()]
    assert len(set(keys)) == len(keys)
    assert all(some.steps is None or some.bound <= some.steps for some in every_printed())


def test_what_the_paper_did_not_reach_is_no_number_of_steps() -> None:
    """No run of gecco07 reached 32 steps of AAS on 64 processors."""
    assert printed("gecco07", "hypercube:6", "AAS").steps is None
    assert str(printed("gecco07", "hypercube:6", "AAS")) == "32, not reached"
    with pytest.raises(InputError, match="gecco07 did not reach its bound of AAS on hypercube:6"):
        printed_steps("gecco07", "AAS", "hypercube:6")
