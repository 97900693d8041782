"""Words that all parts share: numbers with their nouns, how to install, and the version that files record."""

VERSION = "0.1.0"


def installing(extra: str) -> str:
    """Return how to install an extra; pavane is on no package index, so it is installed from its sources."""
    return f"pip install '.[{extra}]' in the folder of its sources"


def counted(number: int, noun: str) -> str:
    """Return "1 step", "2 steps", "1,024 steps"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def microseconds(picoseconds: int) -> str:
    """Return a time in microseconds, as results print it."""
    return f"{picoseconds / 10**6:,.3f} us"


def point_text(start_ups: int, tco: int) -> str:
    """Return start-ups and TCO in words; the papers write 4/10, which also reads as a bound and steps."""
    return f"{counted(start_ups, 'start-up')}, TCO {tco:,}"
