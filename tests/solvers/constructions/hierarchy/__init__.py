"""Tests of the constructions for hierarchical rings."""
