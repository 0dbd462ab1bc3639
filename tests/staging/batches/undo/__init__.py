"""Promises of the undo of a batch."""
