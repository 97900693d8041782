"""Networks from the network files of ASTRA-sim, in YAML.

`topology: [Ring, Switch]` and `npus_count: [8, 4]` are a product: 32 processors, those that differ in the first
dimension in rings of 8, those that differ in the second around pure switches. Bandwidths of dimensions become
capacities in the same ratio. In start times they count with the latencies (ns); a GB is 2^30 bytes, as in ASTRA-sim.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from pavane.errors import InputError
from pavane.io.capacities import as_capacities
from pavane.io.files import File
from pavane.io.format import Format
from pavane.io.network_builder import LATENCIES, ChannelSpeed, NetworkBuilder
from pavane.io.parsing import shown, text_of, whole
from pavane.model.network import Network
from pavane.networks.limits import allow_size

MOST_YAML_BYTES = 2**20
SHAPES = {"ring": "Ring", "fullyconnected": "FullyConnected", "switch": "Switch"}


def recognizes(file: File) -> bool:
    """Return whether a file begins with the keys of an ASTRA-sim network file."""
    return all(re.search(rf"^{key}\s*:", file.head, re.M) for key in ("topology", "npus_count"))


def read(file: File) -> Network:
    """Read a network from an ASTRA-sim network file."""
    content = _yaml(file, text_of(file, MOST_YAML_BYTES))
    shapes = [_shape(file, value) for value in _listed(file, content, "topology")]
    sizes = [whole(str(value), f"{file}: a count of npus_count", 1) for value in _listed(file, content, "npus_count")]
    if len(sizes) != len(shapes):
        raise InputError(f"{file}: topology has {len(shapes)} dimensions and npus_count {len(sizes)}; give as many")
    capacities = _capacities(file, content, len(sizes))
    speeds = _speeds(file, content, len(sizes))
    num_processors = math.prod(sizes)
    for shape, size in zip(shapes, sizes, strict=True):
        allow_size(Path(file.name).name, num_processors * (size if shape == "fullyconnected" else 2))
    builder = NetworkBuilder(file)
    for processor in range(num_processors):
        builder.router(str(processor))
    stride = 1
    for number, (shape, size, capacity, speed) in enumerate(zip(shapes, sizes, capacities, speeds, strict=True)):
        for start in _starts(num_processors, stride, size):
            members = [start + stride * index for index in range(size)]
            if size > 1:
                _join(builder, shape, members, (capacity, speed), f"switch{number}.{start}")
        stride *= size
    return builder.network()


def _yaml(file: File, text: str) -> dict[Any, Any]:
    import yaml

    try:
        # Nothing but text, lists and mappings: no dates, numbers or objects that could be wrong in ways of their own.
        content = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise InputError(f"{file}{line}: not YAML that can be read: {error.problem}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{file}: not YAML that can be read: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise InputError(f"{file}: the YAML is nested too deeply") from None
    if not isinstance(content, dict):
        raise InputError(f"{file}: an ASTRA-sim network file has keys `topology` and `npus_count`")
    return content


def _listed(file: File, content: dict[Any, Any], key: str) -> list[Any]:
    values = content.get(key)
    if isinstance(values, str) and values:
        values = [values]
    if not isinstance(values, list) or not values:
        raise InputError(f"{file}: `{key}` must list a value for each dimension, as in {key}: [ ... ]")
    return values


def _shape(file: File, value: object) -> str:
    shape = value.lower().replace("_", "") if isinstance(value, str) else ""
    if shape not in SHAPES:
        raise InputError(f"{file}: topology {shown(value)} is not known; choose {', '.join(SHAPES.values())}")
    return shape


def _capacities(file: File, content: dict[Any, Any], count: int) -> list[int]:
    """Return the capacity of the channels of each dimension."""
    if any(value not in ("0", "0.0") for value in _values(content.get("latency"))):
        file.note(LATENCIES)
    speeds = _numbers(file, content, "bandwidth", count)
    if speeds is None:
        return [1] * count
    return list(as_capacities(file, dict(enumerate(speeds)), "bandwidths").values())


def _numbers(file: File, content: dict[Any, Any], key: str, count: int) -> list[Fraction] | None:
    """Return a number for each dimension; None where the file has none. A bandwidth is above 0."""
    if key not in content:
        return None
    values = _listed(file, content, key)
    if len(values) != count:
        raise InputError(f"{file}: topology has {count} dimensions and {key} {len(values)}; give as many")
    for value in values:
        is_number = re.fullmatch(r"\d{1,9}(\.\d{1,9})?", str(value), re.ASCII)
        if not is_number or (key == "bandwidth" and not Fraction(str(value))):
            least = "above 0" if key == "bandwidth" else "of nanoseconds"
            raise InputError(f"{file}: {key} {shown(value)} is not a number {least}")
    return [Fraction(str(value)) for value in values]


def _speeds(file: File, content: dict[Any, Any], count: int) -> list[ChannelSpeed]:
    """Return the latency and bandwidth of the channels of each dimension."""
    latencies, rates = (_numbers(file, content, key, count) for key in ("latency", "bandwidth"))
    return [
        ChannelSpeed(
            None if latencies is None else round(latencies[dimension] * 1000),
            None if rates is None else max(1, round(rates[dimension] * 2**30)),
        )
        for dimension in range(count)
    ]


def _values(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _starts(count: int, stride: int, size: int) -> Iterator[int]:
    """Yield the first processor of each group along a dimension."""
    for outer in range(0, count, stride * size):
        yield from range(outer, outer + stride)


def _join(builder: NetworkBuilder, shape: str, members: list[int], width: tuple[int, ChannelSpeed], name: str) -> None:
    if shape == "switch":
        switch = builder.router(name, 0)
        for member in members:
            builder.link(member, switch, *width)
    elif shape == "fullyconnected":
        for index, a in enumerate(members):
            for b in members[index + 1 :]:
                builder.link(a, b, *width)
    else:
        # Two processors in a ring are joined once, not there and back again.
        for index in range(len(members) if len(members) > 2 else 1):
            builder.link(members[index], members[(index + 1) % len(members)], *width)


ASTRA_SIM = Format(
    "astra-sim",
    "network file of ASTRA-sim: a product of rings, complete networks and pure switches",
    recognizes,
    read,
)
