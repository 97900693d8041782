"""Tests of pavane.model."""
