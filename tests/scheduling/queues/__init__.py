"""Tests of scheduling/queues."""
