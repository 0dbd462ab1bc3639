"""Tests of scheduling/errands."""
