"""Tests of the demo: its model and rows, its source, its accounts."""
