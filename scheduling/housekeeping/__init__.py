"""Our own jobs, and what every process of an installation does when it starts."""
