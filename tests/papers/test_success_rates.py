"""The benchmark of islands: conflicts over evaluations, and what they suggest."""

from pathlib import Path

import pytest
from papers.success_rates import Cell, Kept, cells, conflicts_over_evaluations, convergence_table, one_conflict, resumed

from papers import paper_rows
from papers import success_rates as islands
from tests.papers.plain_device import COMPILER, WHY_NOT, PlainDevice


def test_runs_are_summed_up_at_every_half_decade() -> None:
    """Each row has the fewest, median and most conflicts after so many evaluations; the last row is the limit."""
    traces = [[(1, 90), (10_000, 40), (10_001, 30), (90_000, 0)], [(1, 80), (31_623, 20)], [(5, 70), (100_001, 10)]]
    assert conflicts_over_evaluations(traces, 200_000) == [
        (10_000, 40, 70.0, 80),
        (31_623, 20, 30.0, 70),
        (100_000, 0, 20.0, 70),
        (200_000, 0, 10.0, 20),
    ]


def test_a_limit_below_the_first_half_decade_is_the_only_row() -> None:
    """Short runs have one row, at their limit."""
    assert conflicts_over_evaluations([[(1, 9), (300, 4)], [(1, 6)]], 500) == [(500, 4, 5.0, 6)]


@pytest.mark.parametrize(
    ("medians", "text"),
    [
        # By the line 10 conflicts fewer in a decade; by the power law half as many.
        ([(10**6, 22.0), (3 * 10**6, 15.0), (10**7, 11.0)], "10^7.9 to 10^10.5"),
        ([(10**6, 100.0), (3 * 10**6, 30.0), (10**7, 10.0)], "10^7.1 to 10^8.0"),
        ([(10**6, 9.0), (3 * 10**6, 3.0), (10**7, 1.0)], "reached"),
        ([(10**6, 9.0), (3 * 10**6, 9.0), (10**7, 9.0)], "-"),
    ],
)
def test_the_last_decade_is_extrapolated_to_one_conflict(medians: list[tuple[int, float]], text: str) -> None:
    """A line over the logarithm of the evaluations gives the first figure, a power law the second."""
    assert one_conflict(medians) == text


def test_the_table_of_long_runs_has_a_row_for_each_that_is_stored() -> None:
    """Rows have a cell for each column, and problems without results have no row."""
    cell = next(cell for cell in cells() if cell.name == "AAS levi 31 paper 100M")
    medians = (400.0, 300.0, 200.0, 100.0, 60.0, 30.0, 15.0, 4.0, 2.0)
    over = [(round(10 ** (4 + i / 2)), i, median, 500) for i, median in enumerate(medians)]
    head, rule, row = convergence_table({cell.name: {"over_evaluations": over}})
    assert {line.count("|") for line in (head, rule, row)} == {14}
    assert head.startswith("| collective | network | steps | settings | 100 k | 316 k | 1 M |")
    assert row == (
        "| AAS | `levi` | 31 | paper | 200 (2) | 100 (3) | 60 (4) | 30 (5) | 15 (6) | 4 (7) | 2 (8) "
        "| 10^7.3 to 10^9.0 | 10^8.1 to 10^8.3 |"
    )
    assert convergence_table({}) == []


@pytest.mark.skipif(COMPILER is None, reason=WHY_NOT)
def test_a_problem_is_stored_when_all_its_runs_have_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then the islands are in a folder beside the results, and the same call resumes them."""
    monkeypatch.setattr(islands, "cuda_device", PlainDevice)
    cell, kept = Cell("gecco08", "octagon", "AAS", 4, "paper", 4000, runs=3), Kept(tmp_path / "kept.json")
    resumed(cell, 1e-9, kept)
    assert [path.name for path in tmp_path.iterdir()] == ["kept-AAS-octagon-4-paper-4k"]
    assert not kept.rows
    resumed(cell, 1e9, kept)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.json"]
    row = kept.rows[cell.name]
    assert (row["runs"], row["errors"], row["evaluations"]) == (3, 0, 4000)
    assert row["over_evaluations"][-1][0] == 4000
    assert 0 < row["spent"] <= 12_000


def test_every_row_of_the_papers_has_a_line() -> None:
    """A line has a cell for each column; what is not stored is said to be not measured."""
    lines = paper_rows.table({})
    assert len(lines) == 2 + len(list(paper_rows.rows()))
    assert len({line.count("|") for line in lines}) == 1
    assert all("not measured" in line for line in lines[2:])


def test_a_row_of_mboa_has_the_population_of_the_rule() -> None:
    """It is the smallest by which half of the runs succeed, or else the one by which most do."""

    def shown(successes: dict[str, int]) -> str:
        row = {"runs": 200, "evaluations": 400_000, "seconds": 7.0}
        kept = {f"AAS hypercube:3 4 {name} 400k": row | {"successes": number} for name, number in successes.items()}
        return next(line for line in paper_rows.table(kept) if "| AAS | `hypercube:3` |" in line)

    half = shown({"mboa 64": 90, "mboa 256": 190, "mboa 128": 120})
    assert "120 of 200 (400 k) | - | - | MBOA, population 128 | 7 |" in half
    assert "90 of 200 (400 k) | - | - | MBOA, population 64 | 7 |" in shown({"mboa 64": 90, "mboa 128": 20})
    assert "130 of 200 (400 k) | - | - | MBOA, population 224 | 7 |" in shown({"mboa 256": 140, "mboa": 130})


def test_a_row_of_hgsa_is_of_its_own_runs_where_there_are_any() -> None:
    """UMDA stands in for it otherwise; one port is counted in two ways, a line each."""

    def shown(names: list[str], where: str) -> list[str]:
        row = {"runs": 200, "evaluations": 10**7, "seconds": 7.0}
        kept = {name: row | {"successes": number} for number, name in enumerate(names, 1)}
        return [line for line in paper_rows.table(kept) if where in line and "(HGSA)" in line]

    cube = "| AAB | `hypercube:5` |"
    (line,) = shown(["AAB hypercube:5 7 paper"], cube)
    assert "1 of 200 (10 M) | - | - | UMDA in place of HGSA | 7 |" in line
    (line,) = shown(["AAB hypercube:5 7 paper", "AAB hypercube:5 7 hgsa 10M"], cube)
    assert "2 of 200 (10 M) | - | - | HGSA | 7 |" in line
    names = ["AAB mesh:4x4, 1-port 15 hgsa 10M", "AAB mesh:4x4, 1-port 15 hgsa absorbed 10M"]
    by_rules, absorbed = shown(names, "| AAB | `mesh:4x4, 1-port` |")
    assert "1 of 200 (10 M) | - | - | HGSA | 7 |" in by_rules
    assert "2 of 200 (10 M) | - | - | HGSA, ports by what is absorbed | 7 |" in absorbed
    assert len(shown([], "| OAB | `hypercube:6` |")) == 1


def test_a_row_of_umda_is_of_the_papers_settings_alone() -> None:
    """Runs with restarts, polish or a quotient are of this project; faults with the same steps are one line."""

    def shown(where: str, kept: dict[str, int]) -> str:
        row = {"runs": 512, "evaluations": 10**6, "seconds": 7.0}
        rows = {name: row | {"successes": number} for name, number in kept.items()}
        (line,) = (line for line in paper_rows.table(rows) if where in line)
        return line

    kept = {"AAS levi 31 paper 100M": 50, "AAS levi 31 polish": 142, "AAS levi 31 quotient": 512}
    assert "| 50 of 512 (1 M) | - | - | paper's settings | 7 |" in shown("| AAS | `levi` |", kept)
    assert "not measured" in shown("| AAS | `levi` |", {"AAS levi 31 polish": 142})
    faults = {"AAB kautz:3,2, less 01-10 6 paper": 500, "AAB kautz:3,2, less 12-20 6 paper": 512}
    line = shown("| AAB | `kautz:3,2, one faulty channel` |", faults)
    assert "| 1,012 of 1,024 (1 M) | - | - | paper's settings | 14 |" in line


@pytest.mark.parametrize("algorithm", islands.QUESTIONS)
def test_readings_of_a_row_are_as_many_solvers(algorithm: str) -> None:
    """Every combination of answers is another solver, one of them with the defaults; a line is of one answer."""
    row = next(islands.read_rows(algorithm))
    combinations = list(islands.readings(row, algorithm))
    solvers = {islands.solver_of(cell) for cell in combinations}
    assert len(solvers) == len(combinations)
    assert islands.READ_WITH[algorithm] in solvers
    rows: dict[str, dict[str, int | None]] = {
        cell.name: {"runs": 1, "successes": 0, "left": 3, "spent": 9} for cell in combinations
    }
    rows[combinations[0].name] = {"runs": 1, "successes": 1, "left": None, "spent": 9}
    lines = iter(islands.readings_table(rows, algorithm)[2:])
    for question, answers in islands.QUESTIONS[algorithm].items():
        for at, (answer, line) in enumerate(zip(answers, lines, strict=False)):
            assert line.startswith(f"| {question} | {answer} | ")
            share = line.split(" | ")[2]
            assert share.endswith(" %") if at == 0 else share == "3 left"
