"""Tests of compiled loops of large scatter problems, on plain arrays."""
