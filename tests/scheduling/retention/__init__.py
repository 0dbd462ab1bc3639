"""Tests of scheduling/retention."""
