"""Network and problem files: what is written is read again, and what is no such file is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pavane.errors import InputError
from pavane.io import read_network, read_network_or_problem, read_problem, write_network, write_problem
from pavane.io.files import collect_notes
from pavane.model.collectives import alltoall
from pavane.model.links import Links
from pavane.model.network import Network
from pavane.model.problem import Problem
from pavane.networks import FAMILIES, network, ring
from tests.io.schema import NETWORK_FILE, PROBLEM_FILE, check
from tests.strategies import networks, problems

FILE: dict[str, Any] = {
    "format": "pavane/network/1",
    "name": "triangle",
    "routers": ["a", "b", "c"],
    "channels": [[0, 1], [1, 2], [2, 0], [2, 0]],
    "processors": [0, 0, 2],
    "positions": [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]],
}
PROBLEM: dict[str, Any] = {
    "network": {key: value for key, value in FILE.items() if key != "format"},
    "collective": {"kind": "AAS", "senders": [0, 1, 2], "receivers": [0, 1, 2]},
    "rules": {"switching": "store-and-forward", "ports": 1, "duplex": "half", "routing": "any", "combining": True},
}

FAST: dict[str, Any] = FILE | {"capacities": [1, 12, 2, 1]}
CUT: dict[str, Any] = {
    "network": {key: value for key, value in FAST.items() if key != "format"},
    "collective": {**PROBLEM["collective"], "pieces": 3, "sizes": [[0, 1, 2], [2, 1, 0]]},
}


def refused(path: Path, content: object, text: str) -> None:
    """Write a file and expect that it is refused with a text that starts with its path."""
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(InputError, match=re.escape(text)) as caught:
        read_network_or_problem(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


# -- round trips


@pytest.mark.parametrize("example", [family.example for family in FAMILIES.values()])
def test_every_network_of_the_catalogue_is_read_as_it_was_written(example: str, tmp_path: Path) -> None:
    """A network file holds all of a network: names, channels, processors and positions."""
    made = network(example)
    write_network(tmp_path / "n.json", made)
    content = json.loads((tmp_path / "n.json").read_bytes())
    check(content, NETWORK_FILE)
    assert content["channels"] == made.channels.tolist()
    assert content["processors"] == made.router_of.tolist()
    found = read_network(tmp_path / "n.json")
    assert found == made
    assert found.has_gpus == made.has_gpus == ("gpus" in content)
    assert np.array_equal(found.boxes, made.boxes)  # type: ignore[arg-type]
    assert (made.boxes is not None) == ("boxes" in content)


def test_own_files_are_read_as_the_contract_says(tmp_path: Path) -> None:
    """`channels` are [tail, head], `processors[p]` is the router of p, and a problem file is a schedule's `problem`."""
    (tmp_path / "p.json").write_text(json.dumps(PROBLEM))
    assert read_problem(tmp_path / "p.json").to_dict() == PROBLEM
    (tmp_path / "n.json").write_text(json.dumps(FILE | {"name": "Netz — 網"}))
    found = read_network(tmp_path / "n.json")
    assert found.name == "Netz — 網"
    assert found.routers == ("a", "b", "c")
    assert found.channels.tolist() == FILE["channels"]
    assert found.router_of.tolist() == [0, 0, 2]
    assert found.positions is not None
    assert found.positions.tolist() == FILE["positions"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(networks(), st.data())
def test_any_capacities_are_read_as_they_were_written(tmp_path: Path, made: Network, data: st.DataObject) -> None:
    """A file has them where not every channel carries one, and is the same as before where each does."""
    count = made.num_channels
    capacities = data.draw(st.lists(st.sampled_from([1, 1, 2, 12, 1_000_000]), min_size=count, max_size=count))
    fast = Network(made.name, made.routers, made.channels, made.router_of, capacities=capacities)
    write_network(tmp_path / "n.json", fast)
    content = json.loads((tmp_path / "n.json").read_text())
    check(content, NETWORK_FILE)
    assert content.get("capacities") == (capacities if set(capacities) - {1} else None)
    assert read_network(tmp_path / "n.json") == fast
    assert read_network(tmp_path / "n.json").capacity.tolist() == capacities


@pytest.mark.parametrize("ending", ["json", "txt", "graphml", "gz", "no-ending"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_format_is_told_by_what_a_file_says(ending: str, mark: bytes, tmp_path: Path) -> None:
    """Neither the ending of the name nor a byte order mark nor white space before it changes what is read."""
    path = tmp_path / f"n.{ending}"
    path.write_bytes(mark + b" \r\n " + json.dumps(FILE).encode())
    assert read_network(path).routers == ("a", "b", "c")


@pytest.mark.parametrize(
    ("given", "capacities"),
    [
        ([0.5, 1, "2", 1.5], [1, 2, 4, 3]),
        (["1/3", "1/3", "2/3", 0.5], [2, 2, 4, 3]),
        ([0.25, 0.25, 0.25, 0.25], [1, 1, 1, 1]),
    ],
)
def test_fractions_are_multiplied_by_their_common_denominator(
    given: list[Any], capacities: list[int], tmp_path: Path
) -> None:
    """In network and problem files; one note says the unit."""
    (tmp_path / "n.json").write_text(json.dumps(FILE | {"capacities": given}))
    (tmp_path / "p.json").write_text(json.dumps(PROBLEM | {"network": PROBLEM["network"] | {"capacities": given}}))
    with collect_notes() as notes:
        assert read_network(tmp_path / "n.json").capacity.tolist() == capacities
        assert read_problem(tmp_path / "p.json").network.capacity.tolist() == capacities
    (note,) = notes
    assert re.fullmatch(r"network triangle: capacity 1 is 1/([246]) of that in .*: a step carries \1 messages .*", note)


# -- problems


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(problems())
def test_every_problem_is_read_as_it_was_written(tmp_path: Path, problem: Problem) -> None:
    """A problem file holds all of a problem, so its digest is kept."""
    path = tmp_path / "p.json"
    write_problem(path, problem)
    content = json.loads(path.read_bytes())
    check(content, PROBLEM_FILE)
    assert content == problem.to_dict()
    found = read_problem(path)
    assert found == problem
    assert found.digest() == problem.digest()


def test_a_network_is_no_problem_and_a_problem_no_network(tmp_path: Path) -> None:
    """A file of the other sort is refused with a word about what it is."""
    write_network(tmp_path / "n.json", ring(4))
    write_problem(tmp_path / "p.json", Problem(ring(4), alltoall(ring(4))))
    with pytest.raises(InputError, match="network alone; name a collective, too"):
        read_problem(tmp_path / "n.json")
    with pytest.raises(InputError, match="a problem or schedule, where a network was expected"):
        read_network(tmp_path / "p.json")


# -- refusals


@pytest.mark.parametrize("key", ["name", "routers", "channels", "processors"])
def test_missing_and_unknown_keys_are_named(key: str, tmp_path: Path) -> None:
    """What a network file must have is asked for by name, and it takes no key that the contract does not have."""
    refused(tmp_path / "n.json", {k: v for k, v in FILE.items() if k != key}, f"missing required field `{key}`")
    refused(tmp_path / "n.json", {**FILE, "colour": "red"}, "unknown field `colour`")
    refused(tmp_path / "p.json", {**PROBLEM, "colour": "red"}, "unknown field `colour`")


@pytest.mark.parametrize(
    ("part", "changes", "text"),
    [
        ("", {"format": "pavane/network/2"}, "says format 'pavane/network/2'; known are pavane/network/1"),
        ("", {"channels": [[0, 3]]}, "channel 0 runs from router 0 to 3, but routers are numbered 0 to 2"),
        ("", {"channels": [[0, 1, 2]]}, "expected `array` of length 2"),
        ("", {"channels": [[0, 1.5]]}, "expected `int`, got `float` - at `$.channels[0][1]`"),
        ("", {"channels": [[0, 10**30]]}, "must be"),
        ("", {"channels": [[0, 2**31]]}, "channels must be numbers below 2,147,483,648"),
        ("", {"processors": [10**30]}, "must be"),
        ("", {"routers": [1, 2, 3]}, "expected `str`, got `int` - at `$.routers[0]`"),
        ("", {"positions": [["x", 0.0]]}, "expected `float`, got `str`"),
        ("", {"capacities": [1, 2, 3]}, "capacities are one number per channel, 4 in all; 3 were given"),
        ("", {"capacities": [1, 0.0003, 1, 1]}, "network triangle: the capacities are multiples of no fraction down"),
        ("", {"capacities": [1, 10**30, 1, 1]}, "channel 1 has capacity 1e+30; give whole numbers from 1 to 1,000,000"),
        ("", {"capacities": [1, "wide", 1, 1]}, "channel 1 has capacity 'wide'; give a number like 2, 0.5 or \"1/3\""),
        ("", {"capacities": [1, True, 1, 1]}, "expected `int | float | str`, got `bool` - at `$.capacities[1]`"),
        ("collective", {"senders": [0, 9]}, "sender 9 is out of range; triangle has processors 0 to 2"),
        ("collective", {"pieces": 1.5}, "expected `int`, got `float` - at `$.collective.pieces`"),
        ("collective", {"pieces": 10**30}, "pieces"),
        ("collective", {"sizes": [[0, 1]]}, "a size is (origin, target, units), as whole numbers; got (0, 1)"),
        ("collective", {"sizes": [[0, 1, 1.5]]}, "expected `int`, got `float` - at `$.collective.sizes[0][2]`"),
        ("rules", {"ports": "many"}, "ports 'many' is not a number; give all, or 1 or more"),
        ("rules", {"ports": 10**30}, "at `$.rules.ports`"),
        ("rules", {"combining": "yes"}, "expected `bool`, got `str` - at `$.rules.combining`"),
    ],
)
def test_what_is_no_network_or_problem_is_refused(
    part: str, changes: dict[str, Any], text: str, tmp_path: Path
) -> None:
    """The text says what is wrong and where; a problem in a file is checked like any other."""
    content = {**PROBLEM, part: {**PROBLEM[part], **changes}} if part else {**FILE, **changes}
    refused(tmp_path / "n.json", content, text)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (json.dumps(FILE)[:-20], "truncated"),
        (json.dumps(FILE) + "{", "trailing characters"),
        ('{"format": NaN}', "malformed"),
        (json.dumps(FILE).replace("0.5", "NaN"), "malformed"),
        (json.dumps(FILE).replace("0.5", "1e999"), "out of range"),
        ('{"hello": "world"}', "says no format; known are pavane/network/1, pavane/schedule/1, a problem"),
        ("[1, 2]", "expected `object`, got `array`"),
        ('{"format": "pavane/network/1", "name":' + "[" * 100_000, "nested too deeply"),
        ('{"nodes": [{"id": ' + "[" * 100_000, "nested too deeply"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_broken_and_foreign_json_is_refused(content: str, text: str, tmp_path: Path) -> None:
    """JSON that is cut off, malformed, too deep or about something else gets one line."""
    refused(tmp_path / "n.json", content, text)


def test_bytes_that_are_no_text_are_refused_inside_json(tmp_path: Path) -> None:
    """A name must be UTF-8."""
    (tmp_path / "n.json").write_bytes(json.dumps(FILE).replace("triangle", "@").encode().replace(b"@", b"\xff\xfe"))
    with pytest.raises(InputError, match=r"n\.json: not what was expected there: "):
        read_network(tmp_path / "n.json")


ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 10**20), st.floats(allow_nan=False, allow_infinity=False))
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["capacities", "pieces", "sizes"]), ANYTHING | st.lists(st.lists(st.integers(-1, 4), max_size=4))
)
def test_any_value_of_the_new_keys_is_read_or_refused(tmp_path: Path, key: str, value: Any) -> None:
    """Capacities, pieces and sizes of any shape give a problem, or one line that names the file."""
    part = "network" if key == "capacities" else "collective"
    path = tmp_path / "p.json"
    path.write_text(json.dumps({**CUT, part: {**CUT[part], key: value}}))
    refusal = f"{path}: "
    try:
        assert isinstance(read_problem(path), Problem)
    except InputError as error:
        refusal = str(error)
    assert refusal.startswith(f"{path}: ")
    assert refusal.isprintable()


def test_links_of_a_network_file_are_read_beside_the_network(tmp_path: Path) -> None:
    """A network file may have latencies, overheads and bandwidths; others are filled in, times the capacities."""
    path = tmp_path / "network.json"
    content = {
        "format": "pavane/network/1",
        "name": "pair",
        "routers": ["a", "b"],
        "channels": [[0, 1], [1, 0]],
        "processors": [0, 1],
        "capacities": [2, 3],
        "latency_ps": [5, 6],
    }
    path.write_text(json.dumps(content))
    net = read_network(path)
    links = Links.of_network(net, latency_ps=1, overhead_ps=4, bytes_per_second=10)
    assert links.latencies.tolist() == [5, 6]
    assert links.overheads.tolist() == [4, 4]
    assert links.bandwidths.tolist() == [20, 30]
