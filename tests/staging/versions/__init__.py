"""Tests of versions: what differs, in words."""
