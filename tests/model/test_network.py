"""Network: its parts, distances, faults and refusals."""

import re
from collections import Counter
from collections.abc import Callable
from itertools import combinations, pairwise, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from pavane.errors import InputError
from pavane.model.channel_speeds import ChannelSpeeds
from pavane.model.collectives import alltoall
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from tests.model.multigraphs import digraph, multigraphs


def channel_counts(made: Network) -> Counter[tuple[str, str]]:
    """Count the channels between each two routers, which are named."""
    return Counter((made.routers[tail], made.routers[head]) for tail, head in made.channels.tolist())


# -- what it consists of


def test_defaults() -> None:
    """Routers given by number are named by numbers, and each carries one processor unless said otherwise."""
    made = Network("pair", 2, [(0, 1), (1, 0)])
    assert made.routers == ("0", "1")
    assert made.router_of.tolist() == [0, 1]
    assert made.positions is None
    assert made.is_slim
    assert repr(made) == "<Network pair: 2 routers, 2 channels, 2 processors>"


def test_fat_and_pure_routers() -> None:
    """A router carries one processor, several or none."""
    made = Network("fat", ["a", "b", "c"], [(0, 1), (1, 2)], [0, 2, 0])
    assert made.processors_on == ((0, 2), (), (1,))
    assert made.num_processors == 3
    assert not made.is_slim


def test_cannot_be_written_to() -> None:
    """A network is frozen, its arrays and its attributes alike."""
    made = network("ring:4")
    for array in (made.channels, made.router_of, made.positions, made.tails, made.distances, made.opposite):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0  # type: ignore[index]
    with pytest.raises(AttributeError):
        made.name = "other"  # type: ignore[misc]


def test_takes_copies() -> None:
    """Changing the arrays it was made of does not change a network."""
    channels = np.array([[0, 1], [1, 0]])
    made = Network("pair", 2, channels)
    channels[0, 0] = 1
    assert made.channels.tolist() == [[0, 1], [1, 0]]


@given(multigraphs())
def test_channels_of_routers(made: Network) -> None:
    """Each channel leaves its tail and enters its head, and degrees count them."""
    for router in range(made.num_routers):
        assert made.out_channels[router] == tuple(np.flatnonzero(made.tails == router))
        assert made.in_channels[router] == tuple(np.flatnonzero(made.heads == router))
        assert made.processors_on[router] == tuple(np.flatnonzero(made.router_of == router))
        assert made.out_degrees[router] == len(made.out_channels[router])
        assert made.in_degrees[router] == len(made.in_channels[router])


@given(multigraphs())
def test_opposite(made: Network) -> None:
    """Opposite channels pair up, as many as there are both ways, in the order of their numbers."""
    for tail, head in product(range(made.num_routers), repeat=2):
        there = [c for c in made.out_channels[tail] if made.heads[c] == head]
        back = [c for c in made.out_channels[head] if made.heads[c] == tail]
        for i, channel in enumerate(there):
            assert made.opposite[channel] == (back[i] if i < len(back) else -1)


def test_router_by_name() -> None:
    """A router is found by its name, and an unknown name is refused with those there are."""
    made = network("kautz:3,2")
    assert made.router("12") == 4
    with pytest.raises(InputError) as caught:
        made.router("11")
    assert str(caught.value) == (
        "network kautz:3,2 has no router '11'; its routers are 01, 02, 03, 10, 12, 13, 20, 21, ..."
    )


# -- distances


@given(multigraphs())
def test_processor_distances(made: Network) -> None:
    """Processors are as far apart as their routers."""
    for p, q in product(range(made.num_processors), repeat=2):
        assert made.processor_distances[p, q] == made.distances[made.router_of[p], made.router_of[q]]


@given(multigraphs())
def test_connected(made: Network) -> None:
    """A network is connected if every processor can reach every other; pure switches do not count."""
    graph = digraph(made)
    homes = set(made.router_of.tolist())
    expected = all(nx.has_path(graph, a, b) for a, b in product(homes, repeat=2))
    assert made.is_connected == expected


@given(multigraphs())
def test_diameter_and_sum(made: Network) -> None:
    """Diameter and sum of distances are taken over ordered pairs of processors, and need a connected network."""
    if made.is_connected:
        table = made.processor_distances.tolist()
        lengths = [length for row in table for length in row]
        assert made.diameter == max(lengths, default=0)
        assert made.sum_of_distances == sum(lengths)
    else:
        with pytest.raises(InputError, match="has no diameter: not every processor can reach every other"):
            _ = made.diameter
        with pytest.raises(InputError, match="has no sum of distances: not every processor can reach every other"):
            _ = made.sum_of_distances


def shortest_paths(made: Network, source: int, target: int) -> list[tuple[int, ...]]:
    """List the shortest of all simple paths, as tuples of channels."""
    if source == target:
        return [()]
    routes = list(nx.all_simple_paths(nx.DiGraph(digraph(made)), source, target))
    shortest = min(map(len, routes), default=0)
    between: dict[tuple[int, int], list[int]] = {}
    for channel, (tail, head) in enumerate(made.channels.tolist()):
        between.setdefault((tail, head), []).append(channel)
    return [
        path
        for route in routes
        if len(route) == shortest
        for path in product(*(between[hop] for hop in pairwise(route)))
    ]


@given(multigraphs(max_routers=5))
def test_shortest_paths(made: Network) -> None:
    """Shortest paths are counted with parallel channels apart."""
    for source, target in product(range(made.num_routers), repeat=2):
        paths = shortest_paths(made, source, target)
        assert made.num_shortest_paths(source, target) == len(paths)


@given(multigraphs())
def test_connectivity(made: Network) -> None:
    """Connectivity is the least number of channels whose loss parts one processor from another."""
    capacity = nx.DiGraph()
    capacity.add_nodes_from(range(made.num_routers))
    for (tail, head), count in Counter(map(tuple, made.channels.tolist())).items():
        capacity.add_edge(tail, head, capacity=count)
    homes = set(made.router_of.tolist())
    flows = [nx.maximum_flow_value(capacity, a, b) for a, b in product(homes, repeat=2) if a != b]
    assert made.connectivity() == min(flows, default=0)


@given(multigraphs())
def test_router_connectivity(made: Network) -> None:
    """It is the least number of routers without which some other processor cannot reach another."""
    ways = nx.DiGraph(made.channels.tolist())
    ways.add_nodes_from(range(made.num_routers))
    homes = set(made.router_of.tolist())

    def parts(lost: tuple[int, ...]) -> bool:
        left = ways.subgraph(set(ways) - set(lost))
        rest = homes - set(lost)
        return any(a not in nx.descendants(left, b) for a, b in product(rest, repeat=2) if a != b)

    least = (
        size
        for size in range(len(homes) - 1)
        if any(parts(lost) for lost in combinations(range(made.num_routers), size))
    )
    assert made.router_connectivity() == next(least, max(0, len(homes) - 1))


# -- faults and other variants


@pytest.mark.parametrize(
    ("spec", "faults", "routers", "channels", "router_of", "name"),
    [
        ("line:3", {"channels": [0]}, "012", [[1, 0], [1, 2], [2, 1]], [0, 1, 2], "line:3 less 0>1"),
        ("line:3", {"links": [(1, 0)]}, "012", [[1, 2], [2, 1]], [0, 1, 2], "line:3 less 1-0"),
        ("ring:3,oneway", {"links": [(1, 0)]}, "012", [[1, 2], [2, 0]], [0, 1, 2], "ring:3,oneway less 1-0"),
        ("line:4*2", {"routers": [1]}, "023", [[1, 2], [2, 1]], [0, 0, 1, 1, 2, 2], "line:4*2 less router 1"),
        ("line:2", {"processors": [1]}, "01", [[0, 1], [1, 0]], [0], "line:2 less processor 1"),
        (
            "mesh:2x2",
            {"channels": [4], "links": [(1, 3)], "routers": [2], "processors": [3]},
            "013",
            [[1, 0]],
            [0, 1],
            "mesh:2x2 less 0>1, 1-3, router 2, processor 3",
        ),
    ],
)
def test_without(
    spec: str, faults: dict[str, Any], routers: str, channels: list[list[int]], router_of: list[int], name: str
) -> None:
    """A channel is lost alone, a link both ways, a router with its channels and processors; the rest is renumbered."""
    made = network(spec)
    left = made.without(**faults)
    assert left.routers == tuple(routers)
    assert left.channels.tolist() == channels
    assert left.router_of.tolist() == router_of
    assert left.name == name
    assert left.positions is not None
    assert made.positions is not None
    assert left.positions.tolist() == [made.positions[int(router)].tolist() for router in routers]


def test_without_parallel_links() -> None:
    """Where links are parallel, each mention takes one more, and one too many is refused."""
    made = network("dgx-1")
    assert channel_counts(made)["0", "3"] == 2
    once, twice = made.without(links=[(0, 3)]), made.without(links=[(0, 3), (3, 0)])
    assert (channel_counts(once)["0", "3"], channel_counts(once)["3", "0"]) == (1, 1)
    assert channel_counts(twice)["0", "3"] == channel_counts(twice)["3", "0"] == 0
    with pytest.raises(InputError, match="has no link between routers 0 and 3 left to cut"):
        made.without(links=[(0, 3)] * 3)


def chip() -> Network:
    """Return a network with a fat router, a pure switch, capacities, positions and speeds."""
    return Network(
        "chip",
        ("cpu", "npu", "hub"),
        [(0, 2), (2, 0), (1, 2), (2, 1)],
        router_of=[0, 1, 1],
        positions=[(0, 0), (1, 0), (0, 1)],
        capacities=[2, 2, 3, 3],
        speeds=ChannelSpeeds(np.array([5, 5, 5, 5]), None, np.array([7, 7, 9, 9])),
    ).of_gpus()


def test_more_links_leave_the_rest_as_it_was() -> None:
    """Links are added behind all channels; processors, switches, capacities, positions and speeds are kept."""
    more = chip().with_links([(0, 1)], capacity=4, like=2)
    assert more.name == "chip plus cpu-npu"
    assert more.channels.tolist() == [[0, 2], [2, 0], [1, 2], [2, 1], [0, 1], [1, 0]]
    assert more.processors_on == ((0,), (1, 2), ())
    assert more.capacity.tolist() == [2, 2, 3, 3, 4, 4]
    assert more.speeds is not None
    assert [None if column is None else column.tolist() for column in more.speeds.columns] == [
        [5] * 6,
        None,
        [7, 7, 9, 9, 9, 9],
    ]
    assert more.positions is not None
    assert more.has_gpus
    back = more.without_links([(0, 1)])
    assert (back.name, back.without().capacity.tolist()) == ("chip plus cpu-npu less cpu-npu", [2, 2, 3, 3])
    for kept in ("routers", "channels", "router_of", "positions"):
        assert np.array_equal(getattr(back, kept), getattr(chip(), kept))
    assert back.speeds is not None
    assert back.speeds.bandwidths is not None
    assert back.speeds.bandwidths.tolist() == [7, 7, 9, 9]


def test_names_of_changes_are_lists() -> None:
    """A second change of a kind joins the list of the first; one of the other kind begins a list of its own."""
    made = network("ring:8").with_links([(0, 4)]).with_links([(1, 5)]).without_links([(0, 1)]).without_links([(2, 3)])
    assert made.name == "ring:8 plus 0-4, 1-5 less 0-1, 2-3"
    assert network("ring:4").with_links([]) == network("ring:4")


def test_a_mesh_with_another_link_is_no_mesh() -> None:
    """A grid with more links must be recognized anew; links of capacity 1 make no capacities."""
    more = network("mesh:3x3").with_links([(0, 8)])
    assert (network("mesh:3x3").grid is None, more.grid) == (False, None)
    assert more.capacities is None


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda made: made.with_links([(0, 3)]), "network chip has no router 3; they are numbered 0 to 2"),
        (lambda made: made.with_links([(0, 1)]), "its channels differ in `bytes_per_second`; say with `like` which"),
        (lambda made: made.with_links([(0, 1)], like=4), r"network chip has no channel 4 \(`like`\)"),
        (lambda made: made.with_links([(0, 0)], like=0), "channel 4 runs from router cpu to itself"),
        (lambda made: made.with_links([(0, 1)], 0, like=0), "channel 4 has capacity 0"),
        (lambda made: made.with_links("0-1"), "`links` is '0-1'; give a list, like"),
        (lambda made: made.without_links([(0, 1)]), "has no link between routers cpu and npu"),
    ],
)
def test_refused_links(call: Callable[[Network], Network], text: str) -> None:
    """Routers must exist, capacities be positive, and speeds be known."""
    with pytest.raises(InputError, match=text):
        call(chip())


@pytest.mark.parametrize(
    ("faults", "text"),
    [
        ({"channels": [8]}, "network ring:4 has no channel 8; they are numbered 0 to 7"),
        ({"channels": [-1]}, "network ring:4 has no channel -1; they are numbered 0 to 7"),
        ({"links": [(0, 9)]}, "network ring:4 has no router 9; they are numbered 0 to 3"),
        ({"links": [(-1, 0)]}, "network ring:4 has no router -1; they are numbered 0 to 3"),
        (
            {"links": [(0, 2)]},
            "network ring:4 has no link between routers 0 and 2 left to cut; "
            "`Network.channels` lists those of a network",
        ),
        ({"routers": [4]}, "network ring:4 has no router 4; they are numbered 0 to 3"),
        ({"processors": [4]}, "network ring:4 has no processor 4; they are numbered 0 to 3"),
        (
            {"routers": [0, 1, 2, 3]},
            "network ring:4 less router 0, router 1, router 2, router 3: it has no routers; give at least one",
        ),
    ],
)
def test_refused_faults(faults: dict[str, Any], text: str) -> None:
    """A fault in something that the network does not have is refused."""
    with pytest.raises(InputError) as caught:
        network("ring:4").without(**faults)
    assert str(caught.value) == text


@given(multigraphs())
def test_reversed(made: Network) -> None:
    """Reversal turns every channel round, so distances transpose, and twice reversed is the network itself."""
    back = made.reversed()
    assert np.array_equal(back.distances, made.distances.T)
    assert back.channels.tolist() == [[head, tail] for tail, head in made.channels.tolist()]
    assert back.name == "drawn reversed"
    assert back.reversed() == made


def test_with_processors() -> None:
    """K processors are put on every router that carries any."""
    made = Network("fat", 3, [(0, 1), (1, 2)], [2, 0, 2])
    assert made.with_processors(2).router_of.tolist() == [0, 0, 2, 2]
    assert made.with_processors(2).name == "fat*2"
    with pytest.raises(InputError, match="network fat: 0 processors per router; give 1 or more"):
        made.with_processors(0)


# -- values


@pytest.mark.parametrize(
    "other",
    [
        lambda: Network("other", 2, [(0, 1)], [0], [(0, 0), (1, 0)]),
        lambda: Network("n", ["a", "b"], [(0, 1)], [0], [(0, 0), (1, 0)]),
        lambda: Network("n", 2, [(1, 0)], [0], [(0, 0), (1, 0)]),
        lambda: Network("n", 2, [(0, 1)], [1], [(0, 0), (1, 0)]),
        lambda: Network("n", 2, [(0, 1)], [0], [(0, 0), (2, 0)]),
        lambda: Network("n", 2, [(0, 1)], [0]),
        lambda: "n",
    ],
)
def test_equality(other: Callable[[], object]) -> None:
    """Networks are equal if all their parts are."""
    made = Network("n", 2, [(0, 1)], [0], [(0, 0), (1, 0)])
    same = Network("n", ("0", "1"), np.array([[0, 1]]), np.array([0]), np.array([[0.0, 0.0], [1.0, 0.0]]))
    assert made == same
    assert hash(made) == hash(same)
    assert made != other()


# -- refusals


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ((0, []), "network bad: it has no routers; give at least one"),
        ((["a", "b", "a"], []), "network bad: two routers are named 'a'; give each its own name"),
        (
            (["a", ""], []),
            "network bad: router name '' is empty or not printable; rename that router",
        ),
        (
            (["a\n", "b"], []),
            r"network bad: router name 'a\n' is empty or not printable; rename that router",
        ),
        (
            (2, [(0, 1), (0, 2)]),
            "network bad: channel 1 runs from router 0 to 2, but routers are numbered 0 to 1",
        ),
        ((2, [(-1, 0)]), "network bad: channel 0 runs from router -1 to 0, but routers are numbered 0 to 1"),
        ((["a", "b"], [(1, 1)]), "network bad: channel 0 runs from router b to itself; leave it out"),
        ((2, [(0, 1)], [0, 2]), "network bad: processor 1 is on router 2, but routers are numbered 0 to 1"),
        ((2, [(0, 1, 1), (1, 0, 0)]), "network bad: channels must be pairs of routers, tail and head"),
        ((2, [0, 1]), "network bad: channels must be pairs of routers, tail and head"),
        ((2, [(0, 0.5)]), "channels must be whole numbers"),
        ((2, [("0", "1")]), "channels must be whole numbers"),
        ((2, [(0, 1), (1,)]), "channels must be whole numbers"),
        ((2, [(0, 2**40)]), "channels must be numbers below 2,147,483,648"),
        ((2, [(0, 1)], [None]), "processors must be whole numbers"),
        ((2, [], [0], [(0, 0, 0, 0)]), "network bad: positions must be 2 pairs of finite numbers, one per router"),
        (
            (2, [], [0], [(0, 0), (0, float("nan"))]),
            "network bad: positions must be 2 pairs of finite numbers, one per router",
        ),
    ],
)
def test_refused(parts: tuple[Any, ...], text: str) -> None:
    """What is not a network is refused in one line that names the first thing that is wrong."""
    with pytest.raises(InputError) as caught:
        Network("bad", *parts)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    "name", ["x\nstatus      optimal\n\x1b[8m", "\x1b[2J", "a\tb", "\u202eabc", "\ud800", "\x9b1m", 5]
)
def test_names_that_could_forge_lines_are_refused(name: Any) -> None:
    """The name of a network is text that stays on its line and does nothing to a terminal, as names of routers are."""
    with pytest.raises(InputError, match="is not printable text; rename the network") as caught:
        Network(name, 2, [(0, 1)])
    assert str(caught.value).isprintable()


# -- capacities


def test_a_channel_carries_one_message_a_step_unless_said() -> None:
    """Capacities of one are the same as none: the same value, written and hashed alike."""
    plain, ones = Network("pair", 2, [(0, 1), (1, 0)]), Network("pair", 2, [(0, 1), (1, 0)], capacities=[1, 1])
    assert plain == ones
    assert hash(plain) == hash(ones)
    assert ones.capacities is None
    assert ones.capacity.tolist() == [1, 1]


def test_degrees_are_sums_of_capacities() -> None:
    """All ports are as many as the router's channels carry."""
    made = Network("fan", 3, [(0, 1), (0, 1), (0, 2), (2, 0)], capacities=[4, 1, 3, 2])
    assert made.out_degrees.tolist() == [8, 0, 2]
    assert made.in_degrees.tolist() == [2, 5, 3]
    assert made != Network("fan", 3, [(0, 1), (0, 1), (0, 2), (2, 0)])


def test_variants_keep_capacities() -> None:
    """A fault takes a channel with all it carries; turned round, channels carry what they carried."""
    made = Network("fan", 3, [(0, 1), (1, 0), (0, 2), (2, 0)], capacities=[4, 4, 3, 2])
    assert made.without(channels=[0]).capacity.tolist() == [4, 3, 2]
    assert made.without(links=[(0, 2)]).capacity.tolist() == [4, 4]
    assert made.reversed().capacity.tolist() == [4, 4, 3, 2]
    assert made.reversed().reversed() == made
    assert made.with_processors(2).capacity.tolist() == [4, 4, 3, 2]


@pytest.mark.parametrize(
    ("capacities", "text"),
    [
        ([1], "capacities are one number per channel, 2 in all; 1 were given"),
        ([[1, 1]], "something else was given"),
        ([0, 1], "channel 0 has capacity 0; give whole numbers from 1"),
        ([1, -2], "channel 1 has capacity -2; give whole numbers from 1"),
        ([1, 2.5], "channel 1 has capacity 2.5, which is not whole; multiply all by 2"),
        ([0.1, 1.2], "channel 0 has capacity 0.1, which is not whole; multiply all by 10"),
        ([1, float("nan")], "channel 1 has capacity nan"),
        ([1, float("inf")], "channel 1 has capacity inf"),
        (["a", "b"], "capacities are whole numbers from 1 up"),
        (5, "capacities are one number per channel, 2 in all; something else was given"),
        ([[1], [1, 2]], "capacities are one number per channel, 2 in all; something else was given"),
        ([1, 10**9], "channel 1 has capacity 1000000000; give whole numbers"),
    ],
)
def test_refused_capacities(capacities: Any, text: str) -> None:
    """What is no capacity gets one clear line."""
    with pytest.raises(InputError, match=re.escape(text)):
        Network("pair", 2, [(0, 1), (1, 0)], capacities=capacities)


def test_capacities_add_up_to_a_limit() -> None:
    """All together they are counted in 32 bits."""
    with pytest.raises(InputError, match="its capacities add up to more than 2,147,483,647; divide all by a number"):
        Network("many", 2, [(0, 1)] * 2_148, capacities=[1_000_000] * 2_148)


def test_half_duplex_wants_links_with_one_capacity() -> None:
    """The two channels of a link share what it carries, so they must agree on it."""
    made = Network("pair", 2, [(0, 1), (1, 0)], capacities=[2, 3])
    with pytest.raises(InputError, match="from 0 to 1 it is 2 and back it is 3; give both the same"):
        Problem(made, alltoall(made), Rules(duplex="half"))
    assert Problem(made, alltoall(made)).num_messages == 2


# -- machines


def test_boxes_stay_with_their_routers() -> None:
    """Which machine a router is in is kept by changes, and networks that differ in it are equal."""
    made = network("rails:2,2")
    assert made.boxes is not None
    assert made.boxes.tolist() == [0, 0, 1, 1, 0, 1, -1, -1]
    assert network("dgx-a100").boxes is None
    for changed in (made.reversed(), made.with_links([(0, 2)]), made.without_links([(0, 4)]), made.with_processors(2)):
        assert changed.boxes is not None
        assert changed.boxes.tolist() == made.boxes.tolist()
    less = made.without(routers=[1])
    assert less.boxes is not None
    assert less.boxes.tolist() == [0, 1, 1, 0, 1, -1, -1]
    assert Network(made.name, made.routers, made.channels, made.router_of, made.positions) == made


@pytest.mark.parametrize(
    ("spec", "boxes"),
    [
        ("ndv2:2", [0] * 8 + [1] * 8),
        ("ndv2:3", [0] * 8 + [1] * 8 + [2] * 8 + [-1]),
        ("mi250:2", [0] * 16 + [1] * 16 + [-1]),
        ("dgx-2:2", [0] * 16 + [1] * 16 + [0, 1]),
        ("dgx-a100:2", [0] * 8 + [1] * 8 + [0, 1, -1, -1]),
        ("ring:3@2", [0] * 3 + [1] * 3 + [-1] * 3),
        ("ndv2:2@2", [0] * 8 + [1] * 8 + [2] * 8 + [3] * 8 + [-1] * 16),
    ],
)
def test_machines_of_the_catalogue_say_their_boxes(spec: str, boxes: list[int]) -> None:
    """GPUs and switches of a box are in it, rails and switches between boxes in none."""
    found = network(spec).boxes
    assert found is not None
    assert found.tolist() == boxes


@pytest.mark.parametrize("boxes", [[0], [0, -2], [[0, 1]], [0, 0.5], "01"])
def test_boxes_that_cannot_be_are_refused(boxes: Any) -> None:
    """A whole number for each router, -1 for none."""
    with pytest.raises(InputError, match="boxes must be"):
        Network("pair", 2, [(0, 1), (1, 0)], boxes=boxes)
