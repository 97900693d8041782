"""Tests of the reductions."""
