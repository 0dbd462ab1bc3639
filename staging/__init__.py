"""What lands, how it is checked and how it is merged."""
