"""Promises of model files, as far as staging reads them."""
