"""Servers that take webhooks and mail: quickly, slowly, or not at all; killed, and started again at their address."""

import asyncio
import threading
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller

from tests.ports import PROMPT, free_port


class Receiver:
    """A web server that keeps what it is sent, and answers as it is told."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.paths: list[str] = []
        self.status, self.headers = 200, dict[str, str]()
        self.answers = threading.Event()  # while it is not set, nobody is answered
        self.answers.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                receiver.paths.append(self.path)
                receiver.answers.wait()
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(b"thanks")

            do_GET = do_POST

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._handler, self._port = Handler, 0
        self.open()
        self.url = f"http://127.0.0.1:{self._port}/hook?team=night"

    def open(self) -> None:
        """Serve, again at the same address when it was closed."""
        self.server = ThreadingHTTPServer(("127.0.0.1", self._port), self._handler)
        self._port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(PROMPT,), daemon=True).start()

    def close(self) -> None:
        """Serve nobody any more."""
        self.answers.set()
        self.server.shutdown()
        self.server.server_close()


class Mailbox:
    """A mail server that keeps what it takes."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.unknown = set[str]()  # people it does not know
        self.refusal = "550 no such person"  # what it answers to those
        self.refuses = False
        self.waits = 0.0  # seconds before it answers to a message
        self.hangs_up = False  # after it has taken a message, without a word
        self.port = free_port()
        self.open()

    def open(self) -> None:
        """Serve, again at the same address when it was killed."""
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()

    def close(self) -> None:
        """Serve nobody any more."""
        self._controller.stop()

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        """Know the reader, or not."""
        if address in self.unknown:
            return self.refusal
        envelope.rcpt_tos.append(address)
        return "250 known"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        """Take a message as it was told to."""
        await asyncio.sleep(self.waits)
        if self.refuses:
            return "451 come back later"
        self.messages.append((envelope.rcpt_tos, BytesParser().parsebytes(envelope.content)))
        if self.hangs_up:
            server.transport.abort()
        return "250 taken"
