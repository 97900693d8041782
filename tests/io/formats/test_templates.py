"""Templates of generated programs, and names that try to break out of them."""

from __future__ import annotations

import ast
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pavane.io.exports import EXPORTS, Options
from pavane.io.formats.templates import fill_template, in_comment, in_docstring, in_literal, in_xml_comment, one_line
from pavane.judge.result import Result
from pavane.model.network import Network
from pavane.model.problem import Problem
from tests.io.formats.mpi_runs import WARNINGS, compiler
from tests.io.formats.schedules import solved

HOSTILE = [
    "@STEPS@ @MOVES@",
    "*/ int broken; /*",
    "*\\",
    '""" + broken + """',
    "\\",
    "---> <broken/> <!--",
    "@only reducing@",
]


def called(result: Result, name: str) -> Result:
    """Return the same schedule on a network of another name."""
    network = result.problem.network
    renamed = Network(name, network.routers, network.channels, network.router_of)
    return replace(result, problem=Problem(renamed, result.problem.collective, result.problem.rules))


@pytest.mark.parametrize("kind", ["aas", "aar"])
@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_changes_the_title_and_nothing_else(name: str, kind: str) -> None:
    """Whatever a network is called, the programs behind their titles are the same."""
    plain = solved("ring:4", kind)
    hostile = called(plain, name)
    for export in ("mpi-c", "mpi-python"):
        (before,), (after,) = (EXPORTS[export].write(r, Options("it", 64)).values() for r in (plain, hostile))
        assert before.decode().splitlines()[1:] == after.decode().splitlines()[1:]
    module = ast.parse(after.decode())
    functions = {part.name: part for part in module.body if isinstance(part, ast.FunctionDef)}
    assert ast.get_docstring(module)
    assert ast.get_docstring(functions[f"pavane_{kind}"])


@pytest.mark.parametrize("name", HOSTILE)
def test_c_with_a_hostile_name_compiles(name: str, tmp_path: Path) -> None:
    """No comment ends early."""
    (text,) = EXPORTS["mpi-c"].write(called(solved("ring:4", "aas"), name), Options("it", 64)).values()
    (tmp_path / "it.c").write_bytes(text)
    flags = [*(flag for flag in WARNINGS if flag != "-Werror"), "-c", "-o", str(tmp_path / "it.o")]
    done = subprocess.run([compiler(), *flags, str(tmp_path / "it.c")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", HOSTILE)
def test_simgrid_files_stay_what_they_are(name: str) -> None:
    """The platform is XML and the replay Python, whatever network and files are called."""
    made = EXPORTS["simgrid"].write(called(solved("ring:4", "aas"), name), Options(name, 64))
    platform, _, replay = made.values()
    assert ElementTree.fromstring(platform).tag == "platform"
    literals = [node.value for node in ast.walk(ast.parse(replay.decode())) if isinstance(node, ast.Constant)]
    assert {f"{name}.platform.xml", f"{name}.transfers.csv"} <= set(literals)


def test_a_value_that_is_missing_is_an_error() -> None:
    """A template is filled wholly or not at all."""
    with pytest.raises(KeyError):
        fill_template("replay.py", {})


def test_text_cannot_end_what_it_stands_in() -> None:
    """Comments, docstrings and literals go on behind any text."""
    assert one_line("a\nb\x00c\u2028d") == "a b c d"
    assert in_comment("a*/b*\n/c") == "a* /b* /c"
    assert in_docstring('a"""b\\') == "a'''b/"
    assert ast.literal_eval(f'"{in_literal(chr(34) + chr(92) + chr(10))}"') == '"\\\n'
    assert in_xml_comment("a--->b") == "a- - ->b"
