"""Tests of pavane.campaign.size_sweep."""
