"""Tests of pavane.studies.repairs."""
