"""Calls to what is outside of this installation."""
