"""Our own jobs, the roles of groups, and what every process of an installation does when it starts."""
