"""Tests of scheduling/management."""
