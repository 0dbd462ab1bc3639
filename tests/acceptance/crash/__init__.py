"""The crash-point matrix: a worker that is struck at a named point of its minute, in every way a worker can be."""
