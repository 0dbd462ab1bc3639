"""Promises of the pages of entities, rows and batches."""
