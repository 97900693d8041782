"""Store-and-forward scatter where all routers look alike, as an open shop."""
