"""Constructions for meshes; binary jumping serves rings as well."""
