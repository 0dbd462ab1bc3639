"""Files that people bring: read as a table of texts, and put into staging."""
