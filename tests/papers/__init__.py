"""Tests of pavane.papers."""
