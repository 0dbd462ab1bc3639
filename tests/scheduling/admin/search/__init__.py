"""Tests of the search, of what was opened lately, and of the keys."""
