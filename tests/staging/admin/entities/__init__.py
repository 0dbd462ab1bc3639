"""Tests of the admin pages of entities."""
