"""Admin pages of how things stand: start page, log, workers, forecast."""
