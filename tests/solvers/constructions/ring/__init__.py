"""Tests of the constructions for rings and cycles."""
