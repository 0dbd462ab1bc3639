"""Versions of what people define: who changed what, when, by which door and why; written with the change."""
