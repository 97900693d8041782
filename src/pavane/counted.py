"""Numbers with their nouns, as people say them."""


def counted(number: int, noun: str) -> str:
    """Return "1 step", "2 steps", "1,024 steps"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
