"""Tests of scheduling/figures."""
