"""Promises of plans: their order, their checks, their manifest."""
