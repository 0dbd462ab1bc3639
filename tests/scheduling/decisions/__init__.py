"""Tests of scheduling/decisions."""
