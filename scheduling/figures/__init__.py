"""How jobs, plans and entities fared: ended runs counted by the hour, and read again together with the newest ones."""
