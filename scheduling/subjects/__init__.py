"""What of scheduling has versions, how each is read and how it goes back, and the change told in the log."""
