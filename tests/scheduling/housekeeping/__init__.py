"""Tests of scheduling/housekeeping."""
