"""Help, version, and usage errors of the command line."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command

from pavane.text import VERSION
from pavane.ui.cli import COMMANDS as PROGRAM
from pavane.ui.cli import app, run
from pavane.ui.cli.typer_commands import EXAMPLES, SUMMARIES, TEXTS, GroupedOptions
from tests.ui.cli.calls import Call


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version(flag: str, call: Call) -> None:
    """One line on stdout."""
    assert call.good(flag) == f"pavane {VERSION}\n"


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_commands_stand_in_groups_with_whole_summaries(flag: str, call: Call) -> None:
    """Every command stands under one title, with all of its first sentence, at any width."""
    out = call.good(flag)
    assert out.startswith("Usage: pavane [OPTIONS] COMMAND [ARGS]...")
    for title in filter(None, TEXTS):
        assert f"\n{title}:\n" in out
    assert "..." not in out.split("\n", 1)[1]
    whole = "Write a schedule or a network in another format: tables, programs, simulators, GPU libraries, MPI code."
    assert whole in " ".join(out.split())
    assert {f"pavane {name}" for name in PROGRAM} == set(EXAMPLES) - {"pavane"}
    for command in PROGRAM:
        assert len(re.findall(rf"^  {command} ", out, re.MULTILINE)) == 1


def test_options_stand_in_groups(call: Call) -> None:
    """Options of a problem stand before those of the search; each stands once."""
    out = call.good("solve", "--help")
    titles = re.findall(r"^(\S.*):$", out, re.MULTILINE)
    assert titles[:3] == ["Arguments", "Problem", "Search"]
    for flag in ("--root", "--time", "--print"):
        assert len(re.findall(rf"^  {flag}\b", out, re.MULTILINE)) == 1


NOT_RUN = {
    "pavane run": "needs MPI",
    "pavane serve": "serves until it is ended",
    "pavane study": "searches for long",
}
"""The commands whose examples are only read, not carried out, and why."""


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the files that examples name."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "mynet.txt").write_text("0 1\n1 2\n2 0\n", encoding="utf-8")
    (folder / "app.csv").write_text("compute,1ms\nalltoall,1kB,10\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words in (
            *(
                f"solve {network} alltoall -o {file}"
                for network, file in (("octagon", "s.json"), ("ring:4", "a.json"), ("ring:5", "b.json.gz"))
            ),
            "solve ring:4 allgather --switching store-and-forward -o r.json",
            "export r.json --to msccl-xml -o program.xml",
            "solve torus:4x4 alltoall --form table -o table.json",
            "solve torus:4x4 alltoall --form table -o table.json.gz",
        ):
            assert run([*words.split(), "-q"]) == 0
    shutil.copy(folder / "a.json", folder / "b.json")
    return folder


@pytest.fixture
def files(call: Call, originals: Path, tmp_path: Path) -> None:
    """Copy the files that examples name to where commands are called."""
    shutil.copytree(originals, tmp_path, dirs_exist_ok=True)


@pytest.mark.parametrize("asked", EXAMPLES)
def test_help_ends_with_three_examples_that_run(asked: str, call: Call, files: None) -> None:
    """Who types an example gets what it promises."""
    out = call.good(*asked.split()[1:], "--help")
    examples = out[out.index("\nExamples:\n") :].splitlines()[2:]
    assert examples == [line for typed, what in EXAMPLES[asked] for line in (f"  {typed}", f"      {what}")]
    assert len(EXAMPLES[asked]) == 3
    assert max(map(len, examples)) <= 80
    for typed, _ in EXAMPLES[asked]:
        words = shlex.split(re.sub(r"^.*?\bpavane ?| && .*$", "", typed))
        if asked not in NOT_RUN:
            assert call(*words).code == 0, typed
        else:
            read(*words)


def read(*words: str) -> None:
    """Read the words of a command as it would, without carrying it out."""
    command: Any = get_command(app())
    name = ""
    while isinstance(getattr(command, "commands", None), dict):
        name, words = words[0], words[1:]
        command = command.commands[name]
    command.make_context(name, list(words))


@pytest.mark.parametrize("name", PROGRAM)
def test_every_command_can_be_quiet(name: str, call: Call) -> None:
    """By one option, -q or --quiet, which its help names."""
    out = call.good(name, "--help")
    assert out.startswith(f"Usage: pavane {name} ")
    assert len(re.findall(r"^  -q, --quiet ", out, re.MULTILINE)) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["networks", "ring:4"],
        ["networks"],
        ["solvers", "umda"],
        ["bounds", "ring:4", "aas"],
        ["show", "a.json"],
        ["time", "a.json", "b.json", "--startup", "1us", "--per-byte", "1ns", "--bytes", "4"],
        ["export", "--list"],
    ],
    ids=" ".join,
)
def test_quiet_leaves_out_reports(words: list[str], call: Call, files: None) -> None:
    """And the exit code says what it says without; figures that are asked for stay."""
    aloud = call(*words)
    assert aloud.out
    assert call(*words, "-q") == (aloud.code, "", "")
    assert call.good("networks", "ring:4", "-q", "--json").startswith("[")


def test_words_of_python_are_options(call: Call) -> None:
    """--seconds is --time, --num-steps is --steps; the help has one word for each, and no refusal suggests them."""
    assert "octagon" in call.good("solve", "octagon", "aas", "--seconds", "5", "--num-steps=4")
    assert not re.search("--seconds|--num-steps", call.good("solve", "--help"))
    assert call("networks", "--seconds", "5").is_refusal("No such option: --seconds")
    assert call("verify", "t", "--seed", "3").is_refusal("No such option: --seed (see `pavane verify --help`)")


def test_no_command_at_all(call: Call) -> None:
    """Without a command the help is shown, on stderr, exit 2."""
    answer = call()
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("Usage: pavane ")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["slove"], "No such command 'slove'"),
        (["solve"], "Missing argument 'NETWORK'"),
        (["solve", "ring:4"], "no collective was named; "),
        (["solve", "ring:4", "aas", "more"], "Got unexpected extra argument(s) (more)"),
        (["solve", "ring:4", "aas", "--colour"], "No such option: --colour"),
        (["solve", "ring:4", "aas", "--seed"], "requires an argument"),
        (["solve", "ring:4", "aas", "--seed", "x"], "Invalid value for '--seed'"),
    ],
)
def test_bad_usage_is_one_line(arguments: list[str], text: str, call: Call) -> None:
    """Bad usage: exit 2, what is wrong, and where the help is."""
    answer = call(*arguments)
    assert answer.is_refusal(text)
    assert "--help`)" in answer.err or "for example aas" in answer.err


def test_a_hidden_option_is_not_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """The help of a command has every option but those that say they are hidden."""
    made = typer.Typer(rich_markup_mode=None, add_completion=False)

    def command(
        shown: Annotated[bool, typer.Option("--shown")] = False,
        hidden: Annotated[bool, typer.Option("--hidden", hidden=True)] = False,
    ) -> None:
        """Do nothing."""

    made.command(cls=GroupedOptions)(command)
    get_command(made).main(["--help"], standalone_mode=False)
    out = capsys.readouterr().out
    assert "--shown" in out
    assert "--hidden" not in out


def test_summaries_are_those_of_the_commands() -> None:
    """The help of all commands shows for each the first sentence of its own help."""
    program = typer.main.get_command(app())
    commands = program.commands  # type: ignore[attr-defined]
    assert {name: " ".join(command.help.split("\n\n")[0].split()) for name, command in commands.items()} == SUMMARIES


@pytest.mark.parametrize("word", ["--help", "-h", "--version"])
def test_help_and_version_import_no_numpy(word: str) -> None:
    """They import neither numpy nor the rooms that need it, and so answer at once."""
    code = f"import sys, pavane.ui.cli as cli; cli.run([{word!r}]); print(*sys.modules)"
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    modules = set(output.splitlines()[-1].split())
    assert not modules & {"numpy", "pavane.model", "pavane.io", "pavane.ui.cli.solve"}
