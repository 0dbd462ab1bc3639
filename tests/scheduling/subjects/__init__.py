"""Tests of versions: complete through every door, and the way back."""
