"""Measured figures, each printed beside a named baseline of the same run: `make bench`."""
