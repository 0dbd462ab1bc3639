"""Promises of the pages that read production."""
