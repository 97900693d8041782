"""Tests of pavane.studies.fault_study."""
