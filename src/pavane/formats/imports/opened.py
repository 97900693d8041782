"""The content of foreign files as text or as a tree, with limits, and never a byte further than they allow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pavane.errors import InputError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

HEAD_BYTES = 4096
"""A file is recognized by so many bytes, where not said otherwise."""

MOST_BYTES = 32 * 2**20
"""Larger files are refused: they are read as a whole, into something many times their size."""

LARGEST_NUMBER = 10**9


def head(view: memoryview) -> str:
    """Return how a file begins, whatever is no text replaced."""
    return bytes(view[:HEAD_BYTES]).decode(errors="replace")


def refuse_if_huge(path: Path, view: memoryview, most: int | None = None) -> None:
    """Refuse a file that no network of its format needs."""
    limit = MOST_BYTES if most is None else most
    if len(view) > limit:
        raise InputError(
            f"{path}: {len(view) / 2**20:,.0f} MiB are too many for this format; at most {limit / 2**20:,.0f} MiB "
            "are read; a network file (pavane/network/1) may be larger"
        )


def text_of(path: Path, view: memoryview, most: int | None = None) -> str:
    """Return a file as text, or refuse what is none."""
    refuse_if_huge(path, view, most)
    raw = bytes(view)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}, line {raw.count(10, 0, error.start) + 1}: this is not UTF-8 text") from None
    if "\0" in text:
        raise InputError(f"{path}, line {text[: text.index(chr(0))].count(chr(10)) + 1}: this is not text")
    return text


def lines_of(path: Path, view: memoryview) -> Iterator[tuple[str, str]]:
    """Yield the lines of a text file with their places."""
    for number, line in enumerate(text_of(path, view).splitlines(), 1):
        yield f"{path}, line {number}", line


def root_of(path: Path, view: memoryview, what: str = "XML", most: int | None = None) -> Element:
    """Return the root of an XML file; entities, the way to make a small file huge, are refused."""
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    refuse_if_huge(path, view, most)
    try:
        root: Element = fromstring(bytes(view))
    except DefusedXmlException:
        raise InputError(
            f"{path}: not {what} that can be read: it declares entities, which are not expanded; write the text itself"
        ) from None
    except ParseError as error:
        raise InputError(f"{path}: not {what} that can be read: {error}") from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know
        raise InputError(f"{path}: not {what} that can be read: {str(error).splitlines()[0]}") from None
    return root


def begins_with_element(view: memoryview, name: str) -> bool:
    """Tell whether the first element of an XML file has a name."""
    found = re.search(r"<([A-Za-z][\w.-]*)", re.sub(r"<!--.*?-->", "", head(view), flags=re.DOTALL))
    return head(view).lstrip("\ufeff \t\r\n")[:1] == "<" and found is not None and found[1] == name


def whole(text: str | None, what: str, least: int = 0) -> int:
    """Read a whole number, within limits."""
    if text is None or not re.fullmatch(r"\s*[+-]?\d{1,18}\s*", text, re.ASCII):
        raise InputError(f"{what} is {shown(text)}, where a whole number was expected")
    number = int(text)
    if not least <= number <= LARGEST_NUMBER:
        raise InputError(f"{what} is {number}; it must lie between {least} and {LARGEST_NUMBER:,}")
    return number


def shown(text: object) -> str:
    """Quote something from a file, not too long."""
    if text is None:
        return "missing"
    quoted = repr(text)
    return quoted if len(quoted) <= 42 else quoted[:40] + "...'"
