"""Tests of lower bounds and their certificates."""
