"""Tests of the shared look."""
