"""Tests of the schedules made by hand, one file a construction."""
