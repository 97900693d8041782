"""Which steps are taken: bits of whole numbers, for steps and slots."""

from pavane.model.problem import Rules
from pavane.solvers.step_table import EVERY_STEP, StepTable, first_step
from tests.problems import problem_of


def test_a_full_unit_is_not_free() -> None:
    """A transfer takes its channel and both ports, of which there are two here, from one step."""
    table = StepTable(problem_of("ring:4", "AAS", Rules(ports=2)))
    assert table.of(0, 1, [0]) == [0, table.inject[0], table.eject[1]]
    table.take(0, 0, 1, [0])
    assert first_step(table.free_for(0, 1, [0])) == 1
    assert table.sending(0) == table.receiving(1) == EVERY_STEP
    table.take(0, 0, 3, [1])
    assert first_step(table.sending(0)) == 1
    assert table.receiving(3) == table.sending(~2) == EVERY_STEP


def test_packets_take_several_slots() -> None:
    """A packet of three slots that starts in slot 4 leaves its sender free for others until slot 1, and from 7 on."""
    table = StepTable(problem_of("ring:4", "AAS", Rules("tdm", ports=1, packet_slots=3)))
    table.take(4, 0, 1, [0])
    assert [slot for slot in range(9) if table.sending(0) >> slot & 1] == [0, 1, 7, 8]
    assert [slot for slot in range(9) if table.free[0] >> slot & 1] == [0, 1, 2, 8]
