"""Entities as a file: read and checked, planned, applied, and written again."""
