"""Tests of scheduling/jobs."""
