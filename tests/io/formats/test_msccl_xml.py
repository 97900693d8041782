"""Programs of MSCCL: read ones are judged by the same judge, written ones run by an independent interpreter."""

from __future__ import annotations

import copy
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element, tostring

import defusedxml.ElementTree
import pytest

from pavane.errors import InputError
from pavane.io import Note, read_schedule
from pavane.io.formats import msccl_xml
from pavane.judge.result import Result
from pavane.model.messages import Collective
from pavane.model.network import Network
from pavane.model.problem import Rules
from pavane.networks import ring
from tests.io.formats.allreduces import ALLREDUCES, of_some
from tests.io.formats.claims import broken, claim_of
from tests.io.formats.gpu_schedules import EVERYTHING, IN_PIECES, RUN, at_first_fit, star
from tests.io.formats.msccl_interpreter import MscclProgram, MscclRun, run_msccl
from tests.io.formats.pieced import PIECED, cut, together
from tests.io.formats.samples import allgather_xml
from tests.io.formats.schedules import around_a_switch, refused, solved, written
from tests.io.formats.watched_memory import FaultError


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
    assert "3 sends without waiting for what is sent, as on GPU 0 step 1 of tb 0" in str(caught[0].message)


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
        (allgather_xml().replace('type="s"', 'type="r"', 1), "recv` is -1, which is not another GPU"),
        (allgather_xml().replace('deps="0"', 'deps="8"', 1), "waits for step 8 of tb 1, which does not exist"),
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


@pytest.mark.parametrize("parts", [1, 4])
def test_an_allgather_in_place_has_its_input_in_the_output(tmp_path: Path, parts: int) -> None:
    """Without input chunks each GPU begins with its part of the output, which may be several chunks."""
    sends = "".join(
        f'<step s="{s}" type="{{0}}" srcbuf="o" srcoff="{{1}}{s}" dstbuf="o" dstoff="{{1}}{s}" cnt="1" depid="-1" '
        'deps="-1" hasdep="0"/>'
        for s in range(parts)
    )
    text = f'<algo name="a" nchannels="1" ngpus="2" coll="allgather" inplace="1" nchunksperloop="{2 * parts}">'
    for gpu in (0, 1):
        blocks = ""
        for block, (kind, ends, owner) in enumerate(
            (("s", f'send="{1 - gpu}" recv="-1"', gpu), ("r", f'send="-1" recv="{1 - gpu}"', 1 - gpu))
        ):
            steps = sends.replace("{0}", kind)
            for s in range(parts):
                steps = steps.replace(f"{{1}}{s}", str(owner * parts + s))
            blocks += f'<tb id="{block}" {ends} chan="0">{steps}</tb>'
        text += f'<gpu id="{gpu}" i_chunks="0" o_chunks="{2 * parts}" s_chunks="0">{blocks}</gpu>'
    claim = claim_of(tmp_path / "a.xml", text + "</algo>")
    assert (claim.problem.collective.kind, claim.problem.collective.pieces) == ("AAB", parts)
    assert claim.result().num_steps == parts


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


@pytest.mark.parametrize("name", EVERYTHING)
def test_msccl_fills_the_outputs_in_whatever_order_its_blocks_run(name: str) -> None:
    """However fast thread blocks run, dependencies see to it that the outputs are those of the collective."""
    result = EVERYTHING[name]()
    run_msccl(written("msccl-xml", result), result.problem.collective.kind, result.problem.collective.pieces)


@pytest.mark.slow
def test_msccl_runs_the_alltoall_of_40_gpus() -> None:
    """Around a switch all talk to all, and the program keeps to the limits."""
    program = MscclProgram(written("msccl-xml", at_first_fit(star(40), "aas", 1, Rules())))
    MscclRun(program).run().check_outputs("AAS", 40, 1)


def test_msccl_broadcasts_from_any_root() -> None:
    """The root of a broadcast has the input, and its own copy."""
    ring = solved("ring:5", "oab").problem.network
    result = at_first_fit(ring, "oab", 2, root=3)
    run_msccl(written("msccl-xml", result), "OAB", 2, root=3)


def _without_waits(text: str) -> str:
    return re.sub(r'depid="\d+" deps="\d+"', 'depid="-1" deps="-1"', text)


def _silent(text: str) -> str:
    return text.replace('hasdep="1"', 'hasdep="0"')


def _one_receive_less(text: str) -> str:
    return re.sub(r'(<step s="\d+" type=)"r"(.*hasdep="0")', r'\1"nop"\2', text, count=1)


def _sends_swapped(text: str) -> str:
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if 's="0" type="s"' in line and 's="1"' in lines[i + 1])
    swapped = [lines[first + 1].replace('s="1"', 's="0"'), lines[first].replace('s="0"', 's="1"')]
    return "\n".join([*lines[:first], *swapped, *lines[first + 2 :]])


def _out_of_range(text: str) -> str:
    return re.sub(r'dstbuf="o" dstoff="\d+"', 'dstbuf="o" dstoff="4000"', text, count=1)


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (_without_waits, "before it is written|reads what|both write"),
        (_silent, "deadlock"),
        (_one_receive_less, "deadlock|never received|is wrong|before it is written"),
        (_sends_swapped, "is wrong|deadlock|before it is written|reads what"),
        (_out_of_range, r"o\[4000\]"),
    ],
)
def test_the_interpreter_finds_what_is_wrong(spoil: Callable[[str], str], fault: str) -> None:
    """Races, deadlocks, unmatched and wrong steps, and offsets out of range are found in spoilt programs."""
    text = written("msccl-xml", cut("ring:4", "aas", 2))
    assert spoil(text) != text
    with pytest.raises(FaultError, match=fault):
        run_msccl(spoil(text), "AAS", 2)


def test_a_race_of_additions_is_found() -> None:
    """Two thread blocks that add to the same chunk without an order are found, in whatever order they run."""
    text = written("msccl-xml", solved("ring:4", "aar"))
    with pytest.raises(FaultError, match=r"both write|reads what|writes what|before it is written"):
        run_msccl(_without_waits(text), "AAR", 1)


def test_msccl_has_a_name_that_its_reader_takes() -> None:
    """MSCCL's reader knows double quotes only, no entities, and short names."""
    ring = solved("ring:4", "aab").problem.network
    odd = Network('"a" & <b>' + "é" * 300, ring.routers, ring.channels, ring.router_of)
    text = written("msccl-xml", at_first_fit(odd, "aab"))
    name = defusedxml.ElementTree.fromstring(text).attrib["name"]
    assert re.fullmatch(r"_a_ _ _b__+ allgather in 2 steps", name)
    assert len(name) == 63
    run_msccl(text, "AAB", 1)


@pytest.mark.parametrize("result", RUN, ids=lambda result: str(result.problem))
def test_msccl_has_what_its_reader_asks_for(result: Result) -> None:
    """Every attribute is there, blocks of buffers agree with the loop, and a pair has one block at either end."""
    algo = defusedxml.ElementTree.fromstring(written("msccl-xml", result))
    count = result.problem.network.num_processors
    assert {"name", "proto", "nchannels", "nchunksperloop", "ngpus", "coll"} < set(algo.attrib)
    assert [algo.attrib[key] for key in ("inplace", "outofplace", "minBytes")] == ["0", "1", "0"]
    kind = result.problem.collective.kind
    assert algo.attrib["coll"] == {"AAB": "allgather", "AAS": "alltoall", "AAR": "reduce_scatter"}[kind]
    loop = int(algo.attrib["nchunksperloop"])
    for gpu in algo:
        assert int(gpu.attrib["i_chunks"]) * (count if kind == "AAB" else 1) == loop
        assert int(gpu.attrib["o_chunks"]) * (count if kind == "AAR" else 1) == loop
        for way in ("send", "recv"):
            peers = [tb.attrib[way] for tb in gpu if tb.attrib[way] != "-1"]
            assert len(set(peers)) == len(peers)
            assert gpu.attrib["id"] not in peers
    steps = list(algo.iter("step"))
    assert {key for step in steps for key in step.attrib} == {
        *("s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep")
    }


@pytest.mark.parametrize("result", IN_PIECES, ids=lambda result: str(result.problem))
def test_pieces_are_msccl_chunks(result: Result) -> None:
    """A message is as many chunks as it has pieces, each pair has one block a channel, and at most one each."""
    algo = defusedxml.ElementTree.fromstring(written("msccl-xml", result))
    count, kind, k = (
        result.problem.network.num_processors,
        result.problem.collective.kind,
        result.problem.collective.pieces,
    )
    assert int(algo.attrib["nchunksperloop"]) == count * k
    for gpu in algo:
        assert int(gpu.attrib["i_chunks"]) == (1 if kind == "AAB" else count) * k
        assert int(gpu.attrib["o_chunks"]) == (1 if kind == "AAR" else count) * k
        for way in ("send", "recv"):
            served = [(tb.attrib[way], tb.attrib["chan"]) for tb in gpu if tb.attrib[way] != "-1"]
            assert len(set(served)) == len(served)
            assert all(int(channel) < int(algo.attrib["nchannels"]) for _, channel in served)


def test_neighbouring_pieces_go_together() -> None:
    """What one transfer carries of a message is one step; several transfers at once take several channels."""
    packed = defusedxml.ElementTree.fromstring(written("msccl-xml", together(solved("ring:4", "aab"), 3)))
    assert {step.attrib["cnt"] for step in packed.iter("step")} == {"3"}
    assert packed.attrib["nchannels"] == "1"
    wide = defusedxml.ElementTree.fromstring(written("msccl-xml", PIECED["aas in 2 on wide channels"]()))
    assert int(wide.attrib["nchannels"]) > 1
    long = defusedxml.ElementTree.fromstring(written("msccl-xml", together(solved("ring:3", "aab"), 100)))
    assert {step.attrib["cnt"] for step in long.iter("step")} == {"71", "29"}


def test_msccl_refuses_what_it_cannot_say() -> None:
    """Other collectives, sizes, paths through GPUs and messages at switches are named."""
    assert "all have one size" in refused("msccl-xml", PIECED["aab of sizes"]())
    assert "and this is MNS" in refused("msccl-xml", solved("ring:4", "mns"))
    assert "runs through router" in refused("msccl-xml", solved("kautz:2,2", "aas"))
    assert "rest at the pure switch" in refused("msccl-xml", around_a_switch("store-and-forward"))


def test_long_pairs_and_many_peers_take_more_channels() -> None:
    """A pair with more than 64 steps has several thread blocks, and so has a GPU with more than 32 peers channels."""
    long = MscclProgram(written("msccl-xml", EVERYTHING["more steps than a block has room for"]()))
    assert {len(block.steps) for block in long.blocks if block.send >= 0} == {64, 16}
    many = MscclProgram(written("msccl-xml", EVERYTHING["more peers than a channel has room for"]()))
    assert many.num_channels == 2
    assert max(block.number for block in many.blocks) == 68


@pytest.mark.parametrize(
    ("limit", "most", "what"),
    [
        ("ELEMENTS", 20, "31 XML elements"),
        ("BLOCKS_OF_A_GPU", 6, "7 thread blocks"),
        ("BLOCKS_AWAITED", 3, "4 thread blocks that receive"),
        ("CHUNKS", 7, "8 chunks in a buffer"),
    ],
)
def test_msccl_refuses_what_no_loader_has_room_for(
    limit: str, most: int, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many channels, thread blocks, steps or chunks are counted in one line."""
    result = PIECED["aas in 2 on wide channels"]()
    monkeypatch.setattr(f"pavane.io.formats.msccl_xml.MOST_{limit}", most)
    assert refused("msccl-xml", result) == f"processor 0 needs {what}, and MSCCL has room for {most}"


def test_msccl_refuses_what_need_not_be_counted_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pieces every message is a step, and too many of them are refused at once."""
    monkeypatch.setattr("pavane.io.formats.msccl_xml.MOST_ELEMENTS", 5)
    reason = refused("msccl-xml", solved("ring:4", "aab"))
    assert reason == "processor 0 needs 7 steps, and MSCCL has room for 5"


def test_msccl_refuses_pairs_that_need_too_many_channels(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair whose steps do not fit into the blocks of all channels is refused."""
    monkeypatch.setattr("pavane.io.formats.msccl_xml.MOST_CHANNELS", 1)
    reason = refused("msccl-xml", EVERYTHING["more steps than a block has room for"]())
    assert reason == "processor 0 needs 2 channels, and MSCCL has room for 1"


def _dropped(steps: list[Element], number: int) -> None:
    del steps[number]


def _doubled(steps: list[Element], number: int) -> None:
    steps.insert(number, copy.deepcopy(steps[number]))


def _turned(steps: list[Element], number: int) -> None:
    """Turn an addition to a copy, or a copy to an addition to what is there."""
    step = steps[number]
    if step.attrib["type"] == "rrc":
        step.attrib["type"] = "r"
    else:
        step.attrib |= {"type": "rrc", "srcbuf": "i", "srcoff": "0"}


@pytest.mark.parametrize("spoil", [_dropped, _doubled, _turned])
@pytest.mark.parametrize("name", ["allreduce on a ring", "recursive doubling in 2", "reduce-broadcast in 4"])
def test_every_step_of_an_allreduce_matters(name: str, spoil: Callable[[list[Element], int], None]) -> None:
    """A program with one step dropped, doubled, or turned from adding to copying or back, is found out."""
    result = ALLREDUCES[name]()
    text = written("msccl-xml", result)
    kinds = ("r", "rrc") if spoil is _turned else ("s", "r", "rrc")
    count = sum(step.attrib["type"] in kinds for step in defusedxml.ElementTree.fromstring(text).iter("step"))
    for number in range(count):
        algo = defusedxml.ElementTree.fromstring(text)
        blocks = [(tb, i) for tb in algo.iter("tb") for i, step in enumerate(tb) if step.attrib["type"] in kinds]
        tb, index = blocks[number]
        steps = list(tb)
        spoil(steps, index)
        tb[:] = steps
        for i, step in enumerate(tb):
            step.attrib["s"] = str(i)
        with pytest.raises(FaultError):
            run_msccl(tostring(algo, encoding="unicode"), "ALLREDUCE", result.problem.collective.pieces)


def test_an_allreduce_may_be_in_place() -> None:
    """One buffer of all parts on every GPU, and a sum that would come too early waits in scratch for its copy."""
    for name, num_chunks in (("allreduce on a ring", 4), ("recursive doubling in 2", 8), ("allreduce of sizes", 5)):
        text = written("msccl-xml", ALLREDUCES[name]())
        algo = defusedxml.ElementTree.fromstring(text)
        assert [algo.attrib[key] for key in ("coll", "inplace", "outofplace")] == ["allreduce", "1", "1"]
        assert int(algo.attrib["nchunksperloop"]) == num_chunks
        assert {(gpu.attrib["i_chunks"], gpu.attrib["o_chunks"]) for gpu in algo} == {(str(num_chunks),) * 2}
        assert ('type="cpy"' in text) == ("doubling" in name)


def test_a_copy_that_does_not_wait_is_found() -> None:
    """In place, a sum that is copied before its input has been sent is a race."""
    text = written("msccl-xml", ALLREDUCES["recursive doubling in 2"]())
    early = re.sub(r'(type="nop".*)depid="\d+" deps="\d+"', r'\1depid="-1" deps="-1"', text)
    assert early != text
    with pytest.raises(FaultError, match="writes what"):
        run_msccl(early, "ALLREDUCE", 2)


def test_an_allreduce_of_some_is_refused() -> None:
    """All GPUs take part in MSCCL's allreduce."""
    assert refused("msccl-xml", of_some()) == "MSCCL's allreduce is that of all GPUs, and this one of some"
