"""Tests of the admin pages of plans."""
