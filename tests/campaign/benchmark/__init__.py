"""Tests of pavane.campaign.benchmark."""
