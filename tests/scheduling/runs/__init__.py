"""Tests of scheduling/runs."""
