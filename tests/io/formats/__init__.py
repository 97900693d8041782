"""Tests of networks and schedules from files of others."""
