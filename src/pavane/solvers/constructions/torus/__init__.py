"""Constructions for tori: wormhole scatter in as few steps as the bound."""
