"""Tests of compiled loops of the bounds, on plain arrays."""
