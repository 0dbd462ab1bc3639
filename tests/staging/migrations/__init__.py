"""Tests of the data migrations of staging."""
