"""Tests of the constructions for tori."""
