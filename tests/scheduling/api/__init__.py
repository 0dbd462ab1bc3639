"""Promises of the REST API's addresses of scheduling."""
