"""Tests of the admin pages of batches."""
