"""Words that all parts share: numbers with their nouns, and the version that files record."""

VERSION = "0.1.0"


def counted(number: int, noun: str) -> str:
    """Return "1 step", "2 steps", "1,024 steps"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
