"""Tests of tables and wrapped lines."""
