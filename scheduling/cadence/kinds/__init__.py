"""The kinds of cadences: one file each, registered in parse.py."""
