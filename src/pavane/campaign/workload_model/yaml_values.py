"""YAML as texts, lists and mappings, within limits, or the same of a dict of Python.

Nothing else is taken from a file: no dates, objects, anchors or keys that stand twice.
"""

from __future__ import annotations

from typing import Any

from pavane.errors import InputError, shortened
from pavane.io.files import File
from pavane.io.parsing import text_of

MOST_YAML_BYTES = 256 * 2**10
"""Larger workloads are refused; reading YAML is slow."""

MOST_DEPTH = 24
"""The most lists and mappings inside each other."""


def values_of_file(file: File) -> Any:
    """Return what a YAML file says, every number as its text."""
    import yaml

    text = text_of(file, MOST_YAML_BYTES)
    try:
        _refuse_tricks(file, text)
        return _of_node(file, yaml.compose(text, Loader=yaml.BaseLoader))
    except yaml.MarkedYAMLError as error:
        line_text = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise InputError(f"{file}{line_text}: not YAML that can be read: {error.problem}") from None
    except yaml.YAMLError as error:
        raise InputError(f"{file}: not YAML that can be read: {str(error).splitlines()[0]}") from None
    except RecursionError:
        raise InputError(f"{file}: the YAML is nested too deeply") from None


def _refuse_tricks(file: File, text: str) -> None:
    """Refuse aliases, the way to make a small file huge, and depth, for which the parser takes ever longer."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.BaseLoader):
        line = "" if event.start_mark is None else f", line {event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent):
            raise InputError(f"{file}{line}: aliases (*{event.anchor}) are not read; write it out")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise InputError(f"{file}{line}: the YAML is nested too deeply; at most {MOST_DEPTH} levels are read")


def _of_node(file: File, node: Any) -> Any:
    import yaml

    if node is None:
        return ""
    where = f"{file}, line {node.start_mark.line + 1}"
    if isinstance(node, yaml.SequenceNode):
        return [_of_node(file, each) for each in node.value]
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise InputError(f"{where}: a key is a word; write one like `bytes:`")
            if key.value in found:
                raise InputError(f"{file}, line {key.start_mark.line + 1}: {key.value} is there twice; write it once")
            found[key.value] = _of_node(file, value)
        return found
    return node.value


def values_of_object(value: object, where: str = "", depth: int = 0) -> Any:
    """Return what a dict of Python says, every number as its text."""
    if depth > MOST_DEPTH:
        raise InputError(f"{where}: it is nested too deeply; at most {MOST_DEPTH} levels are read")
    if isinstance(value, dict):
        return {
            str(key): values_of_object(inner, f"{where}.{key}" if where else str(key), depth + 1)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [values_of_object(inner, f"{where}[{index}]", depth + 1) for index, inner in enumerate(value)]
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    raise InputError(
        f"{where or 'workload'}: {shortened(value)} cannot be read; give text, numbers, lists and mappings"
    )
