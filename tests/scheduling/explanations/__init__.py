"""Promises of the explanations."""
