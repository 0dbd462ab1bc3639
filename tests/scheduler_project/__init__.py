"""Tests of the project: health, start, settings."""
