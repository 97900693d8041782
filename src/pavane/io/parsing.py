"""Text, lines, XML trees and numbers from files, all within limits of size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pavane.errors import InputError
from pavane.io.files import File

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_BYTES = 32 * 2**20
"""Larger files are refused: they are read as a whole, into something many times their size."""

MOST_NUMBER = 10**9


def refuse_if_huge(file: File) -> None:
    """Refuse a file larger than any network of its format needs."""
    if len(file.data) > MOST_BYTES:
        raise InputError(
            f"{file}: {len(file.data) / 2**20:,.0f} MiB are too many for this format; at most "
            f"{MOST_BYTES / 2**20:,.0f} MiB are read; a network file (pavane/network/1) may be larger"
        )


def lines_of(file: File) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file, each with its place for error texts; refuse a file that is not UTF-8 text."""
    refuse_if_huge(file)
    raw = bytes(file.data)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{file}, line {raw.count(10, 0, error.start) + 1}: this is not UTF-8 text") from None
    if "\0" in text:
        raise InputError(f"{file}, line {text[: text.index(chr(0))].count(chr(10)) + 1}: this is not text")
    for number, line in enumerate(text.splitlines(), 1):
        yield f"{file}, line {number}", line


def root_of(file: File, what: str = "XML") -> Element:
    """Return the root of an XML file; entities, which can make a small file huge, are refused."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        root: Element = fromstring(bytes(file.data))
    except DefusedXmlException:
        raise InputError(
            f"{file}: not {what} that can be read: it declares entities, which are not expanded; write the text itself"
        ) from None
    except ParseError as error:
        raise InputError(f"{file}: not {what} that can be read: {error}") from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise InputError(f"{file}: not {what} that can be read: {str(error).splitlines()[0]}") from None
    return root


def tag_of(element: Element) -> str:
    """Return the name of an element without its namespace, which changes with versions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def children_of(element: Element, tag: str) -> list[Element]:
    """Return the children of an element that have a name, whatever their namespace."""
    return [child for child in element if tag_of(child) == tag]


def whole(text: str | None, what: str, least: int = 0) -> int:
    """Read a whole number, within limits."""
    if text is None or not re.fullmatch(r"\s*[+-]?\d{1,18}\s*", text, re.ASCII):
        raise InputError(f"{what} is {shown(text)}, where a whole number was expected")
    number = int(text)
    if not least <= number <= MOST_NUMBER:
        raise InputError(f"{what} is {number}; it must lie between {least} and {MOST_NUMBER:,}")
    return number


def shown(text: object) -> str:
    """Return a value from a file in quotes, shortened."""
    if text is None:
        return "missing"
    quoted = repr(text)
    return quoted if len(quoted) <= 42 else quoted[:40] + "...'"
