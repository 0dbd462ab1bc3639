"""What servers of tests share: a port of this machine, chosen before the server is there, and how soon they end."""

import socket

PROMPT = 0.01  # seconds after which a server that is told to end does; by itself it takes half a second


def free_port() -> int:
    """Return a port on which nobody listens now; another process may take it before it is used."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
