"""Order as a graph, in pure Python: what depends on what, and the manifest of a run."""
