"""Tests of comparisons of networks."""
