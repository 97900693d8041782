"""Tests of pavane.campaign.faults."""
