"""Promises of exported files."""
