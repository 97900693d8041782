"""Compiled loops of ejection search, on plain arrays."""
