"""Tests of the makers of tables, by the kind of collective and of switching."""
