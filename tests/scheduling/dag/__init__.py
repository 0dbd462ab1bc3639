"""Promises of the cadences."""
