"""Reads production: pages of members, one member with what refers to it, and what it was before."""
