"""Shell completion: scripts for the shells, and what they complete."""

from __future__ import annotations

import pytest

from pavane.model.collectives import MPI_NAMES
from pavane.model.messages import PATTERN_OF
from pavane.networks import FAMILIES
from pavane.ui.cli import run
from tests.ui.cli.calls import in_a_process


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell(shell: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`_PAVANE_COMPLETE=source_bash pavane` prints the script, without asking which shell runs it."""
    monkeypatch.setenv("_PAVANE_COMPLETE", f"source_{shell}")
    with pytest.raises(SystemExit) as ended:
        run([])
    assert ended.value.code == 0
    assert "_PAVANE_COMPLETE" in capsys.readouterr().out


def test_the_script_for_the_shell_at_hand() -> None:
    """`--show-completion` prints the script of a shell that is named."""
    answer = in_a_process("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert (answer.code, answer.err) == (0, "")
    assert "complete -o default -F _pavane_completion pavane" in answer.out


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pavane s", ["solve", "show", "serve", "study", "solvers"]),
        ("pavane solve hyp", ["hypercube", "hyperx"]),
        ("pavane bounds ", list(FAMILIES)),
        ("pavane solve ring:4 aa", ["aab", "aas", "aar"]),
        ("pavane solve ring:4 all", ["allreduce", "allgather", "alltoall"]),
        ("pavane bounds ring:4 ", [*(kind.lower() for kind in PATTERN_OF), *MPI_NAMES]),
        (
            "pavane solve ring:4 aas --s",
            [
                *("--switching", "--switches", "--senders", "--sizes", "--set"),
                *("--steps", "--seed", "--start", "--startup", "--sweep"),
            ],
        ),
        ("pavane solve ring:4 aas --pieces a", ["auto"]),
        ("pavane export s.json --to ms", ["msccl-xml", "mscclpp"]),
    ],
)
def test_commands_families_and_collectives_are_completed(
    line: str, expected: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shell asks with the words so far, and gets those that fit."""
    monkeypatch.setenv("_PAVANE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    with pytest.raises(SystemExit) as ended:
        run([])
    assert ended.value.code == 0
    assert capsys.readouterr().out.split() == expected
