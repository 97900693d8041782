"""Faults: which there are, which are the same, and what they cost (gecco08 section 5)."""

from __future__ import annotations

from itertools import permutations

import pytest

from pavane.errors import InputError
from pavane.model.collectives import alltoall, broadcast, named, pairs
from pavane.model.network import Network
from pavane.model.problem import Collective, Problem, Rules
from pavane.networks import network
from pavane.search.synthesis import synthesize
from pavane.studies.fault_study import Disconnected, Fault, double_faults, faults, faulty, single_faults, usual_kind
from pavane.studies.fault_study.equivalence import Equivalence, renumbering, shape_of
from pavane.studies.fault_study.table import markdown_table, summary, text_table

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


def test_a_renumbering_is_one() -> None:
    """Shapes of two rings numbered differently go over into each other, and of a ring and a path do not."""
    one = network("ring:5")
    turned = Network("turned", 5, [(2 * a % 5, 2 * b % 5) for a, b in one.channels.tolist()])
    names: dict[object, int] = {}
    shapes = [shape_of(Problem(n, alltoall(n)), names) for n in (one, turned, network("mesh:5"))]
    images = renumbering(shapes[0], shapes[1], names)
    assert images is not None
    there = {(a, b) for a, b in turned.channels.tolist()}
    assert {(images[a], images[b]) for a, b in one.channels.tolist()} == there
    assert renumbering(shapes[0], shapes[2], names) is None


def test_what_can_fail() -> None:
    """One-way channels fail alone by default, links as a whole; parallel ones are told apart by number."""
    assert usual_kind(KAUTZ) == "channel"
    assert usual_kind(network("ring:4")) == "link"
    assert len(single_faults(KAUTZ)) == 36
    assert len(single_faults(KAUTZ, "link")) == 30
    assert [f.name for f in single_faults(TWINS)] == ["0-1", "0-1 (2)", "1-2"]
    assert [f.name for f in single_faults(TWINS, "router")] == ["router 0", "router 1", "router 2"]


def test_pairs_of_faults_are_drawn_with_the_seed() -> None:
    """All pairs where they are few; else a sample without doubles, the same for the same seed."""
    singles = single_faults(KAUTZ)
    assert len(double_faults(singles[:5], 100)) == 10
    drawn = double_faults(singles, 50, seed=3)
    assert drawn == double_faults(singles, 50, seed=3)
    assert drawn != double_faults(singles, 50, seed=4)
    assert len({fault.channels for fault in drawn}) == 50
    assert all(len(fault.channels) == 2 for fault in drawn)
    every = {fault.channels for fault in double_faults(singles, 1000)}
    assert {fault.channels for fault in double_faults(singles, 629)} <= every
    assert len(every) == 630


def test_routers_and_processors_leave_the_collective() -> None:
    """A router takes its processor along; a processor leaves its router as a pure switch."""
    ring = network("ring:5")
    problem = Problem(ring, alltoall(ring))
    without_router = faulty(problem, Fault("router 2", routers=(2,)))
    assert (without_router.network.num_routers, without_router.num_messages) == (4, 12)
    without_processor = faulty(problem, Fault("processor 2", processors=(2,)))
    assert (without_processor.network.num_routers, without_processor.num_messages) == (5, 12)
    some = Problem(ring, Collective("MNS", (1, 3), (2, 4)))
    left = faulty(some, Fault("processor 2", processors=(2,))).collective
    assert (left.senders, left.receivers) == ((1, 2), (3,))


def test_faults_that_leave_no_schedule() -> None:
    """Parted processors, a lost root and a lonely processor are told apart, and are no errors of a study."""
    path = network("mesh:3")
    with pytest.raises(Disconnected, match="0-1 disconnects AAS: processor"):
        faulty(Problem(path, alltoall(path)), single_faults(path)[0])
    study = faults(path, ["oab", "aas"], kind="router")
    outcomes = [[replan.outcome for replan in row.replans] for row in study.rows]
    assert outcomes == [["no root", "optimal"], ["disconnects", "disconnects"], ["optimal", "optimal"]]
    assert study.impossible(0) == {"no root": ["router 0"], "disconnects": ["router 1"]}
    pair = network("mesh:2")
    assert [row.replans[0].outcome for row in faults(pair, ["aas"], kind="processor").rows] == ["nothing"] * 2


def test_only_the_messages_count() -> None:
    """A fault that parts processors without business with each other disconnects nothing."""
    path = network("mesh:4")
    study = faults(path, [pairs([(0, 1), (3, 2)])])
    assert [row.replans[0].outcome for row in study.rows] == ["disconnects", "optimal", "disconnects"]


def test_table_5_of_gecco08() -> None:
    """The whole table with shortest paths, proven: an out-channel of the root costs most, AAS takes 9 everywhere."""
    study = faults(KAUTZ, ["oab", "aab", "oas", "aas"])
    assert study.is_proven
    assert [replan.steps for replan in study.no_fault.replans] == [2, 4, 4, 7]
    expected = dict.fromkeys((f.name for f in single_faults(KAUTZ)), (2, 6, 4, 9))
    expected |= dict.fromkeys(("01>10", "01>12", "01>13"), (3, 6, 6, 9))
    expected |= dict.fromkeys(("10>02", "10>03"), (2, 6, 5, 9))
    assert {row.fault.name: tuple(r.steps for r in row.replans) for row in study.rows} == expected
    lines = text_table(study)
    assert [line.split() for line in lines[:2]] == [["fault", "OAB", "AAB", "OAS", "AAS"], ["no", "fault", *"2447"]]
    assert lines[-1].split() == ["all", "other", "(31)", "2", "6*", "4", "9*"]
    assert len(text_table(study, whole=True)) == 38
    assert "| 10>02, 10>03 | 2 | **6** | **5** | **9** |" in markdown_table(study)
    assert any("4: 31, 5: 2, 6: 3" in line for line in summary(study))


def test_detours_win_steps_back() -> None:
    """With any routing OAS takes 4 steps unless the root has lost a channel."""
    study = faults(KAUTZ, ["oas"], Rules(routing="any"))
    assert study.histogram(0) == {4: 33, 6: 3}
    assert study.worst(0) == 6
    assert study.is_proven


def test_saved_plans_are_what_planning_gives() -> None:
    """A fault that stands for another has the same figure as that one planned by itself."""
    study = faults(network("mesh:2x3"), ["aas", "oas"])
    assert any(row.replans[0].same_as for row in study.rows)
    for row in study.rows:
        for column, replan in zip(study.columns, row.replans, strict=True):
            left = faulty(column.problem, row.fault)
            alone = synthesize(left)
            assert (alone.num_steps, alone.status) == (replan.steps, replan.outcome)


def test_the_number_of_workers_changes_nothing() -> None:
    """Same seed, same study, with one process or two."""
    ring = network("ring:5")
    one, two = (faults(ring, ["aas", "oab"], double=True, sample=4, workers=w) for w in (1, 2))
    for mine, theirs in zip(one.rows, two.rows, strict=True):
        assert mine.fault == theirs.fault
        assert [(r.steps, r.outcome, r.same_as) for r in mine.replans] == [
            (r.steps, r.outcome, r.same_as) for r in theirs.replans
        ]


def test_ordered_routing_knows_places() -> None:
    """Under west-first routing mirrored faults are planned apart, and a lost router is refused."""
    mesh = network("mesh:3x3")
    rules = Rules(routing="west-first")
    listed = single_faults(mesh)
    assert len(set(found_classes(Problem(mesh, broadcast(mesh), rules), listed))) == 12
    assert len(set(found_classes(Problem(mesh, broadcast(mesh)), listed))) < 12
    with pytest.raises(InputError, match="needs a whole grid"):
        faults(mesh, ["aab"], rules, kind="router")


@pytest.mark.parametrize(
    ("options", "text"),
    [({"workers": 0}, "workers 0"), ({"sample": 0}, "sample 0"), ({"kind": "cable"}, "fault kind 'cable'")],
)
def test_bad_settings(options: dict[str, object], text: str) -> None:
    """Settings that make no sense are refused in one line."""
    with pytest.raises(InputError, match=text):
        faults(network("ring:4"), ["aas"], **options)  # type: ignore[arg-type]


def test_the_plot_shows_each_collective() -> None:
    """A row per collective, its title at the side."""
    pytest.importorskip("matplotlib")
    from pavane.plot.faults import plot_faults

    study = faults(network("ring:4"), ["oas", "aas"], kind="router")
    axes = plot_faults(study)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["OAS", "AAS"]
    assert plot_faults(study, axes) is axes
