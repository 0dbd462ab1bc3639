"""Tests of the times that people see."""
