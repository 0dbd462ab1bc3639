"""What a monitoring system reads: counters that never fall, and how things stand at this moment."""
