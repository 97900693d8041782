"""Tests of pavane.search."""
