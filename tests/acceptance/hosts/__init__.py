"""Several hosts on one machine: processes that take themselves for those of different ones."""
