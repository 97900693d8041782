"""Tests of pavane.campaign."""
