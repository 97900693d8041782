"""Folders of plans: what is written is read and judged again, and nothing in an index is believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pavane.campaign.size_sweep.plan_folder import read_plans, write_plans
from pavane.campaign.size_sweep.sweep import SizePlans, select_timed
from pavane.errors import InputError, InvalidSchedule
from pavane.io import read_schedule
from pavane.io.files import is_plan_folder
from pavane.model.collectives import named
from pavane.model.links import Links
from pavane.model.problem import Problem, Rules
from pavane.networks import network

RING = network("ring:4")
LINKS = Links.uniform(RING, latency_ps=700_000, bytes_per_second=25 * 10**9, overhead_ps=100_000)


@pytest.fixture(scope="module")
def plans() -> SizePlans:
    """Return plans of several ranges."""
    problem = Problem(RING, named("oab", RING), Rules(switching="store-and-forward"))
    return select_timed(problem, LINKS, [1000, 4000, 4_000_000], [1, 4])


def test_plans_are_read_and_judged_as_they_were_written(tmp_path: Path, plans: SizePlans) -> None:
    """Ranges, sizes and ends come back, and every range has a valid timed schedule file."""
    write_plans(tmp_path / "all", plans)
    assert is_plan_folder(tmp_path / "all")
    assert is_plan_folder(tmp_path / "all" / "index.json")
    assert not is_plan_folder(tmp_path)
    again = read_plans(tmp_path / "all")
    assert len(again.ranges) == len(plans.ranges) > 1
    for before, after in zip(plans.sizes, again.sizes, strict=True):
        assert (after.num_bytes, after.finish) == (before.num_bytes, before.finish)
        assert (after.baselines, after.result.bound) == (before.baselines, before.result.bound)
    for file in tmp_path.glob("all/from-*.json"):
        assert read_schedule(file).result().status in ("optimal", "feasible")


def test_files_of_earlier_plans_are_removed(tmp_path: Path, plans: SizePlans) -> None:
    """A folder has the files that its index lists, and other files stay."""
    write_plans(tmp_path, plans)
    (tmp_path / "mine.json").write_text("{}")
    whole = select_timed(plans.problem, LINKS, [2000], [2])
    write_plans(tmp_path, whole)
    listed = {part["file"] for part in json.loads((tmp_path / "index.json").read_text())["ranges"]}
    assert {path.name for path in tmp_path.iterdir()} == {*listed, "index.json", "mine.json"}


def spoiled(folder: Path, plans: SizePlans, change: Any) -> Path:
    """Write plans whose index has one change."""
    write_plans(folder, plans)
    index = folder / "index.json"
    content = json.loads(index.read_text())
    change(content)
    index.write_text(json.dumps(content))
    return index


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda c: c.update(format="pavane/plans/2"), "plans"),
        (lambda c: c.update(colour="red"), "unknown field"),
        (lambda c: c.update(ranges=[]), "length"),
        (lambda c: c["ranges"][0].update(file="/etc/passwd"), "without a path"),
        (lambda c: c["ranges"][0].update(file="a\nb.json"), "not printable"),
        (lambda c: c["ranges"][0]["sizes"][0].update(bytes=0), ">= 1"),
        (lambda c: c["ranges"].reverse(), "ascending"),
        (lambda c: c["ranges"][0]["sizes"][0].update(bytes="many"), "int"),
        (lambda c: c["ranges"][0]["sizes"][0].update(baselines={"a\nb": 1}), "not printable"),
    ],
)
def test_a_spoiled_index_is_refused_with_one_line(tmp_path: Path, plans: SizePlans, change: Any, text: str) -> None:
    """What is wrong with an index is said in one line."""
    with pytest.raises(InputError, match=text) as error:
        read_plans(spoiled(tmp_path, plans, change))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda c: c["ranges"][0]["sizes"][0].update(finish=1), "the index says 1 ps"),
        (lambda c: c["ranges"][0].update(file="none.json"), "cannot be read"),
        (lambda c: c["ranges"][0].update(file="index.json"), "where a schedule file"),
        (lambda c: c["ranges"][0].update(file=c["ranges"][-1]["file"]), "pieces that the index says"),
        (lambda c: c.update(network="ring:5"), "network"),
        (lambda c: c.update(members=[0, 1]), "members"),
        (lambda c: c["ranges"][-1]["sizes"][-1].update(bytes=2**62), "bytes"),
    ],
)
def test_a_range_that_its_file_does_not_bear_out_is_refused(
    tmp_path: Path, plans: SizePlans, change: Any, text: str
) -> None:
    """Every end that the index claims is judged on the schedule of its file."""
    with pytest.raises((InputError, InvalidSchedule), match=text) as error:
        read_plans(spoiled(tmp_path, plans, change))
    assert "\n" not in str(error.value)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, plans: SizePlans) -> None:
    """A file stands in the way."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be created"):
        write_plans(tmp_path / "file", plans)
