"""Programs of MSCCL, judged by the same judge."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from pavane.errors import InputError
from pavane.io import Note, read_schedule
from pavane.io.formats import msccl_xml
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.networks import ring
from tests.io.formats.claims import broken, claim_of
from tests.io.formats.samples import allgather_xml


def program(collective: str, gpus: list[tuple[int, str]], more: str = "") -> str:
    """Return a program: for each GPU how many input chunks it has, and its blocks."""
    bodies = [
        f'<gpu id="{number}" i_chunks="{inputs}" o_chunks="2" s_chunks="0">{blocks}</gpu>'
        for number, (inputs, blocks) in enumerate(gpus)
    ]
    return f'<algo name="n" coll="{collective}" ngpus="{len(gpus)}" {more}>{"".join(bodies)}</algo>'


def block(number: int, send: int, recv: int, *steps: str) -> str:
    """Return a thread block; a step reads `s i0 o1`: type, source and sink, and perhaps what it waits for and `x2`."""
    made = []
    for at, step in enumerate(steps):
        kind, source, sink, *rest = step.split()
        wait = next((word[1:].split(".") for word in rest if word[0] == "@"), ["-1", "-1"])
        count = next((word[1:] for word in rest if word[0] == "x"), "1")
        made.append(
            f'<step s="{at}" type="{kind}" srcbuf="{source[0]}" srcoff="{source[1:]}" dstbuf="{sink[0]}" '
            f'dstoff="{sink[1:]}" cnt="{count}" depid="{wait[0]}" deps="{wait[1]}" hasdep="0"/>'
        )
    return f'<tb id="{number}" send="{send}" recv="{recv}" chan="0">{"".join(made)}</tb>'


def test_a_program_gets_steps_and_a_network(tmp_path: Path) -> None:
    """Connections are channels, and what was received goes on in the next step."""
    claim = claim_of(tmp_path / "a.xml", allgather_xml())
    assert claim.problem.collective.kind == "AAB"
    assert claim.problem.network.channels.tolist() == [[0, 1], [1, 2], [2, 0]]
    assert claim.schedule.num_steps == 2
    assert broken(claim) == set()


def test_sends_that_do_not_wait_are_told(tmp_path: Path) -> None:
    """In lock step the data are there; on GPUs they may not be."""
    (tmp_path / "a.xml").write_text(allgather_xml(wait=False))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_schedule(tmp_path / "a.xml")
    assert "3 sends not told to wait for what is sent, as on GPU 0 step 1 of tb 0" in str(caught[0].message)


@pytest.mark.parametrize(
    ("kind", "text", "num_steps"),
    [
        (
            "AAS",
            program("alltoall", [(2, block(0, 1, 1, "s i1 o0", "r i0 o1")), (2, block(0, 0, 0, "s i0 o1", "r i0 o0"))]),
            1,
        ),
        (
            "AAR",
            program(
                "reduce_scatter",
                [(2, block(0, 1, 1, "s i1 o0", "rrc i0 o0")), (2, block(0, 0, 0, "s i0 o0", "rrc i1 o0"))],
            ),
            1,
        ),
        (
            "OAB",
            program(
                "broadcast",
                [(0, block(0, -1, 1, "r i0 o0")), (0, block(0, 0, 2, "rcs i0 o0")), (1, block(0, 1, -1, "s i0 o0"))],
            ),
            2,
        ),
    ],
)
def test_collectives_of_msccl(kind: str, text: str, num_steps: int, tmp_path: Path) -> None:
    """Alltoall, reduce-scatter and broadcast are read, too; who has an input is the root."""
    claim = claim_of(tmp_path / "a.xml", text)
    assert claim.problem.collective.kind == kind
    assert claim.schedule.num_steps == num_steps
    assert broken(claim) == set()


def test_several_parts_at_once_are_combined(tmp_path: Path) -> None:
    """A send of two parts carries two messages, which is combining."""
    text = program(
        "alltoall",
        [
            (3, block(0, 1, -1, "s i1 s0 x2") + block(1, -1, 2, "r i0 o2")),
            (3, block(0, -1, 0, "r i0 s0 x2") + block(1, 2, -1, "s s1 o0 @0.0")),
            (3, block(0, -1, 1, "r i0 o0") + block(1, 0, -1, "s i0 o2")),
        ],
    )
    claim = claim_of(tmp_path / "a.xml", text)
    assert claim.problem.rules.combining
    carried = [claim.problem.labels[list(t.messages)].tolist() for t in claim.schedule]
    assert carried == [[[0, 1], [0, 2]], [[2, 0]], [[0, 2]]]
    assert broken(claim) == {"never-delivered"}


@pytest.mark.parametrize(
    ("collective", "text"),
    [
        (
            Collective("AAS", (0, 1), (0, 1), pieces=2),
            program(
                "alltoall",
                [
                    (4, block(0, 1, 1, "s i2 o0", "r i0 o2", "s i3 o1", "r i1 o3")),
                    (4, block(0, 0, 0, "s i0 o2", "r i2 o0", "s i1 o3", "r i3 o1")),
                ],
            ),
        ),
        (
            Collective("AAB", (0, 1), (0, 1), pieces=2),
            program(
                "allgather",
                [(2, block(0, 1, 1, "s i0 o0 x2", "r i0 o2 x2")), (2, block(0, 0, 0, "s i0 o2 x2", "r i0 o0 x2"))],
            ),
        ),
        (
            Collective("AAB", (0, 1), (0, 1), pieces=2, sizes=((1, 2),)),
            program(
                "allgather",
                [(2, block(0, 1, 1, "s i0 o0 x2", "r i0 o2 x4")), (4, block(0, 0, 0, "s i0 o2 x4", "r i0 o0 x2"))],
            ),
        ),
        (
            Collective("AAR", (0, 1), (0, 1), pieces=2),
            program(
                "reduce_scatter",
                [
                    (4, block(0, 1, 1, "s i2 o0 x2", "rrc i0 o0 x2")),
                    (4, block(0, 0, 0, "s i0 o0 x2", "rrc i2 o0 x2")),
                ],
            ),
        ),
        (
            Collective("OAB", (1,), (0,), pieces=3),
            program("broadcast", [(0, block(0, -1, 1, "r i0 o0 x3")), (3, block(0, 0, -1, "s i0 o0 x3"))]),
        ),
    ],
)
def test_several_input_chunks_are_pieces(collective: Collective, text: str, tmp_path: Path) -> None:
    """As many as the inputs say; unequal numbers in an allgather are sizes. What goes at once is combined."""
    claim = claim_of(tmp_path / "a.xml", text)
    assert claim.problem.collective == collective
    assert broken(claim) == set()
    other = re.sub(
        r'(type="s" srcbuf="i" srcoff=")(\d+)', lambda found: f"{found[1]}{int(found[2]) + 1}", text, count=1
    )
    assert "never-delivered" in broken(claim_of(tmp_path / "a.xml", other))


def test_what_a_program_breaks_is_named(tmp_path: Path) -> None:
    """What is sent before it came is not held; what is never sent is never delivered."""
    early = allgather_xml().replace(
        'srcbuf="i" srcoff="0" dstbuf="o" dstoff="0"', 'srcbuf="o" srcoff="1" dstbuf="o" dstoff="0"'
    )
    assert {"not-held", "never-delivered"} <= broken(claim_of(tmp_path / "a.xml", early))
    nothing = allgather_xml().replace(
        'srcbuf="i" srcoff="0" dstbuf="o" dstoff="0"', 'srcbuf="s" srcoff="8" dstbuf="o" dstoff="0"'
    )
    assert {"unknown-message", "never-delivered"} <= broken(claim_of(tmp_path / "a.xml", nothing))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (allgather_xml().replace("allgather", "allreduce"), "GPU 1, tb 0, step 1: it sends a sum of 1 contributions"),
        (allgather_xml().replace("allgather", "custom"), "coll is 'custom'; read are allgather, alltoall"),
        (allgather_xml().replace('i_chunks="1"', 'i_chunks="9999999"'), "9,999,999 input chunks are too many"),
        (
            program("alltoall", [(2, block(0, 1, -1, "s i1 o0")), (3, block(0, -1, 0, "r i0 o0"))]),
            "GPUs have 2 and 3 input chunks for 2 parts; give each GPU the same multiple",
        ),
        (allgather_xml().replace('<gpu id="2"', '<gpu id="7"'), "the ids of its 3 GPUs must be 0 to 2"),
        (allgather_xml().replace('ngpus="3"', 'ngpus="4"'), "ngpus is 4, but there are 3 GPUs"),
        (allgather_xml().replace('type="s"', 'type="r"', 1), "recv` is -1, which is no other GPU"),
        (allgather_xml().replace('deps="0"', 'deps="8"', 1), "waits for step 8 of tb 1, which there is none"),
        (allgather_xml().replace('type="s"', 'type="teleport"', 1), "type 'teleport' is not known"),
        (
            program("alltoall", [(2, block(0, 1, -1, "s i1 o0")), (2, "")]),
            "GPU 0 sends 1 times to GPU 1 over channel 0, which receives 0 times; the program would wait for ever",
        ),
        (
            program("alltoall", [(2, block(0, 1, 1, "r i0 o1", "s i1 o0")), (2, block(0, 0, 0, "r i0 o0", "s i0 o1"))]),
            "wait for each other in a circle",
        ),
        (
            program("alltoall", [(2, block(0, 1, -1, "s i1 o0")), (2, block(0, -1, 0, "r i0 o0"))]),
            "its connections cannot carry the collective: processor",
        ),
        ("<?made by <algo ?><system/>", "an MSCCL program begins with <algo>, found <system>"),
        ('<algo name="n" coll="allgather"></algo>', "no <gpu> in it; the file may be cut off"),
        (allgather_xml().replace('cnt="1"', 'cnt="0"', 1), "`cnt` is 0; give 1 or more, at most"),
        (
            program("alltoall", [(2, block(0, 1, -1, "s i0 o0 x2")), (2, block(0, -1, 0, "r i0 o0"))]),
            "GPU 0 sends 2 parts at once to GPU 1, which receives 1; let `cnt` be the same",
        ),
        (program("broadcast", [(0, ""), (0, "")]), "which GPU broadcasts is not said: 2 receive nothing"),
    ],
)
def test_programs_that_cannot_be_read_are_refused(text: str, said: str, tmp_path: Path) -> None:
    """One line that names the file and says what is wrong."""
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        claim_of(tmp_path / "a.xml", text)
    assert str(caught.value).startswith(str(tmp_path / "a.xml"))


def test_more_gpus_than_processors_are_read_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is that of processors; here a small one."""
    monkeypatch.setattr(msccl_xml, "MOST_PROCESSORS", 2)
    with pytest.raises(InputError, match=r"3 GPUs are too many; at most 2 are read"):
        claim_of(tmp_path / "a.xml", allgather_xml())


STAR = Network("star", 4, [(a, 3) for a in range(3)] + [(3, a) for a in range(3)], [0, 1, 2])
"""Three GPUs at a switch."""


def test_a_program_is_judged_on_a_network(tmp_path: Path) -> None:
    """Its transfers run over switches that pass, and get the steps that its channels have room for."""
    claim = claim_of(tmp_path / "a.xml", allgather_xml(), STAR)
    assert (claim.problem.network, claim.problem.rules.switches) == (STAR, "pass")
    assert (claim.schedule.num_steps, broken(claim)) == (2, set())
    assert claim.schedule.path_lengths.tolist() == [2] * 6
    # All three have one way, over which one message goes at a time.
    shared = Network("shared", 5, [*((a, 3) for a in range(3)), (3, 4), *((4, a) for a in range(3))], [0, 1, 2])
    claim = claim_of(tmp_path / "a.xml", allgather_xml(), shared)
    assert (claim.schedule.num_steps, broken(claim)) == (6, set())


def test_several_at_once_take_their_time_on_a_network(tmp_path: Path) -> None:
    """A send of two pieces takes two steps on a channel of capacity 1, and one on one of capacity 2."""
    text = allgather_xml().replace('i_chunks="1"', 'i_chunks="2"').replace('cnt="1"', 'cnt="2"')
    text = re.sub(r'off="(\d)"', lambda found: f'off="{2 * int(found[1])}"', text)
    assert claim_of(tmp_path / "a.xml", text).problem.rules.combining
    for capacity, num_steps in ((1, 4), (2, 2)):
        wide = Network("wide", STAR.routers, STAR.channels, STAR.router_of, capacities=[capacity] * 6)
        claim = claim_of(tmp_path / "a.xml", text, wide)
        assert (claim.problem.collective.pieces, claim.problem.rules.combining) == (2, False)
        assert (claim.schedule.num_steps, broken(claim)) == (num_steps, set())


def test_what_a_network_has_no_link_for_is_told(tmp_path: Path) -> None:
    """The judge sees a transfer without a way; so it is with a network of another size."""
    line = Network("line", 3, [(0, 1), (1, 0), (1, 2), (2, 1)])
    (tmp_path / "a.xml").write_text(allgather_xml())
    with pytest.warns(Note, match="line has no link for 1 pair that it sends over: 2->0"):
        claim = read_schedule(tmp_path / "a.xml", line)
    assert "wrong-ends" in broken(claim)
    with pytest.raises(InputError, match=r"it has 3 GPUs, and ring:4 has 4 processors; name the network that it is"):
        read_schedule(tmp_path / "a.xml", ring(4))


def ring_allreduce(*, last: str = "r", add: str = "rrc", more: str = 'inplace="1"') -> str:
    """Return an allreduce on a one-way ring of three: every part goes round, and its sum once more."""
    gpus = []
    for gpu in range(3):
        # Part p begins at the GPU behind p; it is whole when it comes to p.
        sent = [(gpu - 1 - turn) % 3 for turn in range(4)]
        got = [(gpu - 2 - turn) % 3 for turn in range(4)]
        waits = ["", *(f" @1.{turn}" for turn in range(3))]
        sends = [f"s i{part} i{part}{wait}" for part, wait in zip(sent, waits, strict=True)]
        kinds = [add, add, "r", last]
        receives = [f"{kind} i{part} i{part}" for part, kind in zip(got, kinds, strict=True)]
        gpus.append((3, block(0, (gpu + 1) % 3, -1, *sends) + block(1, -1, (gpu - 1) % 3, *receives)))
    return program("allreduce", gpus, more)


def test_an_allreduce_is_judged_as_a_whole(tmp_path: Path) -> None:
    """A vector of as many parts as GPUs goes round twice; the sums are complete at the end."""
    claim = claim_of(tmp_path / "a.xml", ring_allreduce())
    assert claim.problem.collective == Collective("ALLREDUCE", (0, 1, 2), (0, 1, 2))
    assert (claim.schedule.num_steps, broken(claim)) == (4, set())
    on_star = claim_of(tmp_path / "a.xml", ring_allreduce(), STAR)
    assert (on_star.schedule.num_steps, on_star.problem.rules.switches, broken(on_star)) == (4, "pass", set())


def test_a_vector_that_the_gpus_do_not_divide_is_one_part(tmp_path: Path) -> None:
    """One input is reduced at GPU 0 and sent back from there; input and output may be two buffers."""
    root = block(0, -1, 1, "rrc i0 i0") + block(1, 1, -1, "s i0 i0 @0.0")
    other = block(0, 0, -1, "s i0 i0") + block(1, -1, 0, "r i0 i0")
    claim = claim_of(tmp_path / "a.xml", program("allreduce", [(1, root), (1, other)], 'inplace="1"'))
    assert claim.problem.collective == Collective("ALLREDUCE", (0, 1), (0,))
    assert (claim.schedule.num_steps, broken(claim)) == (2, set())
    one_output = program("allreduce", [(0, root), (0, other)], 'inplace="1"').replace('o_chunks="2"', 'o_chunks="1"')
    assert claim_of(tmp_path / "a.xml", one_output) == claim
    apart = other.replace('dstbuf="i"', 'dstbuf="o"')
    claim = claim_of(tmp_path / "a.xml", program("all_reduce", [(1, root), (1, apart)]))
    assert broken(claim) == set()


def test_what_has_come_may_be_added_later(tmp_path: Path) -> None:
    """A GPU receives into its scratch buffer and adds from there; to add it again makes the sum worthless."""
    other = block(0, 0, -1, "s i0 i0") + block(1, -1, 0, "r i0 i0")
    for times, rules in ((1, set()), (2, {"unknown-message", "never-delivered"})):
        adds = ["re s0 i0"] * times
        root = block(0, -1, 1, "r i0 s0", *adds) + block(1, 1, -1, f"s i0 i0 @0.{times}")
        claim = claim_of(tmp_path / "a.xml", program("allreduce", [(1, root), (1, other)], 'inplace="1"'))
        assert broken(claim) == rules


def test_sums_that_are_lost_are_missed(tmp_path: Path) -> None:
    """Who overwrites what it had instead of adding to it lacks contributions in the end."""
    exchange = [
        (1, block(0, 1, -1, "s i0 i0") + block(1, -1, 1, "rrc i0 i0")),
        (1, block(0, 0, -1, "s i0 i0") + block(1, -1, 0, "rrc i0 i0")),
    ]
    text = program("allreduce", exchange, 'inplace="1"')
    assert broken(claim_of(tmp_path / "a.xml", text)) == set()
    spoiled = text.replace('type="rrc"', 'type="r"', 1)
    assert broken(claim_of(tmp_path / "a.xml", spoiled)) == {"unknown-message", "never-delivered"}


def test_sums_that_nothing_here_can_say_are_refused(tmp_path: Path) -> None:
    """A GPU that sends less than has come to it keeps several sums, where a processor here has one."""
    with pytest.raises(InputError, match=r"sends a sum of 1 contributions where 2 have come to it; here a processor"):
        claim_of(tmp_path / "a.xml", ring_allreduce(add="r"))


def test_allreduces_that_are_wrong(tmp_path: Path) -> None:
    """A transfer too few, and contributions that would count twice."""
    text = re.sub(r'<step s="3" type="(s|r)".*?/>', "", ring_allreduce())
    assert broken(claim_of(tmp_path / "a.xml", text)) == {"never-delivered"}
    doubled = ring_allreduce(last="rrc")
    assert broken(claim_of(tmp_path / "a.xml", doubled)) == {"unknown-message", "never-delivered"}
