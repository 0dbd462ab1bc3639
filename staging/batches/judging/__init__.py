"""Decides what becomes of each row, in the work table only."""
