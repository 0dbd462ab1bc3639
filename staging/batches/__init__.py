"""Claim, validate, resolve, merge and finish a batch."""
