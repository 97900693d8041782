"""Workloads in files (YAML), in dicts, and by name: those of the package.

The schema is in docs/predict.md. Unknown keys are refused, and every error names the key by its path, as in
`phases[2].bytes`.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from pavane.campaign.workload_model.expressions import Expression, expression
from pavane.campaign.workload_model.quantities import (
    Quantity,
    count_of,
    operations_of,
    read_speed,
    size_of,
    speed_of,
    time_of,
)
from pavane.campaign.workload_model.workload import (
    MOST_PHASES,
    OF_EVERY_NETWORK,
    Communicate,
    Compute,
    Loop,
    Phase,
    Sizes,
    Workload,
)
from pavane.campaign.workload_model.yaml_values import values_of_file, values_of_object
from pavane.errors import InputError, cut_short, expect, shortened
from pavane.io.files import File, open_file
from pavane.model.collectives import kind_of

VERSION = "1"

KINDS = ("OAB", "OAS", "AAB", "AAS", "AOG", "AOR", "AAR", "ALLREDUCE")
"""The collectives that a phase may have; which processors take part is said by its groups."""

NEIGHBOURS = ("neighbours", "neighbours-around")
"""Pairs by name: with the processors beside, above and below, and with those around the edges of the shape, too."""

MOST_MEMBERS = 100_000
"""The most processors, pairs or sizes that a phase lists."""

EXAMPLES = ("fft", "cg", "summa", "sample-sort", "training", "mixture-of-experts")
"""The workloads of the package, by name."""


def workload(source: str | Path | Mapping[str, Any], *, speed: float | str | None = None) -> Workload:
    """Read what an application does: a YAML file, the same as a dict, or the name of a workload of the package.

    Args:
        source: A file, a dict, or one of fft, cg, summa, sample-sort, training and mixture-of-experts.
        speed: Operations a second of a processor, like "10GFLOP/s"; it replaces the speed of the file.

    Returns:
        The workload, for `predict`.

    Example:
        >>> phases = [{"compute": "2us"}, {"collective": "alltoall", "bytes": "1KiB"}]
        >>> pavane.workload({"workload": 1, "name": "mine", "phases": phases})
        <Workload: mine, 2 phases>
    """
    if speed is not None:
        expect(speed, (str, int, float), "speed", "give operations a second, like '10GFLOP/s' or 1e10")
        value = read_speed(speed, "`speed`") if isinstance(speed, str) else float(speed)
        return replace(workload(source), speed=Quantity(str(speed), "`speed`", "operations a second", value))
    if isinstance(source, Mapping):
        return _read(values_of_object(dict(source)), "workload")
    expect(source, (str, os.PathLike), "workload", "name a file or a workload of the package, or give a dict")
    text = str(source)
    if text in EXAMPLES and not os.path.exists(text):
        return workload_of(File.of(example_text(text).encode(), f"{text}.yaml"))
    if not os.path.exists(text) and not re.search(r"[/\\.]", text):
        near = difflib.get_close_matches(text, EXAMPLES, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"the package has {', '.join(EXAMPLES)}"
        raise InputError(f"there is no workload or file {shortened(text)}; {hint}")
    return workload_of(open_file(text))


def example_text(name: str) -> str:
    """Return the file of a workload of the package."""
    folder = resources.files("pavane.campaign.workload_model") / "examples"
    return (folder / f"{name}.yaml").read_text(encoding="utf-8")


def workload_of(file: File) -> Workload:
    """Read a workload from a file."""
    values = values_of_file(file)
    try:
        return _read(values, file.stem)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None


# -- the whole


def _read(values: Any, name: str) -> Workload:
    keys = _mapping(values, "", ("workload", "name", "about", "parameters", "speed", "groups", "phases"))
    if "workload" not in keys:
        raise InputError("workload: the key is missing; a workload begins with `workload: 1`")
    if keys["workload"] != VERSION:
        raise InputError(f"workload: version {shortened(keys['workload'])} is not known; write `workload: {VERSION}`")
    parameters = _parameters(keys.get("parameters", {}))
    known = (*OF_EVERY_NETWORK, *parameters)
    shape, groups = _groups(keys.get("groups", {}), tuple(parameters))
    about = _Reader(known, tuple(groups))
    return Workload(
        _word(keys.get("name", name), "name"),
        about.phases(keys.get("phases"), "phases"),
        _word(keys.get("about", ""), "about", 300),
        parameters,
        about.quantity(keys, "speed", "", speed_of),
        shape,
        groups,
    )


def _parameters(values: Any) -> dict[str, Expression]:
    found: dict[str, Expression] = {}
    for name, text in _mapping(values, "parameters").items():
        where = f"parameters.{name}"
        if not re.fullmatch(r"[A-Za-z]\w{0,40}", name, re.ASCII) or name in OF_EVERY_NETWORK:
            raise InputError(f"{where}: a parameter is a word of letters and digits, and none of P, rows and columns")
        found[name] = expression(_text(text, where), where, (*OF_EVERY_NETWORK, *found))
    return found


def _groups(
    values: Any, known: Collection[str]
) -> tuple[tuple[Quantity, Quantity] | None, dict[str, tuple[tuple[int, ...], ...]]]:
    keys = _mapping(values, "groups")
    shape = None
    if "shape" in keys:
        sizes = keys.pop("shape")
        if not isinstance(sizes, list) or len(sizes) != 2:
            raise InputError("groups.shape: give rows and columns, as in [4, 4]")
        # The shape is what rows and columns are counted by, so it cannot be a formula of them.
        first, second = (
            count_of(_text(size, f"groups.shape[{at}]"), f"groups.shape[{at}]", ("P", *known))
            for at, size in enumerate(sizes)
        )
        shape = first, second
    for name in keys:
        if name in ("all", "rows", "columns"):
            raise InputError(f"groups.{name}: this name is taken; choose another")
    return shape, {name: _members(listed, f"groups.{name}") for name, listed in keys.items()}


def _members(listed: Any, where: str) -> tuple[tuple[int, ...], ...]:
    """Read the members of each group: lists of processors, or texts like 0-3,8."""
    if not isinstance(listed, list) or not listed:
        raise InputError(f"{where}: list the groups, as in [[0, 1], [2, 3]] or ['0-3', '4-7']")
    groups = tuple(tuple(_processors(each, f"{where}[{at}]")) for at, each in enumerate(listed))
    everyone = [member for group in groups for member in group]
    if len(everyone) > MOST_MEMBERS:
        raise InputError(f"{where}: {len(everyone):,} processors are too many to list; at most {MOST_MEMBERS:,} are")
    if len(set(everyone)) < len(everyone):
        twice = next(member for member in everyone if everyone.count(member) > 1)
        raise InputError(f"{where}: processor {twice} is listed twice; a processor is in one group at a time")
    return groups


def _processors(listed: Any, where: str) -> Iterable[int]:
    if isinstance(listed, list):
        return [_whole(each, f"{where}[{at}]") for at, each in enumerate(listed)]
    found: list[int] = []
    for part in _text(listed, where).split(","):
        ends = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", part, re.ASCII)
        if ends is None or int(ends[2] or ends[1]) - int(ends[1]) not in range(MOST_MEMBERS):
            raise InputError(f"{where}: {shortened(part)} is not a processor or a range; write a list like 0-7,9")
        found += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    return found


# -- phases


class _Reader:
    """Reads phases, with the names that formulas and groups may use."""

    def __init__(self, known: tuple[str, ...], groups: tuple[str, ...]) -> None:
        self.known, self.groups, self.num_phases = known, groups, 0

    def phases(self, values: Any, where: str) -> tuple[Phase, ...]:
        if not isinstance(values, list) or not values:
            raise InputError(f"{where}: list at least one phase, as in `- compute: 10us`")
        return tuple(self._phase(value, f"{where}[{at}]") for at, value in enumerate(values))

    def _phase(self, value: Any, where: str) -> Phase:
        self.num_phases += 1
        if self.num_phases > MOST_PHASES:
            raise InputError(f"{where}: there are too many phases; at most {MOST_PHASES} are read, so use loops")
        keys = _mapping(value, where)
        kinds = [kind for kind in ("compute", "collective", "pairs", "loop") if kind in keys]
        if len(kinds) != 1:
            problem_text = f"{' and '.join(kinds)} stand together" if kinds else "nothing says what it does"
            raise InputError(f"{where}: {problem_text}; give one of compute, collective, pairs and loop")
        return {
            "compute": self._compute,
            "collective": self._collective,
            "pairs": self._pairs,
            "loop": self._loop,
        }[kinds[0]](keys, where)

    def _compute(self, keys: dict[str, Any], where: str) -> Phase:
        _mapping(keys, where, ("name", "compute", "times"))
        about, inside = keys["compute"], f"{where}.compute"
        if isinstance(about, dict):
            _mapping(about, inside, ("seconds", "operations", "speed"))
            seconds, operations = (
                self.quantity(about, "seconds", inside, time_of),
                self.quantity(about, "operations", inside, operations_of),
            )
            speed = self.quantity(about, "speed", inside, speed_of)
            if (seconds is None) == (operations is None):
                raise InputError(f"{inside}: give seconds, or operations; one of the two")
            if seconds is not None and speed is not None:
                raise InputError(f"{inside}.speed: a speed goes with operations; leave it out, or give operations")
        else:
            seconds, operations, speed = time_of(_text(about, inside), inside, self.known), None, None
        name = _word(keys.get("name", "computing"), f"{where}.name")
        return Compute(name, where, seconds, operations, speed, self._times(keys, where))

    def _collective(self, keys: dict[str, Any], where: str) -> Phase:
        _mapping(keys, where, ("name", "collective", "bytes", "groups", "root", "sizes", "times"))
        word = _text(keys["collective"], f"{where}.collective").strip().lower().replace("_", "-")
        collective = {"alltoallv": "alltoall", "scatterv": "scatter", "gatherv": "gather"}.get(word, word)
        try:
            kind = kind_of(collective)
        except InputError as error:
            raise InputError(f"{where}.collective: {error}") from None
        if kind not in KINDS or word == "reduce-broadcast":
            raise InputError(
                f"{where}.collective: {word} does not go in groups; choose broadcast, scatter, gather, reduce, "
                "allgather, alltoall, reduce-scatter or allreduce, or `pairs`"
            )
        sizes = None
        if "sizes" in keys:
            if kind not in ("AAS", "OAS", "AOG"):
                raise InputError(
                    f"{where}.sizes: {word} has messages of one size; sizes go with alltoall, scatter, gather"
                )
            sizes = _sizes(keys["sizes"], f"{where}.sizes")
        elif word != collective:
            raise InputError(f"{where}.sizes: {word} needs sizes, as in {{to: [1, 2, 4]}}; or choose {collective}")
        root = self.quantity(keys, "root", where, count_of)
        if root is not None and kind not in ("OAB", "OAS", "AOG", "AOR"):
            raise InputError(f"{where}.root: {word} has no root; leave it out")
        name = _word(keys.get("name", word), f"{where}.name")
        groups = self._groups(keys.get("groups", "all"), f"{where}.groups")
        times = self._times(keys, where)
        return Communicate(name, where, collective, self._bytes(keys, where), groups, root, (), sizes, times)

    def _pairs(self, keys: dict[str, Any], where: str) -> Phase:
        _mapping(keys, where, ("name", "pairs", "bytes", "times"))
        about, inside = keys["pairs"], f"{where}.pairs"
        pairs: str | tuple[tuple[int, int], ...]
        if isinstance(about, str) and not re.match(r"\s*\d", about):
            pairs = about.strip()
            if pairs not in NEIGHBOURS:
                raise InputError(
                    f"{inside}: {shortened(about)} is not known; write {' or '.join(NEIGHBOURS)}, or a list like "
                    "[[0, 5], [1, 4]]"
                )
        else:
            pairs = _listed_pairs(about, inside)
        name = _word(keys.get("name", "exchange" if pairs in NEIGHBOURS else "pairs"), f"{where}.name")
        size, times = self._bytes(keys, where), self._times(keys, where)
        return Communicate(name, where, "pairs", size, "all", None, pairs, None, times)

    def _loop(self, keys: dict[str, Any], where: str) -> Phase:
        _mapping(keys, where, ("name", "loop", "phases"))
        times = count_of(_text(keys["loop"], f"{where}.loop"), f"{where}.loop", self.known)
        name = _word(keys.get("name", "loop"), f"{where}.name")
        return Loop(name, where, times, self.phases(keys.get("phases"), f"{where}.phases"))

    # -- single keys

    def quantity(self, keys: Mapping[str, Any], key: str, where: str, read: Any) -> Quantity | None:
        if key not in keys:
            return None
        path = f"{where}.{key}" if where else key
        found: Quantity = read(_text(keys[key], path), path, self.known)
        return found

    def _bytes(self, keys: Mapping[str, Any], where: str) -> Quantity:
        found = self.quantity(keys, "bytes", where, size_of)
        if found is None:
            raise InputError(f"{where}.bytes: the key is missing; give the size of a message, as in `bytes: 1KiB`")
        return found

    def _times(self, keys: Mapping[str, Any], where: str) -> Quantity | None:
        return self.quantity(keys, "times", where, count_of)

    def _groups(self, value: Any, where: str) -> str | tuple[tuple[int, ...], ...]:
        if not isinstance(value, str):
            return _members(value, where)
        known = ("all", "rows", "columns", *self.groups)
        if value not in known:
            raise InputError(f"{where}: {shortened(value)} is not known; choose {', '.join(known)}, or list groups")
        return value


def _listed_pairs(listed: Any, where: str) -> tuple[tuple[int, int], ...]:
    if isinstance(listed, str):
        listed = [re.split("[>:]", part) for part in listed.split(",")]
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_MEMBERS:
        raise InputError(f"{where}: list the pairs, as in [[0, 5], [1, 4]] or '0>5,1>4'")
    found = []
    for at, pair in enumerate(listed):
        if not isinstance(pair, list) or len(pair) != 2:
            raise InputError(f"{where}[{at}]: {shortened(pair)} is not a pair; write sender and receiver, as in [0, 5]")
        ends = _whole(pair[0], f"{where}[{at}]"), _whole(pair[1], f"{where}[{at}]")
        if ends[0] == ends[1]:
            raise InputError(f"{where}[{at}]: processor {ends[0]} would send to itself; leave that pair out")
        found.append(ends)
    if len(set(found)) < len(found):
        raise InputError(f"{where}: a pair is listed twice; list it once and give it more bytes")
    return tuple(found)


def _sizes(value: Any, where: str) -> Sizes:
    if isinstance(value, dict):
        keys = _mapping(value, where, ("from", "to"))
        if not keys:
            raise InputError(f"{where}: give units by sender or by receiver, as in {{to: [1, 2, 4]}}, or a table")
        factors = {key: _units(keys[key], f"{where}.{key}") for key in keys}
        return Sizes((), factors.get("from", (1,)), factors.get("to", (1,)))
    if not isinstance(value, list) or not value or len(value) ** 2 > MOST_MEMBERS:
        raise InputError(f"{where}: give {{to: [1, 2, 4]}}, or a table with a row for each sender")
    table = tuple(_units(row, f"{where}[{at}]") for at, row in enumerate(value))
    for at, row in enumerate(table):
        if len(row) != len(table):
            raise InputError(f"{where}[{at}]: the row has {len(row)} numbers; give {len(table)}, as many as rows")
    return Sizes(table)


def _units(listed: Any, where: str) -> tuple[int, ...]:
    if not isinstance(listed, list) or not listed or len(listed) > MOST_MEMBERS:
        raise InputError(f"{where}: list whole numbers of units, as in [1, 2, 4]")
    found = tuple(_whole(each, f"{where}[{at}]") for at, each in enumerate(listed))
    if max(found) > 10_000:
        raise InputError(f"{where}: {max(found)} units are too many; give at most 10,000, and more bytes a unit")
    return found


# -- plain values


def _mapping(value: Any, where: str, known: Collection[str] | None = None) -> dict[str, Any]:
    if not isinstance(value, dict):
        place = f"{where}: " if where else ""
        raise InputError(
            f"{place}{shortened(value)} was found where keys with values were expected, as in `bytes: 1KiB`"
        )
    for key in value if known is not None else ():
        if key not in (known or ()):
            near = difflib.get_close_matches(key, list(known or ()), n=1)
            hint = f"did you mean {near[0]}?" if near else f"keys are {', '.join(known or ())}"
            raise InputError(f"{f'{where}.' if where else ''}{cut_short(key)}: the key is not known; {hint}")
    return dict(value)


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError(
            f"{where}: {shortened(value)} was found where one value was expected; give a number or a formula"
        )
    return value


def _word(value: Any, where: str, most: int = 60) -> str:
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        raise InputError(f"{where}: {shortened(value)} is not one line of at most {most} characters; shorten it")
    return value


def _whole(value: Any, where: str) -> int:
    if not isinstance(value, str) or not re.fullmatch(r"\s*\d{1,9}\s*", value, re.ASCII):
        raise InputError(f"{where}: {shortened(value)} is not a whole number; give 0 or more")
    return int(value)
