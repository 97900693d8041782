"""The papers' algorithms as the papers ran them."""

import pytest
from papers.paper_solvers import solver_of_paper

from pavane.errors import InputError
from pavane.solvers.evolutionary.hgsa import HGSA
from pavane.solvers.evolutionary.mboa import MBOA


def test_the_population_of_mboa_is_set_by_trial() -> None:
    """As gecco07 section 5 says, unless a size is given; other settings are added to it."""
    assert solver_of_paper("mboa") == MBOA(population="by-trial")
    assert solver_of_paper("mboa", ["population=50"]) == MBOA(population=50)
    assert solver_of_paper("mboa", ["patience=9"]) == MBOA(population="by-trial", patience=9)
    assert solver_of_paper("hgsa") == HGSA()
    with pytest.raises(InputError, match="unknown method 'magic'"):
        solver_of_paper("magic")
