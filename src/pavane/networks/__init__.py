"""The catalogue of networks: `network("kautz:3,2")` is the Kautz network of degree 3 and diameter 2.

A network is written `family:parameters`. Suffixes are read from left to right: `*K` puts K processors on every router
that carries any, `@M` makes M copies, joined by a switch for each processor number. The maker of each family is a
function of the same name (`kautz(3, 2)`), and its signature says which parameters the text takes.
"""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.coated_meshes import coated_mesh
from pavane.networks.complete_and_star import complete, star
from pavane.networks.copies import joined_copies
from pavane.networks.cubes import cube_connected_cycles, folded_hypercube, hypercube
from pavane.networks.dragonflies import dragonfly
from pavane.networks.fat_trees import fat_tree
from pavane.networks.gpus import dgx_1, mi250, ndv2
from pavane.networks.grids import hyperx, mesh, torus
from pavane.networks.ladders import twisted_ladder
from pavane.networks.least_distance import amp
from pavane.networks.limits import allow_size
from pavane.networks.moore import heawood, hoffman_singleton, levi, petersen, utility
from pavane.networks.octagons import bridged_octagons, fat_octagon, multi_octagon, octagon, spidergon
from pavane.networks.random_networks import random_regular
from pavane.networks.ring_hierarchies import hierarchical_rings
from pavane.networks.rings import line, ring
from pavane.networks.shift_networks import de_bruijn, kautz
from pavane.networks.slim_flies import slim_fly
from pavane.networks.switched_gpus import dgx_2, dgx_a100, dgx_h100, nvl, rails

if TYPE_CHECKING:
    import networkx

__all__ = [
    "FAMILIES",
    "Family",
    "amp",
    "bridged_octagons",
    "coated_mesh",
    "complete",
    "cube_connected_cycles",
    "de_bruijn",
    "dgx_1",
    "dgx_2",
    "dgx_a100",
    "dgx_h100",
    "dragonfly",
    "fat_octagon",
    "fat_tree",
    "folded_hypercube",
    "heawood",
    "hierarchical_rings",
    "hoffman_singleton",
    "hypercube",
    "hyperx",
    "joined_copies",
    "kautz",
    "levi",
    "line",
    "mesh",
    "mi250",
    "multi_octagon",
    "ndv2",
    "network",
    "nvl",
    "octagon",
    "petersen",
    "rails",
    "random_regular",
    "ring",
    "slim_fly",
    "spidergon",
    "star",
    "torus",
    "twisted_ladder",
    "utility",
]

MOST_CHARACTERS = 200
MOST_DIGITS = 18


@dataclass(frozen=True)
class Family:
    """A family of networks and how to write its members."""

    name: str
    maker: Callable[..., Network]
    usage: str
    """How a member is written, parameters in capitals, for example `kautz:D,K`."""
    about: str
    """One sentence."""
    example: str
    """A member, as it is written."""

    @property
    def separator(self) -> str:
        """What stands between parameters: `x` between the sizes of grids, otherwise a comma."""
        return "x" if re.search("[A-Z]x[A-Z]", self.usage) else ","


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("ring", ring, "ring:N[,oneway]", "A ring of N routers, two-way or one-way.", "ring:8"),
        Family("line", line, "line:N", "N routers in a line.", "line:8"),
        Family("complete", complete, "complete:N", "N routers, each linked with each.", "complete:8"),
        Family("star", star, "star:N", "N routers in all: a hub, router 0, linked with all others.", "star:8"),
        Family("mesh", mesh, "mesh:AxB...", "A mesh of any number of dimensions.", "mesh:4x4"),
        Family("torus", torus, "torus:AxB...", "A mesh whose rows are closed to rings.", "torus:4x4"),
        Family("hypercube", hypercube, "hypercube:D", "The hypercube of 2^D routers.", "hypercube:3"),
        Family(
            "folded-hypercube",
            folded_hypercube,
            "folded-hypercube:D",
            "A hypercube with links between complements, the papers' K-ring.",
            "folded-hypercube:3",
        ),
        Family("octagon", octagon, "octagon", "A ring of 8 with chords from i to i + 4.", "octagon"),
        Family(
            "spidergon",
            spidergon,
            "spidergon:N",
            "A ring of N with chords from i to i + N/2; N = 16 is the papers' 16-gon.",
            "spidergon:16",
        ),
        Family("fat-octagon", fat_octagon, "fat-octagon:K", "An octagon with K processors a router.", "fat-octagon:2"),
        Family(
            "bridged-octagons",
            bridged_octagons,
            "bridged-octagons:N",
            "N octagons in a row; router 4 of each is router 0 of the next.",
            "bridged-octagons:2",
        ),
        Family(
            "multi-octagon",
            multi_octagon,
            "multi-octagon:N",
            "N octagons whose corresponding routers form rings.",
            "multi-octagon:3",
        ),
        Family(
            "coated-mesh",
            coated_mesh,
            "coated-mesh:AxB",
            "A mesh with processors on its rim only, two at each corner.",
            "coated-mesh:4x4",
        ),
        Family(
            "hierarchical-rings",
            hierarchical_rings,
            "hierarchical-rings:A,B,...",
            "Rings of A routers, joined by rings of B of them, and so on outward.",
            "hierarchical-rings:4,4",
        ),
        Family("kautz", kautz, "kautz:D,K", "The Kautz digraph of degree D and diameter K, one-way.", "kautz:3,2"),
        Family(
            "de-bruijn",
            de_bruijn,
            "de-bruijn:D,K",
            "The de Bruijn digraph of D^K routers, one-way, without its loops.",
            "de-bruijn:2,4",
        ),
        Family("petersen", petersen, "petersen", "The Moore graph of degree 3 and diameter 2.", "petersen"),
        Family("heawood", heawood, "heawood", "The cubic graph of 14 routers and girth 6.", "heawood"),
        Family("levi", levi, "levi", "The cubic graph of 30 routers and girth 8 (Tutte-Coxeter).", "levi"),
        Family(
            "hoffman-singleton",
            hoffman_singleton,
            "hoffman-singleton",
            "The Moore graph of degree 7 and diameter 2, 50 routers.",
            "hoffman-singleton",
        ),
        Family("utility", utility, "utility", "Three routers linked with three others.", "utility"),
        Family(
            "twisted-ladder",
            twisted_ladder,
            "twisted-ladder:N",
            "A ladder of N routers closed crosswise (Moebius ladder).",
            "twisted-ladder:8",
        ),
        Family("amp", amp, "amp:N", "N routers of degree 4 with least average distance, by a fixed search.", "amp:16"),
        Family(
            "cube-connected-cycles",
            cube_connected_cycles,
            "cube-connected-cycles:D",
            "A hypercube whose corners are rings of D routers.",
            "cube-connected-cycles:3",
        ),
        Family(
            "fat-tree",
            fat_tree,
            "fat-tree:K",
            "Three levels of routers of degree K, K^3/4 processors on the lowest.",
            "fat-tree:4",
        ),
        Family(
            "dragonfly",
            dragonfly,
            "dragonfly:A,H",
            "A*H + 1 complete groups of A routers, one link between each two groups.",
            "dragonfly:4,2",
        ),
        Family(
            "slim-fly",
            slim_fly,
            "slim-fly:Q",
            "The graph of 2*Q^2 routers and diameter 2 of McKay, Miller and Siran, Q a prime power.",
            "slim-fly:5",
        ),
        Family("hyperx", hyperx, "hyperx:AxB...", "A grid whose rows are complete in each dimension.", "hyperx:4x4"),
        Family("dgx-1", dgx_1, "dgx-1", "8 GPUs in a hybrid cube mesh, 6 NVLinks each.", "dgx-1"),
        Family("dgx-2", dgx_2, "dgx-2:N", "One or two boxes of 16 GPUs on a switch, with cables between.", "dgx-2:2"),
        Family(
            "dgx-a100",
            dgx_a100,
            "dgx-a100:N",
            "N boxes of 8 GPUs on a switch, joined by two rails, even and odd; one box has none.",
            "dgx-a100:2",
        ),
        Family(
            "dgx-h100",
            dgx_h100,
            "dgx-h100:N",
            "N boxes of 8 GPUs on a switch, joined by 8 rails; one box has none.",
            "dgx-h100:2",
        ),
        Family(
            "ndv2",
            ndv2,
            "ndv2:N",
            "N boxes of 8 GPUs in hybrid cube meshes, a NIC each; three and more are joined by a switch.",
            "ndv2:2",
        ),
        Family(
            "mi250",
            mi250,
            "mi250:N",
            "N boxes of 16 GPUs with up to 4 links between two; several are joined by a switch.",
            "mi250",
        ),
        Family("nvl", nvl, "nvl:N", "N GPUs with 18 NVLinks each to a level of switches, drawn as one.", "nvl:72"),
        Family(
            "rails",
            rails,
            "rails:N,G[,INSIDE,RAIL]",
            "N boxes of G GPUs on a switch, and a switch for each GPU number; capacities 1 unless given.",
            "rails:4,4",
        ),
        Family(
            "random-regular",
            random_regular,
            "random-regular:N,D[,SEED]",
            "N routers of degree D, linked at random and connected; the seed is 0 unless given.",
            "random-regular:16,4,1",
        ),
    )
}

# Names the papers use for members or families of the catalogue.
_ALIASES = {"16-gon": "spidergon:16", "k-ring": "folded-hypercube"}


def network(spec: str | networkx.Graph) -> Network:
    """Return the network that a text such as `mesh:4x4` stands for, or that a graph of NetworkX describes.

    Args:
        spec: `family:parameters`, as `pavane.networks.FAMILIES` lists them, with the suffixes `*K` (K processors on a
            router) and `@M` (M copies, joined by rails); or a graph, whose `nodes` may have `processors` and positions
            (`pos`), and whose edges may have `capacity`.

    Returns:
        The network. Its name is the text, or the name of the graph.

    Example:
        >>> pavane.network("mesh:4x4*2")
        <Network mesh:4x4*2: 16 routers, 48 channels, 32 processors>
        >>> import networkx
        >>> graph = networkx.cycle_graph(5)
        >>> graph.add_node("hub", processors=0)
        >>> graph.add_edges_from([("hub", each) for each in range(5)], capacity=2)
        >>> with warnings.catch_warnings(action="ignore"):
        ...     pavane.network(graph)
        <Network graph: 6 routers, 20 channels, 5 processors>
    """
    if isinstance(spec, Network):
        return spec
    if not isinstance(spec, str):
        import pavane

        return pavane.from_networkx(spec)
    text = "".join(spec.split()).lower()
    if not text:
        raise InputError("no network was given; write family:parameters, for example ring:8")
    if len(text) > MOST_CHARACTERS or not text.isprintable():
        raise InputError(
            f"network {spec[:40]!r}...: too long or not printable; write family:parameters, for example ring:8"
        )
    base, *copies = text.split("@")
    made = _suffixed(text, _member(text, base.partition("*")[0]), base)
    for part in copies:
        num_copies = _whole_number(text, part.partition("*")[0], f"write {made.name}@M for M copies joined by rails")
        made = _suffixed(text, joined_copies(made, num_copies), part)
    return made


def _member(text: str, base: str) -> Network:
    """Return the member of a family that a text without suffixes names."""
    head, colon, parameters = base.partition(":")
    name, _, parameters = (_ALIASES.get(head, head) + colon + parameters).partition(":")
    if name not in FAMILIES:
        raise InputError(_unknown(name))
    family = FAMILIES[name]
    numbers, flags = _arguments(family, text, parameters)
    return family.maker(*numbers, **flags)


def _suffixed(text: str, made: Network, part: str) -> Network:
    """Return the network with K processors on a router if this part of the text ends with `*K`."""
    _, star, suffix = part.partition("*")
    if not star:
        return made
    per_router = _whole_number(text, suffix, f"write {made.name}*K for K processors a router")
    allow_size(text, per_router * len(np.unique(made.router_of)), "processors")
    return made.with_processors(per_router)


def _unknown(name: str) -> str:
    names = [*FAMILIES, *_ALIASES]
    near = difflib.get_close_matches(name, names, cutoff=0.75) or [n for n in names if name and name in n]
    guess = f"did you mean {' or '.join(near)}? " if near else ""
    return f"unknown network family {name!r}; {guess}`pavane.networks.FAMILIES` lists them"


def _arguments(family: Family, text: str, parameters: str) -> tuple[list[int], dict[str, bool]]:
    """Read the parameters by the signature of the maker: whole numbers, and words for keyword-only switches."""
    help_text = f"write {family.usage}" + f", for example {family.example}" * (family.example != family.usage)
    signature = inspect.signature(family.maker).parameters.values()
    switches = {p.name for p in signature if p.kind is p.KEYWORD_ONLY}
    fixed = [p for p in signature if p.kind is p.POSITIONAL_OR_KEYWORD]
    least, most = sum(p.default is p.empty for p in fixed), len(fixed)
    if any(p.kind is p.VAR_POSITIONAL for p in signature):
        least, most = 1, MOST_CHARACTERS
    parts = parameters.split(family.separator) if parameters else []
    numbers = [_whole_number(text, part, help_text) for part in parts if part not in switches]
    flags = {part: True for part in parts if part in switches}
    if len(numbers) + len(flags) < len(parts):
        raise InputError(f"network {text}: a word is repeated; {help_text}")
    if not least <= len(numbers) <= most:
        problem = (
            "too few parameters"
            if len(numbers) < least
            else "too many parameters"
            if most
            else "it takes no parameters"
        )
        raise InputError(f"network {text}: {problem}; {help_text}")
    return numbers, flags


def _whole_number(text: str, part: str, help_text: str) -> int:
    if not re.fullmatch("-?[0-9]+", part):
        problem = f"{part!r} is not a whole number" if part else "a parameter is missing"
        raise InputError(f"network {text}: {problem}; {help_text}")
    if len(part) > MOST_DIGITS:
        raise InputError(f"network {text}: {part} is too large a number; {help_text}")
    return int(part)
