"""What the papers print, read from figures.toml, which has a comment on every table."""

from __future__ import annotations

from importlib import resources

import msgspec

Pair = tuple[int, int]
Row = tuple[int, int, int, int]
"""Figures of OAB, AAB, OAS and AAS."""


class Gecco07(msgspec.Struct, forbid_unknown_fields=True):
    """The figures of gecco07."""

    hypercubes: dict[int, dict[str, Pair]]
    meshes: tuple[tuple[str, int | str, str, int, int, int], ...]
    octagon: tuple[str, ...]
    fat_octagon: tuple[tuple[str, Pair, Pair, int], ...]


class Gecco08(msgspec.Struct, forbid_unknown_fields=True):
    """The figures of gecco08."""

    words: list[str]
    scattered: tuple[str, ...]
    subtrees: tuple[str, ...]
    sizes: dict[int, tuple[int, int, int, int, int, int]]
    bounds: dict[str, Row]
    faults: dict[str, Row]
    specs: dict[str, str]
    steps: dict[str, tuple[Pair, Pair, Pair, Pair, tuple[str, str, str, str]]]
    parameters: dict[str, tuple[int, int, int, int, int, int]]


class Noc(msgspec.Struct, forbid_unknown_fields=True):
    """The figures of noc."""

    ring_formulas: tuple[str, ...]
    mesh_formulas: tuple[str, ...]
    bounds: dict[str, tuple[str, Row]]
    reached_singly: dict[str, tuple[Pair, Pair, Pair, Pair]]
    reached_combining: dict[str, tuple[Pair, Pair, Pair, Pair]]
    times: dict[str, Row]


class PrintedFigures(msgspec.Struct, forbid_unknown_fields=True):
    """The figures of all papers."""

    gecco07: Gecco07
    gecco08: Gecco08
    noc: Noc


FIGURES = msgspec.toml.decode(
    (resources.files("papers") / "figures.toml").read_text(encoding="utf-8"), type=PrintedFigures
)
