"""Tests of the constructions for networks that look alike from every router."""
