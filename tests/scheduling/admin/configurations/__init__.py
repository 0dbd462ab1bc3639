"""Tests of the admin pages of configurations."""
