"""`pavane simulate`: replay a schedule in SimGrid."""
def simulate() -> None:
    """Replay a schedule in SimGrid."""
