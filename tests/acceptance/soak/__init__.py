"""Real processes under a rain of faults, and an auditor that reads the tables afterwards."""
