"""Code that a type checker reads and nobody runs: each mistake in it must be found, or `make lint` says so."""
