"""Admin pages of alerts: what is wrong now, the rules, and the channels with their messages."""
