"""Tests of compiled loops of broadcasts, on plain arrays."""
