"""Promises of the physical tables."""
