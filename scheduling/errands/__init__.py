"""Jobs of ours that reach outside of the database: a request by HTTP, and a command of the host."""
