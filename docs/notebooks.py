"""Runs notebooks without a kernel: each cell in order, with what it prints and the text of its last line.

Pictures and the player are made where a notebook is opened; what the file keeps is text, the same on every machine.
"""

from __future__ import annotations

import ast
import io
import json
import shutil
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parent / "examples"


def fresh_notebook(path: Path) -> str:
    """Return what a notebook should say: its cells with the outputs that they give now."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    known: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
        with chdir(folder):
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    count += 1
                    cell["execution_count"] = count
                    cell["outputs"] = _outputs("".join(cell["source"]), known, count)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _outputs(source: str, known: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run a cell; return what it prints, and its last line where that is a value."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said, value = io.StringIO(), None
    with redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), known)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), known)
    outputs: list[dict[str, Any]] = []
    if said.getvalue():
        lines = said.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        outputs.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return outputs
