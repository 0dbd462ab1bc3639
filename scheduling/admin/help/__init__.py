"""The documents of docs/ as pages of the admin, and which of them helps with which page."""
