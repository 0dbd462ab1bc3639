"""Admin pages of staged rows: the list, mending, files in and out."""
