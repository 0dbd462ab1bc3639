"""Admin pages of jobs, their schedules and their runs."""
