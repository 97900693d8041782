"""Tests of pavane.studies.applications."""
