"""Tests of scheduling/workloads."""
