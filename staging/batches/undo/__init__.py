"""Takes a batch back: members become again what its history says they were."""
