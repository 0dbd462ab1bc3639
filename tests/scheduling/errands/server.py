"""A web server of tests that answers by the path it is asked: slowly, with a refusal, somewhere else, or too much."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.ports import PROMPT


class Server:
    """Keeps what it was asked as (method, path, headers, body), and answers by `paths`; 200 and JSON without one."""

    def __init__(self) -> None:
        self.got: list[tuple[str, str, dict[str, str], bytes]] = []
        self.paths: dict[str, Callable[[Any], None]] = {}
        self.held = threading.Event()  # what waits for it is answered when it is set
        self.asked = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.got.append((self.command, self.path, headers, body))
                server.asked.set()
                known = server.paths.get(self.path.partition("?")[0])
                if known is None:
                    say(self, 200, {"path": self.path})
                else:
                    known(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(PROMPT,), daemon=True).start()

    def close(self) -> None:
        """Serve nobody any more."""
        self.held.set()
        self._server.shutdown()
        self._server.server_close()


def say(handler: Any, status: int, body: Any = "", **headers: str) -> None:
    """Answer with a status, text or JSON, and headers, whose _ is written -."""
    raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    handler.send_response(status)
    for name, value in {"Content_Length": str(len(raw)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(raw)
