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
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from pavane.errors import InputError
from pavane.model.network import Network
from pavane.networks.circulants import circulant, eisenstein, gaussian
from pavane.networks.coated_meshes import coated_mesh
from pavane.networks.complete_and_star import complete, star
from pavane.networks.copies import joined_copies
from pavane.networks.cubes import cube_connected_cycles, folded_hypercube, hypercube
from pavane.networks.dragonflies import dragonfly
from pavane.networks.fat_trees import fat_tree, kary_tree
from pavane.networks.gpus import dgx_1, mi250, ndv2
from pavane.networks.grids import hyperx, mesh, torus
from pavane.networks.ladders import twisted_ladder
from pavane.networks.least_distance import amp
from pavane.networks.limits import allow_size
from pavane.networks.moore import heawood, hoffman_singleton, levi, petersen, utility
from pavane.networks.octagons import bridged_octagons, fat_octagon, multi_octagon, octagon, spidergon
from pavane.networks.products import product_of
from pavane.networks.random_networks import random_regular
from pavane.networks.ring_hierarchies import hierarchical_rings
from pavane.networks.rings import line, ring
from pavane.networks.shift_networks import de_bruijn, kautz
from pavane.networks.slim_flies import slim_fly
from pavane.networks.star_graphs import star_graph
from pavane.networks.switched_gpus import dgx_2, dgx_a100, dgx_h100, nvl, rails

if TYPE_CHECKING:
    import networkx

SwitchKind: TypeAlias = Literal["copy", "pass", ""]
"""What the switches of real machines do: copy and add what passes them, or pass it on; "": not known, or none."""

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
    switches: SwitchKind = ""
    """What the switches of the machines do that it describes, in the words of the rule of that name."""

    @property
    def separator(self) -> str:
        """What stands between parameters: `x` between the sizes of grids, otherwise a comma."""
        return "x" if re.search("[A-Z]x[A-Z]", self.usage) else ","


def _family(
    maker: Callable[..., Network], parameters: str, example: str, about: str, switches: SwitchKind = ""
) -> Family:
    """Return the family that a maker makes, whose name it has; parameters and their example follow the name."""
    name = maker.__name__.replace("_", "-")
    usage, member = (f"{name}:{text}" if text else name for text in (parameters, example))
    return Family(name, maker, usage, about, member, switches)


_IN_ORDER = (
    _family(ring, "N[,oneway]", "8", "A ring of N routers, two-way or one-way."),
    _family(line, "N", "8", "N routers in a line."),
    _family(complete, "N", "8", "N routers, each linked with each."),
    _family(star, "N", "8", "N routers in all: a hub, router 0, linked with all others."),
    _family(mesh, "AxB...", "4x4", "A mesh of any number of dimensions."),
    _family(torus, "AxB...", "4x4", "A mesh whose rows are closed to rings."),
    _family(hypercube, "D", "3", "The hypercube of 2^D routers."),
    _family(folded_hypercube, "D", "3", "A hypercube with links between complements, the papers' K-ring."),
    _family(octagon, "", "", "A ring of 8 with chords from i to i + 4."),
    _family(spidergon, "N", "16", "A ring of N with chords from i to i + N/2; N = 16 is the papers' 16-gon."),
    _family(fat_octagon, "K", "2", "An octagon with K processors a router."),
    _family(bridged_octagons, "N", "2", "N octagons in a row; router 4 of each is router 0 of the next."),
    _family(multi_octagon, "N", "3", "N octagons whose corresponding routers form rings."),
    _family(coated_mesh, "AxB", "4x4", "A mesh with processors on its rim only, two at each corner."),
    _family(
        hierarchical_rings, "A,B,...", "4,4", "Rings of A routers, joined by rings of B of them, and so on outward."
    ),
    _family(kautz, "D,K", "3,2", "The Kautz digraph of degree D and diameter K, one-way."),
    _family(de_bruijn, "D,K", "2,4", "The de Bruijn digraph of D^K routers, one-way, without its loops."),
    _family(petersen, "", "", "The Moore graph of degree 3 and diameter 2."),
    _family(heawood, "", "", "The cubic graph of 14 routers and girth 6."),
    _family(levi, "", "", "The cubic graph of 30 routers and girth 8 (Tutte-Coxeter)."),
    _family(hoffman_singleton, "", "", "The Moore graph of degree 7 and diameter 2, 50 routers."),
    _family(utility, "", "", "Three routers linked with three others."),
    _family(twisted_ladder, "N", "8", "A ladder of N routers closed crosswise (Moebius ladder)."),
    _family(amp, "N", "16", "N routers of degree 4 with least average distance, by a fixed search."),
    _family(cube_connected_cycles, "D", "3", "A hypercube whose corners are rings of D routers."),
    _family(
        star_graph, "N", "4", "Permutations of N symbols, linked where the first and another symbol are exchanged."
    ),
    _family(circulant, "N,A,B,...", "13,1,5", "A ring of N with links from i to i + A, i + B and so on, both ways."),
    _family(gaussian, "A,B", "3,4", "The square grid closed to a torus modulo A + Bi: A^2 + B^2 routers of degree 4."),
    _family(
        eisenstein, "A,B", "2,3", "The grid of triangles closed modulo A + Bw: A^2 + AB + B^2 routers of degree 6."
    ),
    _family(fat_tree, "K", "4", "Three levels of routers of degree K, K^3/4 processors on the lowest."),
    _family(kary_tree, "K,N", "4,2", "K^N hosts below N levels of K^(N-1) switches, each with K links down and K up."),
    _family(dragonfly, "A,H", "4,2", "A*H + 1 complete groups of A routers, one link between each two groups."),
    _family(
        slim_fly, "Q", "5", "The graph of 2*Q^2 routers and diameter 2 of McKay, Miller and Siran, Q a prime power."
    ),
    _family(hyperx, "AxB...", "4x4", "A grid whose rows are complete in each dimension."),
    _family(dgx_1, "", "", "8 GPUs in a hybrid cube mesh, 6 NVLinks each."),
    _family(dgx_2, "N", "2", "One or two boxes of 16 GPUs on a switch, with cables between.", "pass"),
    _family(
        dgx_a100,
        "N",
        "2",
        "N boxes of 8 GPUs on a switch, joined by two rails, even and odd; one box has none.",
        "pass",
    ),
    _family(dgx_h100, "N", "2", "N boxes of 8 GPUs on a switch, joined by 8 rails; one box has none.", "copy"),
    _family(
        ndv2, "N", "2", "N boxes of 8 GPUs in hybrid cube meshes, a NIC each; three and more are joined by a switch."
    ),
    _family(mi250, "N", "", "N boxes of 16 GPUs with up to 4 links between two; several are joined by a switch."),
    _family(nvl, "N", "72", "N GPUs with 18 NVLinks each to a level of switches, drawn as one.", "copy"),
    _family(
        rails,
        "N,G[,INSIDE,RAIL]",
        "4,4",
        "N boxes of G GPUs on a switch, and a switch for each GPU number; capacities 1 unless given.",
        "copy",
    ),
    _family(
        random_regular,
        "N,D[,SEED]",
        "16,4,1",
        "N routers of degree D, linked at random and connected; the seed is 0 unless given.",
    ),
)

FAMILIES: dict[str, Family] = {family.name: family for family in _IN_ORDER}

# Names the papers use for members or families of the catalogue.
_ALIASES = {"16-gon": "spidergon:16", "k-ring": "folded-hypercube"}


def network(spec: str | networkx.Graph) -> Network:
    """Return the network that a text such as `mesh:4x4` stands for, or that a graph of NetworkX describes.

    Args:
        spec: `family:parameters`, as `pavane.networks.FAMILIES` lists them, with the suffixes `*K` (K processors on a
            router) and `@M` (M copies, joined by rails), and `+` between the factors of a product; or a graph, whose
            `nodes` may have `processors` and positions (`pos`), and whose edges may have `capacity`.

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
    first, *others = base.partition("*")[0].split("+")
    made = _member(text, first)
    for other in others:
        made = product_of(made, _member(text, other))
    made = _suffixed(text, made, base)
    for part in copies:
        num_copies = _whole_number(text, part.partition("*")[0], f"write {made.name}@M for M copies joined by rails")
        made = _suffixed(text, joined_copies(made, num_copies), part)
    return made


def switches_of(name: str) -> SwitchKind:
    """Return what the switches of a machine do, by the name of its network; "" where that is not known."""
    family = FAMILIES.get(re.split("[:*@ ]", name, maxsplit=1)[0])
    return "" if family is None else family.switches


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
    glued = re.fullmatch(r"([a-z-]+?)-?(\d[\dx,]*)", name)
    if glued and glued[1] in FAMILIES:
        return f"unknown network family {name!r}; did you mean {glued[1]}:{glued[2]}?"
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
