"""Tests of pavane.campaign.workload_model."""
