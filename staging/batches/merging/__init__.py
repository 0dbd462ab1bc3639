"""Writes what was decided, and keeps what a later attempt needs."""
