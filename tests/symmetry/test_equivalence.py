"""Equivalence: faults are the same fault exactly if a symmetry that keeps the collective joins them."""

from itertools import permutations

import pytest

from pavane.model.collectives import allreduce, alltoall, broadcast, in_pieces, named, pairs, reduce_broadcast
from pavane.model.faults import Disconnected, Fault, faulty, single_faults
from pavane.model.network import Network
from pavane.model.problem import Problem, Rules
from pavane.networks import network
from pavane.symmetry.equivalence import Equivalence
from tests.problems import problem_of

KAUTZ = network("kautz:3,2")
BOW_TIE = Network(
    "bow-tie", 5, [(a, b) for x, y in ((0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)) for a, b in ((x, y), (y, x))]
)
TWINS = Network("twins", 3, [(0, 1), (0, 1), (1, 0), (1, 0), (1, 2), (2, 1)])


def brute_classes(problem: Problem, listed: list[Fault]) -> list[int]:
    """Try every renumbering of routers: for each fault the first one that is its image."""
    where, collective = problem.network, problem.collective
    channels = sorted(map(tuple, where.channels.tolist()))
    parts = [
        sorted((p in collective.senders, p in collective.receivers) for p in there) for there in where.processors_on
    ]

    def gone(fault: Fault) -> tuple[object, ...]:
        lost = sorted(tuple(where.channels[c].tolist()) for c in fault.channels)
        return (*lost, "routers", *sorted(fault.routers))

    kept = [
        image
        for image in permutations(range(where.num_routers))
        if sorted((image[a], image[b]) for a, b in channels) == channels
        and all(parts[router] == parts[image[router]] for router in range(where.num_routers))
    ]
    classes = []
    for fault in listed:
        images = set()
        for image in kept:
            lost = sorted(tuple(image[end] for end in where.channels[c].tolist()) for c in fault.channels)
            images.add((*lost, "routers", *sorted(image[router] for router in fault.routers)))
        classes.append(next(i for i, other in enumerate(listed) if gone(other) in images))
    return classes


def found_classes(problem: Problem, listed: list[Fault]) -> list[int]:
    """Ask for the first equivalent of each fault."""
    equivalence = Equivalence()
    return [equivalence.first_like(faulty(problem, fault), number) for number, fault in enumerate(listed)]


@pytest.mark.parametrize("where", [network("ring:6"), network("mesh:2x3"), BOW_TIE, TWINS, network("star:5")])
@pytest.mark.parametrize("collective", ["AAS", "OAS"])
@pytest.mark.parametrize("kind", ["channel", "link", "router"])
def test_equivalent_faults_are_the_orbits(where: Network, collective: str, kind: str) -> None:
    """Faults are equivalent exactly if a symmetry that keeps the collective takes one to the other."""
    problem = Problem(where, named(collective, where))
    listed = []
    for fault in single_faults(where, kind):  # type: ignore[arg-type]
        try:
            faulty(problem, fault)
        except Disconnected:
            continue
        listed.append(fault)
    found, brute = found_classes(problem, listed), brute_classes(problem, listed)
    # What is left may be alike where no symmetry of the whole takes one fault to the other; never the other way.
    assert all(found[i] == found[b] for i, b in enumerate(brute))
    if kind != "router":
        assert found == brute


@pytest.mark.parametrize(("collective", "number"), [("AAS", 2), ("OAS", 19)])
def test_the_kautz_network_has_few_different_faults(collective: str, number: int) -> None:
    """Words of three letters, up to renaming letters: aba and abc; fewer renamings leave the root 01 in place."""
    problem = Problem(KAUTZ, named(collective, KAUTZ))
    classes = found_classes(problem, single_faults(KAUTZ))
    assert len(set(classes)) == number


def test_pairs_are_kept_too() -> None:
    """On a ring with one message 0 to 3 the links fall into mirror images, and with 0 to 2 into others."""
    ring = network("ring:6")
    listed = single_faults(ring, "link")
    names = [fault.name for fault in listed]
    across = found_classes(Problem(ring, pairs([(0, 3)])), listed)
    assert [names[c] for c in across] == [names[b] for b in across]
    assert len(set(across)) == 3
    assert len(set(found_classes(Problem(ring, pairs([(0, 2)])), listed))) == 6


def test_numbers_do_not_matter() -> None:
    """A ring is equivalent to itself under other numbers, and not to a path."""
    ring = network("ring:5")
    turned = Network("turned", 5, [(2 * a % 5, 2 * b % 5) for a, b in ring.channels.tolist()])
    equivalence = Equivalence()
    problems = [Problem(made, alltoall(made)) for made in (ring, network("mesh:5"), turned)]
    assert [equivalence.first_like(problem, number) for number, problem in enumerate(problems)] == [0, 1, 0]


def test_ordered_routing_knows_directions() -> None:
    """Under west-first routing mirrored faults are planned apart."""
    mesh = network("mesh:3x3")
    rules = Rules(routing="west-first")
    listed = single_faults(mesh)
    assert len(set(found_classes(Problem(mesh, broadcast(mesh), rules), listed))) == 12
    assert len(set(found_classes(Problem(mesh, broadcast(mesh)), listed))) < 12


def of_capacities(capacities: list[int]) -> Network:
    """Return a ring of four whose links, in turn, carry as much."""
    ring = network("ring:4")
    ends = [frozenset(channel) for channel in ring.channels.tolist()]
    links = list(dict.fromkeys(ends))
    return Network("ring", 4, ring.channels, capacities=[capacities[links.index(link)] for link in ends])


def test_capacities_are_kept() -> None:
    """Links of a ring are alike exactly if a turn or a mirror takes one to the other, capacities included."""
    for capacities, number in (([1, 1, 1, 1], 1), ([2, 1, 1, 1], 3), ([2, 1, 2, 1], 2), ([1, 2, 3, 4], 4)):
        where = of_capacities(capacities)
        problem = Problem(where, alltoall(where))
        assert len(set(found_classes(problem, single_faults(where)))) == number, capacities


def test_parallel_channels_are_as_good_as_capacity() -> None:
    """What carries as much is alike, by one channel of capacity two or by two of one."""
    one = Network("one", 2, [(0, 1), (1, 0)], capacities=[2, 2])
    two = Network("two", 2, [(0, 1), (0, 1), (1, 0), (1, 0)])
    equivalence = Equivalence()
    assert equivalence.first_like(Problem(one, alltoall(one)), 0) == 0
    assert equivalence.first_like(Problem(two, alltoall(two)), 1) == 0


@pytest.mark.parametrize(
    ("kind", "sizes", "number"),
    [("AAS", [(0, 2, 5)], 2), ("AAS", [(0, 2, 5), (2, 0, 5)], 1), ("AAS", [(0, 1, 5)], 4), ("AAB", [(0, 2)], 2)],
)
def test_sizes_are_kept(kind: str, sizes: list[tuple[int, ...]], number: int) -> None:
    """A longer message tells links of a ring apart that were alike."""
    ring = network("ring:4")
    problem = Problem(ring, in_pieces(named(kind, ring), sizes=sizes))
    assert len(set(found_classes(problem, single_faults(ring)))) == number


def test_pieces_are_kept() -> None:
    """The same messages in more pieces are another problem."""
    ring = network("ring:4")
    equivalence = Equivalence()
    plain, cut = (Problem(ring, in_pieces(alltoall(ring), pieces)) for pieces in (1, 2))
    assert [equivalence.first_like(plain, 0), equivalence.first_like(cut, 1)] == [0, 1]


def test_names_of_parts_do_not_tell_faults_apart() -> None:
    """A sum may be complete anywhere, so all links of a ring are alike for an allreduce in one part, too."""
    ring = network("ring:6")
    for members in (allreduce(ring), reduce_broadcast(ring)):
        problem = Problem(ring, members)
        listed = single_faults(ring, "link")
        assert found_classes(problem, listed) == [0] * len(listed)


def test_members_of_an_allreduce_tell_faults_apart() -> None:
    """Who contributes matters, and how many parts of which units there are."""
    line = network("line:4")
    problem = Problem(line, reduce_broadcast(line, 0, [0, 1]))
    listed = [Fault("no fault"), Fault("2>3", (4,))]
    assert len(set(found_classes(problem, listed))) == 2
    equivalence = Equivalence()
    sized = [in_pieces(allreduce(line), 1, sizes) for sizes in ([(0, 2)], [(3, 2)], [(1, 2), (2, 2)])]
    assert [equivalence.first_like(Problem(line, one), number) for number, one in enumerate(sized)] == [0, 0, 2]


def test_the_work_is_limited() -> None:
    """Equal problems count as different where their canonical form takes too much work, or they are too large."""
    problem = problem_of("ring:6")
    some, none = Equivalence(), Equivalence(0)
    assert [some.first_like(problem, number) for number in range(2)] == [0, 0]
    assert [none.first_like(problem, number) for number in range(2)] == [0, 1]
    large = Problem("torus:40x40", "alltoall")
    assert [some.first_like(large, number) for number in range(2, 4)] == [2, 3]
