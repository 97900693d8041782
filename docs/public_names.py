"""Writes the reference of Python: every public name with its signature, parameters, answer and example.

All of it is read from the docstrings, whose form the tests lay down; nothing is written here by hand but the groups.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cached_property
from textwrap import dedent
from typing import Any

import pavane
from pavane.search.settings import parameters, shown

GROUPS = {
    "Networks": (
        *("network", "Network", "read_network", "write_network", "from_networkx", "to_networkx", "bisection"),
    ),
    "Collectives": (
        *("named", "broadcast", "scatter", "gather", "reduce", "allgather", "alltoall", "reduce_scatter"),
        *("allreduce", "reduce_broadcast", "many_to_many_broadcast", "many_to_many_scatter", "pairs", "permutation"),
        "Collective",
    ),
    "Problems and bounds": (
        *(
            "Problem",
            "Rules",
            "dual",
            "read_problem",
            "write_problem",
            "lower_bounds",
            "explain",
            "Bound",
        ),
    ),
    "Searches": (
        *(
            "solve",
            "SearchOptions",
            "sweep_pieces",
            "pareto_front",
            "pareto_front_over_pieces",
        ),
    ),
    "Schedules and results": (
        *("Result", "Schedule", "Transfer", "verify", "read_schedule", "write_schedule"),
        "slot_figures",
    ),
    "Time": ("Costs", "profile", "predicted"),
    "Studies, faults and repair": ("compare", "study", "faults", "repair"),
    "Errors": ("PavaneError", "InputError", "InvalidSchedule"),
}
"""The public names in the order in which one meets them; a name that is missing here comes last."""

WIDEST = 100
"""The largest length of a signature on one line."""


def reference() -> str:
    """Return the entries of all public names, by groups."""
    grouped = {name for names in GROUPS.values() for name in names}
    others = tuple(name for name in pavane.__all__ if name not in grouped and name != "__version__")
    groups = {**GROUPS, "More": others} if others else GROUPS
    return "\n\n".join(
        "\n\n".join([f"## {title}", *(entry(name, getattr(pavane, name)) for name in names)])
        for title, names in groups.items()
    )


def entry(name: str, what: Any) -> str:
    """Return the reference of one name."""
    is_class = inspect.isclass(what)
    title = f"### class `{name}`" if is_class else f"### `{name}`"
    signature = _signature(what)
    parts = [title]
    if signature is not None and not (is_class and issubclass(what, Exception)):
        parts.append(f"```py\n{_call(name, signature)}\n```")
    parts += _member(inspect.getdoc(what) or "", signature)
    if is_class:
        parts += _members(name, what)
    return "\n\n".join(parts)


def _signature(what: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(inspect.unwrap(what))
    except (TypeError, ValueError):
        return None


def _call(name: str, signature: inspect.Signature) -> str:
    """Return a call as one writes it, with types and defaults; over several lines where it is long."""
    kept = [each for each in signature.parameters.values() if each.name not in ("self", "cls")]
    written = [_parameter(each) for each in kept]
    first_named = next((i for i, each in enumerate(kept) if each.kind is inspect.Parameter.KEYWORD_ONLY), None)
    if first_named is not None:
        written.insert(first_named, "*")
    answer = _type(signature.return_annotation)
    arrow = f" -> {answer}" if answer not in ("", "None") else ""
    line = f"{name}({', '.join(written)}){arrow}"
    if len(line) <= WIDEST:
        return line
    return "\n".join([f"{name}(", *(f"    {each}," for each in written), f"){arrow}"])


def _parameter(each: inspect.Parameter) -> str:
    kind = _type(each.annotation)
    text = f"{each.name}: {kind}" if kind else each.name
    if each.default is inspect.Parameter.empty:
        return text
    default = repr(each.default)
    # What has no short way to be written, such as a function, is described by the text below.
    return f"{text} = {'...' if default.startswith('<') else default}"


def _type(annotation: Any) -> str:
    if annotation is inspect.Signature.empty:
        return ""
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__forward_arg__", None)
    return str(text or getattr(annotation, "__name__", annotation)).strip("'\"")


def _member(doc: str, signature: inspect.Signature | None) -> Iterator[str]:
    """Yield a docstring as Markdown: sentences, parameters, answer, errors and example."""
    head, *sections = re.split(r"^(Args|Returns|Raises|Example):$", doc, flags=re.MULTILINE)
    yield head.strip()
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        text = dedent(body.strip("\n")).rstrip()
        if title == "Example":
            yield f"```pycon\n{text}\n```"
        elif title == "Returns":
            yield f"**Returns.** {_joined(text)}"
        else:
            yield ("**Raises.**\n\n" if title == "Raises" else "") + "\n".join(_items(text))


def _items(text: str) -> Iterator[str]:
    """Yield a list item for each parameter; continued lines are indented."""
    for item in re.split(r"\n(?=\S)", text):
        name, _, about = item.partition(": ")
        yield f"- `{name}`: {_joined(about)}"


def _joined(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _members(name: str, what: type) -> Iterator[str]:
    """Yield the settings of a solver, the attributes and short methods of a class, then its other methods."""
    if is_dataclass(what) and hasattr(what, "supports"):
        settings = [f"- `{each.name}={shown(each.default)}`: {each.help or each.kind}" for each in parameters(what())]
        yield "\n".join(["Its settings, with their defaults:", "", *settings])
        return
    fields = getattr(what, "__dataclass_fields__", {})
    public = {key: value for key, value in vars(what).items() if not key.startswith("_") and key not in fields}
    short, long = [], []
    for key, value in public.items():
        if isinstance(value, property | cached_property):
            short.append(f"- `{key}`: {_first_line(value.__doc__)}")
        elif inspect.isroutine(value):
            member = getattr(what, key)
            if "Args:" in (member.__doc__ or "") or "Example:" in (member.__doc__ or ""):
                long.append(entry(f"{name}.{key}", member).replace("### ", "#### ", 1))
            else:
                short.append(f"- `{key}{_arguments(member)}`: {_first_line(member.__doc__)}")
    if short:
        yield "\n".join(["Attributes and methods:", "", *short])
    yield from long


def _arguments(method: Any) -> str:
    signature = _signature(method)
    names = [] if signature is None else [each for each in signature.parameters if each not in ("self", "cls")]
    return f"({', '.join(names)})"


def _first_line(doc: str | None) -> str:
    return (doc or "").strip().split("\n")[0]
