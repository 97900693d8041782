"""Tests of the player."""
