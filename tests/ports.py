"""A port of this machine for a server of a test, chosen before the server is there."""

import socket


def free_port() -> int:
    """Return a port on which nobody listens now; another process may take it before it is used."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
