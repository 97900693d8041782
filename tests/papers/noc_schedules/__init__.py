"""Tests of the hand-made schedules of noc."""
