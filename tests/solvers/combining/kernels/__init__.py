"""Tests of compiled loops of the combining solver, on plain arrays."""
