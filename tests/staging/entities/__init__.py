"""Promises of definitions."""
