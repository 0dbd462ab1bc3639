"""Tests of the admin pages of operations."""
