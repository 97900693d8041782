"""Simulators of hardware that read slot tables: Icarus Verilog and GHDL, where they are installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

Words = dict[tuple[int, int], int]
"""The word of each router and slot."""


def simulator(*names: str) -> str:
    """Return a simulator that is installed, or skip."""
    found = next((path for name in names if (path := shutil.which(name)) is not None), None)
    if found is None:
        pytest.skip(f"there is no {names[0]}; sh packaging/requirements/system.sh installs it")
    return found


def _output(folder: Path, *command: str) -> str:
    """Return what a program prints; it must end well and complain about nothing."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def _words(output: str) -> Words:
    lines = re.findall(r"^word (\d+) (\d+) ([01]+)$", output, re.MULTILINE)
    return {(int(router), int(slot)): int(bits, 2) for router, slot, bits in lines}


def _run_verilog(folder: Path, bench: str, *sources: str) -> Words:
    compiler, runner = simulator("iverilog"), simulator("vvp")
    (folder / "bench.v").write_text(f"module bench;\n{bench}endmodule\n")
    assert _output(folder, compiler, "-g2005", "-Wall", "-Wno-timescale", "-o", "bench", "bench.v", *sources) == ""
    return _words(_output(folder, runner, "bench"))


def verilog_words(text: str, num_slots: int, folder: Path) -> Words:
    """Return the words that Icarus Verilog reads from modules with a case."""
    (folder / "tables.v").write_text(text)
    modules = re.findall(r"module slot_table_(\d+) \(input wire \[(\d+):0\] slot, output reg \[(\d+):0\] sel\);", text)
    bench, begin = "  integer i;\n", ""
    for router, address, width in modules:
        bench += f"  reg [{address}:0] slot{router}; wire [{width}:0] sel{router};\n"
        bench += f"  slot_table_{router} table{router} (.slot(slot{router}), .sel(sel{router}));\n"
        begin += f"    for (i = 0; i < {num_slots}; i = i + 1) begin\n"
        begin += f'      slot{router} = i[{address}:0]; #1 $display("word {router} %0d %b", i, sel{router});\n    end\n'
    return _run_verilog(folder, f"{bench}  initial begin\n{begin}  end\n", "tables.v")


def memory_words(text: str, num_routers: int, num_slots: int, folder: Path) -> Words:
    """Return the words that Icarus Verilog loads by $readmemh."""
    (folder / "tables.hex").write_text(text)
    width = re.search(r"Words of (\d+) bits", text)
    assert width is not None
    bench = (
        f"  integer i;\n  reg [{int(width[1]) - 1}:0] memory [0:{num_routers * num_slots - 1}];\n"
        '  initial begin\n    $readmemh("tables.hex", memory);\n'
        f"    for (i = 0; i < {num_routers * num_slots}; i = i + 1)\n"
        f'      $display("word %0d %0d %b", i / {num_slots}, i % {num_slots}, memory[i]);\n  end\n'
    )
    return _run_verilog(folder, bench)


def vhdl_words(text: str, num_slots: int, folder: Path) -> Words:
    """Return the words that GHDL reads from entities with a constant array."""
    ghdl = simulator("ghdl", "ghdl-mcode")
    (folder / "tables.vhd").write_text(text)
    entities = re.findall(r"entity slot_table_(\d+) is.*?sel : out std_logic_vector\((\d+) downto 0\)", text, re.DOTALL)
    signals = tables = steps = ""
    for router, width in entities:
        signals += f"  signal slot{router} : natural range 0 to {num_slots - 1} := 0;\n"
        signals += f"  signal sel{router} : std_logic_vector({width} downto 0);\n"
        tables += f"  table{router} : entity work.slot_table_{router} port map (slot{router}, sel{router});\n"
        steps += f"    for i in 0 to {num_slots - 1} loop\n      slot{router} <= i;\n      wait for 1 ns;\n"
        steps += f'      write(row, "word {router} " & integer\'image(i) & " " & to_string(sel{router}));\n'
        steps += "      writeline(output, row);\n    end loop;\n"
    (folder / "bench.vhd").write_text(
        "library ieee;\nuse ieee.std_logic_1164.all;\nuse std.textio.all;\nentity bench is end entity;\n"
        f"architecture test of bench is\n{signals}begin\n{tables}"
        f"  process\n    variable row : line;\n  begin\n{steps}    wait;\n  end process;\nend architecture;\n"
    )
    assert _output(folder, ghdl, "-a", "--std=08", "tables.vhd", "bench.vhd") == ""
    _output(folder, ghdl, "-e", "--std=08", "bench")
    return _words(_output(folder, ghdl, "-r", "--std=08", "bench"))
