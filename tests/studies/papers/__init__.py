"""Tests of pavane.studies.papers."""
