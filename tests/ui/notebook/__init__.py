"""Tests of what values do in one word."""
