"""Tests of scheduling/recovery."""
