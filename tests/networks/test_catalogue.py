"""The catalogue as a whole: every family, the texts that name networks, and the texts that are refused."""

import inspect
import re
import subprocess
import sys

import numpy as np
import pytest

from pavane import networks
from pavane.errors import InputError
from pavane.networks import FAMILIES, network, switches_of


@pytest.mark.parametrize("name", FAMILIES)
def test_family(name: str) -> None:
    """Each family says how it is written, gives an example, and is a public maker of the same name."""
    family = FAMILIES[name]
    assert family.name == name
    assert family.usage.split(":")[0] == name
    assert family.about.endswith(".")
    assert "\n" not in family.about
    assert getattr(networks, name.replace("-", "_")) is family.maker
    assert getattr(networks, family.maker.__name__) is family.maker
    assert bool(inspect.signature(family.maker).parameters) == (":" in family.usage)


@pytest.mark.parametrize("name", FAMILIES)
def test_example(name: str) -> None:
    """The example of each family is connected, bears its text as its name, and is the same when made again.

    What switches do is known of families that have some; so it is with suffixes and faults in the name. Every family
    but the random one can be drawn, no two routers in one place.
    """
    family = FAMILIES[name]
    made = network(family.example)
    assert made.name == family.example
    assert made.is_connected
    assert made == network(made.name)
    assert not family.switches or len(set(made.router_of.tolist())) < made.num_routers
    assert switches_of(f"{made.name}*2@3 less 0-1") == family.switches
    assert (made.positions is None) == (name == "random-regular")
    if made.positions is not None:
        gaps = np.linalg.norm(made.positions[:, None] - made.positions[None, :], axis=2)
        assert gaps[~np.eye(made.num_routers, dtype=bool)].min() > 0.05


@pytest.mark.parametrize(
    "spec",
    ["mesh:2x3x4", "hypercube:7", "torus:3x3x3x3", "hierarchical-rings:4,4,4", "multi-octagon:4", "dragonfly:6,3"],
)
def test_positions_of_larger_networks(spec: str) -> None:
    """Larger members have a place of its own for each router, too."""
    made = network(spec)
    assert made.positions is not None
    assert len(np.unique(made.positions, axis=0)) == made.num_routers


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        *[(" Kautz: 3, 2 ", "kautz:3,2"), ("MESH:4 x 04", "mesh:4x4"), ("16-gon", "spidergon:16")],
        *[("k-ring:3", "folded-hypercube:3"), ("16-gon*2", "spidergon:16*2"), ("ring:8,oneway", "ring:8,oneway")],
        *[("ring:8,oneway*3", "ring:8,oneway*3"), ("random-regular:8,3", "random-regular:8,3,0")],
        *[("octagon:", "octagon"), ("dgx-a100:1", "dgx-a100"), ("rails:2,4,1,1", "rails:2,4")],
        *[("rails:2,4,9", "rails:2,4,9,1"), ("16-GON @ 02", "spidergon:16@2"), ("ring:4*2@3", "ring:4*2@3")],
        *[("ring:4@3*2", "ring:4@3*2"), ("ring:4*2@3@2*1", "ring:4*2@3@2*1")],
    ],
)
def test_canonical_name(spec: str, name: str) -> None:
    """The name of a network is its text without blanks, capitals, other names and leading zeros."""
    assert network(spec).name == name
    assert network(name).name == name


@pytest.mark.parametrize(
    ("spec", "router_of"),
    [
        ("line:3*2", [0, 0, 1, 1, 2, 2]),
        ("line:3*1", [0, 1, 2]),
        ("fat-octagon:2*1", list(range(8))),
        ("coated-mesh:3x3*1", [0, 1, 2, 3, 5, 6, 7, 8]),
        ("fat-tree:2*3", [0, 0, 0, 1, 1, 1]),
    ],
)
def test_processors_per_router(spec: str, router_of: list[int]) -> None:
    """The suffix *K puts K processors on every router that carries any."""
    assert network(spec).router_of.tolist() == router_of


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ("", "no network was given; write family:parameters, for example ring:8"),
        (
            "hypercub",
            "unknown network family 'hypercub'; did you mean hypercube? `pavane.networks.FAMILIES` lists them",
        ),
        ("mesh4x4", "unknown network family 'mesh4x4'; did you mean mesh:4x4?"),
        ("ring-8", "unknown network family 'ring-8'; did you mean ring:8?"),
        ("tours:4x4", "unknown network family 'tours'; did you mean torus? `pavane.networks.FAMILIES` lists them"),
        (
            "hoffman",
            "unknown network family 'hoffman'; did you mean hoffman-singleton? `pavane.networks.FAMILIES` lists them",
        ),
        ("xyz:3", "unknown network family 'xyz'; `pavane.networks.FAMILIES` lists them"),
        ("ring:٣", "network ring:٣: '٣' is not a whole number; write ring:N[,oneway], for example ring:8"),
        ("ring:8*0", "network ring:8: 0 processors per router; give 1 or more"),
        ("@2", "unknown network family ''; `pavane.networks.FAMILIES` lists them"),
        (
            "ring:8\x00",
            "network 'ring:8\\x00'...: too long or not printable; write family:parameters, for example ring:8",
        ),
        (
            "ring:" + "1" * 200,
            f"network 'ring:{'1' * 35}'...: too long or not printable; write family:parameters, for example ring:8",
        ),
        ("mesh:" + "x".join("1" * 33), f"network mesh:{'1x' * 27}1: it has 33 dimensions; give 1 to 32"),
    ],
)
def test_refused_text(spec: str, text: str) -> None:
    """A text that names no network is refused in one line that says what is wrong and how to mend it."""
    with pytest.raises(InputError) as caught:
        network(spec)
    assert str(caught.value) == text
    assert "\n" not in text


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("kautz:3", "too few parameters; write kautz:D,K, for example kautz:3,2"),
        ("kautz:3,2,1", "too many parameters; write kautz:D,K, for example kautz:3,2"),
        ("mesh", "too few parameters; write mesh:AxB..., for example mesh:4x4"),
        ("octagon:8", "it takes no parameters; write octagon"),
        ("16-gon:3", "'16:3' is not a whole number; write spidergon:N, for example spidergon:16"),
        ("mesh:4,4", "'4,4' is not a whole number; write mesh:AxB..., for example mesh:4x4"),
        ("mesh:4x", "a parameter is missing; write mesh:AxB..., for example mesh:4x4"),
        ("ring:8.5", "'8.5' is not a whole number; write ring:N[,oneway], for example ring:8"),
        ("ring:8,both", "'both' is not a whole number; write ring:N[,oneway], for example ring:8"),
        ("ring:8,oneway,oneway", "a word is repeated; write ring:N[,oneway], for example ring:8"),
        (
            "ring:1234567890123456789",
            "1234567890123456789 is too large a number; write ring:N[,oneway], for example ring:8",
        ),
        ("ring:8*", "a parameter is missing; write ring:8*K for K processors a router"),
        ("ring:8*2*2", "'2*2' is not a whole number; write ring:8*K for K processors a router"),
        ("ring:8@", "a parameter is missing; write ring:8@M for M copies joined by rails"),
        ("ring:8*2@1", "M is 1; give 2 or more"),
        ("ring:8@2*", "a parameter is missing; write ring:8@2*K for K processors a router"),
        ("ring:8*1000000", "it would have 8,000,000 processors; give smaller parameters, for at most 4,000,000"),
        ("ring:1", "N is 1; give 2 or more"),
        ("mesh:1x1", "the number of routers is 1; give 2 or more"),
        ("spidergon:7", "N is 7, but chords join opposite routers; give an even number, for example 8"),
        ("coated-mesh:4x1", "the number of columns is 1; give 2 or more"),
        ("hierarchical-rings:4,1", "the size of level-1 rings is 1; give 2 or more"),
        ("twisted-ladder:9", "N is 9, but a ladder has two rails of equal length; give an even number, for example 10"),
        ("amp:513", "N is 513, too many to search; give at most 512, or take random-regular:513,4,1"),
        ("circulant:8", "it has no jumps; write circulant:N,A,B,..., for example circulant:8,1"),
        ("circulant:8,5", "jump 5: expected different jumps from 1 to 4"),
        ("circulant:8,1,0", "jump 0: expected different jumps from 1 to 4"),
        ("circulant:8,3,3", "jump 3: expected different jumps from 1 to 4"),
        ("circulant:12,2,4", "N and all jumps are multiples of 2, so it is not connected"),
        ("gaussian:0,2", "A^2 + B^2 is 4; give 5 or more"),
        ("eisenstein:1,1", "A^2 + AB + B^2 is 3; give 7 or more"),
        ("fat-tree:3", "K is 3, but half of a router's links go up and half down; give an even number, for example 4"),
        ("slim-fly:6", "Q is 6, not a power of a prime; near ones are 5 and 7"),
        ("slim-fly:15", "Q is 15, not a power of a prime; near ones are 16 and 13"),
        ("dgx-2:3", "N is 3, but cables are published for two boxes; give 1 or 2, or join boxes by rails: dgx-2@3"),
        ("random-regular:4,4,1", "D is 4, but a router has only 3 others; give at most 3"),
        ("random-regular:5,3,1", "N*D is odd, but each link has two ends; make N or D even"),
        ("random-regular:6,1,1", "with D = 1 no more than 2 routers are connected; give D = 2 or more"),
    ],
)
def test_refused_parameters(spec: str, reason: str) -> None:
    """A parameter that is missing, too many or outside its family's range is refused with how to mend it."""
    with pytest.raises(InputError) as caught:
        network(spec)
    assert str(caught.value) == f"network {spec}: {reason}"


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        ("ring:2000001", "4,000,002 channels"),
        ("fat-octagon:500001", "4,000,008 processors"),
        ("star-graph:999999999999999999", "more than 10^15 channels"),
        ("slim-fly:113", "4,315,922 channels"),
        ("nvl:2000001", "4,000,002 channels"),
        ("ring:8@200000", "6,400,000 channels"),
        ("mesh:4x4@999999999999999999", "more than 10^15 channels"),
        ("hypercube:999999999999999999", "more than 10^15 channels"),
        ("mesh:" + "x".join(["999999999"] * 16), "more than 10^15 channels"),
    ],
)
def test_refused_size(spec: str, count: str) -> None:
    """A network of more than four million channels is refused at once, with the size it would have."""
    with pytest.raises(InputError, match="give smaller parameters, for at most 4,000,000") as caught:
        network(spec)
    assert f"it would have {count};" in str(caught.value)


PARAMETERS = [
    (family.name, at)
    for family in FAMILIES.values()
    for at in range(len(re.findall(r"\d+", family.example.partition(":")[2])))
]


@pytest.mark.parametrize(("name", "at"), PARAMETERS)
def test_no_parameter_is_below_its_least_value(name: str, at: int) -> None:
    """In every family each parameter has a least value, and no network is built beyond four million channels."""
    example = FAMILIES[name].example
    place = list(re.finditer(r"\d+", example.partition(":")[2]))[at]
    first = len(name) + 1
    for number in ("-3", "9" * 15):
        if (number[0], name, at) == ("9", "random-regular", 2):
            continue  # any seed will do
        with pytest.raises(InputError, match=r": .*(give|expected)"):
            network(example[: first + place.start()] + number + example[first + place.end() :])


def test_import_is_light() -> None:
    """Importing the catalogue loads none of the heavy libraries."""
    code = (
        "import sys, pavane.networks as n;"
        "[n.network(f.example) for f in n.FAMILIES.values() if f.name != 'random-regular'];"
        "print([m for m in ('networkx', 'scipy', 'numba', 'ortools') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
