"""Tests of the islands."""
