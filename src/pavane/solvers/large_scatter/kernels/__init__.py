"""Compiled loops of large scatter problems, on plain arrays."""
