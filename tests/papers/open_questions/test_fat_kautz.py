"""Fat Kautz networks, and the equivalence that stands for shared memory."""

import pytest
from papers.open_questions.fat_kautz import KINDS, QUESTION, SLIM, FatCase, shared_memory
from papers.open_questions.question import Row

from pavane.errors import InputError
from pavane.model.collectives import named
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.search.options import SearchOptions
from pavane.search.synthesis import solve


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ports", [1, "all"])
def test_shared_memory_is_never_slower(kind: str, ports: int | str) -> None:
    """Messages inside a router can be left out, so that what they allow shared memory allows, too."""
    fat = network("ring:3*2")
    rules = Rules(ports=ports)  # type: ignore[arg-type]
    sent, shared = (
        solve(problem) for problem in (Problem(fat, named(kind, fat), rules), shared_memory("ring:3", 2, kind, ports))
    )
    assert sent.is_optimal
    assert shared.is_optimal
    assert shared.schedule is not None
    assert sent.schedule is not None
    assert shared.schedule.num_steps <= sent.schedule.num_steps


def test_pieces_and_ports_of_the_slim_problem() -> None:
    """AAS has c * c pieces, AAB and OAS c, OAB one; 1-port is c ports, all-port stays."""
    pieces = {kind: shared_memory("kautz:3,2", 4, kind, 1).collective.pieces for kind in KINDS}
    assert pieces == {"OAB": 1, "OAS": 4, "AAB": 4, "AAS": 16}
    assert shared_memory("kautz:3,2", 4, "AAS", 1).rules.ports == 4
    assert shared_memory("kautz:3,2", 4, "AAS", "all").rules.ports == "all"
    with pytest.raises(InputError, match="worked out for OAB, OAS, AAB and AAS"):
        shared_memory("kautz:3,2", 2, "AAR", 1)


def test_slim_networks_have_as_many_processors() -> None:
    """Each has the size it stands for."""
    assert {network(spec).num_processors for spec in SLIM.values()} == set(SLIM)
    assert all(network(spec).num_processors == size for size, spec in SLIM.items())


def test_a_row_of_a_fat_network() -> None:
    """It says what is compared: processors and channels of the network, and proven steps."""
    row = QUESTION.row(FatCase("kautz:2,3", 2, "all", "OAB", "messages"), SearchOptions())
    assert (row["network"], row["processors"], row["channels"]) == ("kautz:2,3*2", 24, 24)
    assert row["bound"] <= row["steps"]


def _row(name: str, inside: str, kind: str, steps: int, ports: int | str = "all") -> Row:
    about = {"network": name, "processors": 24, "channels": 36 if "*" in name else 48, "ports": ports, "inside": inside}
    return {**about, "collective": kind, "bound": steps, "steps": steps, "checked": True, "seconds": 0.0}


def test_the_sentence_follows_the_rows() -> None:
    """Other steps, other words."""
    rows = [
        _row("kautz:3,2*2", "messages", "AAS", 28),
        _row("kautz:3,2*2", "memory", "AAS", 28),
        _row("kautz:2,4", "slim", "AAS", 45),
        _row("kautz:3,2*2", "messages", "AAB", 14),
        _row("kautz:3,2*2", "memory", "AAB", 7),
        _row("kautz:2,4", "slim", "AAB", 7),
    ]
    said = QUESTION.answer(rows)
    assert "all-port in 1 of 2 problems (most on `kautz:3,2*2` AAB: 7 instead of 14)" in said
    assert (
        "AAS is provably faster on 1 of 1 fat network, equal on 0 and slower on 0; of what was reached, at best" in said
    )
    assert "at best 0.62 times the steps (`kautz:3,2*2` 28, `kautz:2,4` 45; 36 and 48 channels)" in said
    assert (
        "AAB is provably faster on 0 of 1 fat network, equal on 0 and slower on 1; of what was reached, at best" in said
    )
    assert QUESTION.proof(rows).startswith("All 6 figures are proven optimal")
    rows[0]["steps"] = 50
    assert "AAS is provably faster on 0 of 1 fat network, equal on 0 and slower on 0" in QUESTION.answer(rows)
    assert "`kautz:3,2*2` all-port AAS (messages): 28/50" in QUESTION.proof(rows)
    assert QUESTION.table(rows)[0]["AAS"] == "28/50"
