"""Tests of the admin pages of monitoring."""
