"""Reads files of all kinds as tables of texts."""
