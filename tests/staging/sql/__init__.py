"""Tests of the SQL of a batch."""
