"""Programs made of the templates in `assets`.

`@NAME@` in a template stands for a value. A line `@only copying cut@` begins what belongs to programs that are both,
copying and cut, up to the next such line or `@always@`. Values are put in once, all at the same time: whatever they
contain is never taken for a mark, and a template without one of the values it names is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files

from pavane.model.problem import Problem

SWITCH = re.compile(r"@(?:only ([\w ]+)|always)@\n")
MARK = re.compile(r"@([A-Z_]+)@")


def fill_template(name: str, values: Mapping[str, object], *variants: str) -> str:
    """Return a template of the assets with values for its marks, and the lines of its variants."""
    text = (files(__package__) / "assets" / f"{name}.template").read_text(encoding="utf-8")
    lines = []
    is_included = True
    for line in text.splitlines(keepends=True):
        switch = SWITCH.fullmatch(line)
        if switch is not None:
            is_included = switch[1] is None or set(switch[1].split()) <= set(variants)
        elif is_included:
            lines.append(line)
    return MARK.sub(lambda mark: str(values[mark[1]]), "".join(lines))


def variants_of(problem: Problem) -> Iterator[str]:
    """Yield what a program that carries messages is: whether it adds, cuts into pieces, and has sizes.

    What must arrive is listed block by block, or counted in units where blocks are longer. A program of several
    collectives adds where one of them does.
    """
    first, is_joint = problem.collectives[0], problem.has_several
    yield "reducing" if is_joint or problem.pattern in ("reduction", "allreduce") else "copying"
    yield "whole" if first.pieces == 1 else "cut"
    yield "sized" if first.sizes else "even"
    yield "counted" if is_joint or first.sizes or problem.pattern == "allreduce" else "each"
    yield "plain" if first.is_plain else "pieced"
    yield "joint" if is_joint else "single"


def c_numbers(values: Iterable[object]) -> str:
    """Return numbers as the lines of an array of C."""
    words = [str(value) for value in values]
    return "\n".join("    " + ", ".join(words[i : i + 16]) + "," for i in range(0, len(words), 16)) or "    0,"


def one_line(text: str) -> str:
    """Return text that stays on its line: a space for each line end, and for whatever else cannot be seen."""
    return "".join(character if character.isprintable() else " " for character in text)


def in_comment(text: str) -> str:
    """Return text for a comment of C, which it cannot end."""
    return one_line(text).replace("*/", "* /")


def in_docstring(text: str) -> str:
    """Return text for a docstring of Python, which it cannot end."""
    return one_line(text).replace("\\", "/").replace('"', "'")


def in_literal(text: str) -> str:
    """Return text for a string of Python in double quotes, which it cannot end."""
    return text.encode("unicode_escape").decode().replace('"', '\\"')


def in_xml_comment(text: str) -> str:
    """Return text for a comment of XML, in which two hyphens in a row are not allowed."""
    return re.sub(r"-(?=-)", "- ", one_line(text))
