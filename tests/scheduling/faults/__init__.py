"""Faults of the catalogue (docs/faults.md) that no other test tries, each really made."""
