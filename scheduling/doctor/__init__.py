"""What is wrong with an installation, and what mends it: one answer for the command and the page."""
