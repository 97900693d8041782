"""Settings of solvers: read from text, listed with their meaning, refused with a hint."""

from __future__ import annotations

from dataclasses import dataclass, make_dataclass
from typing import Any, Literal

import pytest

from pavane.errors import InputError
from pavane.search.settings import changed, configured, parameters, shown
from pavane.solvers import SOLVERS
from pavane.solvers.ejection.ejection import Ejection


@dataclass(frozen=True)
class Above:
    """A solver with one setting."""

    name: str = "above"
    polish: int = 4
    """How often. A second sentence."""


@dataclass(frozen=True)
class Tried(Above):
    """A solver with a setting of every type."""

    name: str = "tried"
    rate: float = 0.5
    """What share,
    told on two lines."""
    quick: bool = False
    order: Literal["near", "far"] = "near"
    radius: int | None = None
    prices: tuple[float, ...] = (0.1, 0.3)
    title: str = "plain"

    def __post_init__(self) -> None:
        if self.polish < 0:
            raise ValueError("polish must not be negative")


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("polish=7", "polish", 7),
        (" polish = 7 ", "polish", 7),
        ("polish=4_000", "polish", 4000),
        ("rate=0.25", "rate", 0.25),
        ("rate=3", "rate", 3.0),
        ("rate=1e-3", "rate", 0.001),
        ("quick=true", "quick", True),
        ("quick=Yes", "quick", True),
        ("quick=no", "quick", False),
        ("quick=false", "quick", False),
        ("order=far", "order", "far"),
        ("radius=2", "radius", 2),
        ("radius=none", "radius", None),
        ("prices=1,2.5", "prices", (1.0, 2.5)),
        ("prices=", "prices", ()),
        ("title=a=b", "title", "a=b"),
    ],
)
def test_a_value_is_read_by_the_type_of_its_setting(text: str, name: str, value: Any) -> None:
    """Whole numbers, numbers, yes and no, choices, none, lists and text; the other settings stay as they were."""
    start = Tried(radius=9)
    made = configured(start, [text])
    assert getattr(made, name) == value
    assert type(getattr(made, name)) is type(value)
    same = [p.name for p in parameters(start) if p.name != name]
    assert [getattr(made, other) for other in same] == [getattr(start, other) for other in same]


def test_several_settings_at_once() -> None:
    """All are set; none leaves the solver itself."""
    assert configured(Tried(), ["polish=1", "quick=yes"]) == Tried(polish=1, quick=True)
    assert configured(Tried(), []) == Tried()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("polsh=4", "unknown setting 'polsh' of tried; did you mean polish?"),
        ("zzz=4", "it has polish, rate, quick, order, radius, prices, title"),
        ("polish", "setting 'polish' has no value; write NAME=VALUE, for example polish=4"),
        ("=4", "write NAME=VALUE"),
        ("name=other", "the name of tried cannot be set"),
        ("polish=x", "invalid value 'x' for setting polish of tried: expected a whole number"),
        ("polish=1.5", "expected a whole number"),
        ("rate=nan", "expected a number"),
        ("rate=inf", "expected a number"),
        ("quick=2", "expected true or false"),
        ("order=nearly", "invalid value 'nearly' for setting order of tried: expected near or far"),
        ("radius=wide", "expected a whole number or none"),
        ("prices=1,x", "expected a list of numbers"),
        ("polish=-1", "settings of tried: polish must not be negative"),
    ],
)
def test_what_cannot_be_set_is_refused(text: str, said: str) -> None:
    """The one line says what there is, or what type is wanted."""
    with pytest.raises(InputError) as refused:
        configured(Tried(), [text])
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_setting_is_given_once() -> None:
    """Twice is a contradiction, whatever the values."""
    with pytest.raises(InputError, match="setting polish of tried is given twice"):
        configured(Tried(), ["polish=1", "polish=1"])
    with pytest.raises(InputError, match="unknown setting 'polish': greedy has none"):
        configured(SOLVERS["greedy"], ["polish=1"])


def test_the_settings_are_listed_with_their_meaning() -> None:
    """Name, type in words, the value in this solver, and the first sentence under the field; inherited ones, too."""
    listed = {p.name: tuple(p[1:]) for p in parameters(Tried(polish=2))}
    assert list(listed) == ["polish", "rate", "quick", "order", "radius", "prices", "title"]
    assert listed["polish"] == ("whole number", 2, "How often.")
    assert listed["rate"] == ("number", 0.5, "What share, told on two lines.")
    assert listed["quick"] == ("true or false", False, "")
    assert listed["order"][0] == "near or far"
    assert listed["radius"][0] == "whole number or none"
    assert listed["prices"][0] == "list of numbers"
    assert listed["title"][0] == "text"


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=SOLVERS)
def test_what_is_shown_can_be_set(solver: Any) -> None:
    """Every setting of every registered solver, written as it is shown, gives the same solver back."""
    texts = [f"{p.name}={shown(p.default)}" for p in parameters(solver)]
    assert configured(solver, texts) == solver
    assert "name" not in {p.name for p in parameters(solver)}


def test_arguments_of_the_portfolio_are_not_settings() -> None:
    """What a search fills in for itself cannot be set by users, and is not listed."""
    assert "goal" not in {p.name for p in parameters(SOLVERS["combining"])}
    with pytest.raises(InputError, match="unknown setting 'least_steps' of trees"):
        configured(SOLVERS["trees"], ["least_steps=3"])


def test_what_was_changed() -> None:
    """The settings that are not the usual ones, as they would be written."""
    assert changed(Tried(polish=1, radius=3, prices=(2.0,))) == ("polish=1", "radius=3", "prices=2.0")
    assert changed(Tried()) == ()
    assert changed(SOLVERS["ejection"], SOLVERS["ejection"]) == ()
    assert changed(Ejection(detour=1), SOLVERS["ejection"]) == ("detour=1",)
    assert changed(Ejection(detour=1), SOLVERS["greedy"]) == ("detour=1",)


def test_a_class_made_at_run_time_has_settings_without_help() -> None:
    """There is no source to read; names and defaults are listed all the same."""
    made = make_dataclass("Made", [("name", str, "made"), ("polish", int, 4)], frozen=True)
    (setting,) = parameters(made())
    assert (setting.name, setting.default, setting.help) == ("polish", 4, "")
    assert configured(made(), ["polish=7"]).polish == 7
