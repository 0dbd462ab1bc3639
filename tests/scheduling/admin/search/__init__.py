"""Tests of the search over all that a person may open."""
