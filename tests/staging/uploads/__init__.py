"""Tests of staging.uploads."""
