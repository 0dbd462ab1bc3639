"""The API as its callers meet it: a real server, many clients at once, bodies that break off or never end."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.server import BATCHES, CHANGES, LINES, ROWS, Server, serving

_MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("api")) as made:
        yield made


@pytest.fixture(autouse=True)
def _empty(server: Server) -> None:
    for table in ("stg_city", "hst_city", "mdm_city", "staging_changeset"):
        server.installation.sql(f"DELETE FROM {table}")


def together(*acts: Callable[[], Any]) -> list[Any]:
    """Do everything at the same time; return what each returned."""
    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result() for future in [pool.submit(act) for act in acts]]


def lines(first: int, count: int) -> Iterator[bytes]:
    """Yield rows as lines of JSON, some hundred at a time."""
    for start in range(first, first + count, 500):
        numbers = range(start, min(start + 500, first + count))
        yield b"".join(b'{"code":"c%d","country":"NL","people":%d}\n' % (number, number) for number in numbers)


def landed(server: Server) -> int:
    """Return how many rows are in staging."""
    return server.installation.number("SELECT count(*) FROM stg_city")


@pytest.mark.parametrize(("kind", "body"), [("application/json", '[{"code":"a"}]'), (LINES, '{"code":"a"}\n' * 3)])
def test_twins_with_one_key_land_once(server: Server, kind: str, body: str) -> None:
    answers = together(*[lambda: server.ask("POST", ROWS, body, Content_Type=kind, Idempotency_Key=f"twin {kind}")] * 8)
    assert {status for status, _ in answers} == {200}
    assert len({json.dumps(document) for _, document in answers}) == 1
    assert landed(server) == answers[0][1]["landed"]
    status, _ = server.ask("POST", ROWS, body + " ", Content_Type=kind, Idempotency_Key=f"twin {kind}")
    assert status == 422


def test_pages_that_are_walked_while_rows_land_hold_each_row_once(server: Server) -> None:
    server.ask("POST", ROWS, json.dumps([{"code": f"old{number}"} for number in range(500)]))

    def walk() -> list[str]:
        seen, address = [], f"{ROWS}?limit=7"
        while address:
            status, page = server.ask("GET", address)
            assert status == 200, page
            seen += [row["code"] for row in page["results"]]
            address = page["next"]
        return seen

    def land(client: int) -> None:
        for number in range(15):
            server.ask("POST", ROWS, json.dumps([{"code": f"new{client}-{number}"}]))

    first, second, *_ = together(walk, walk, lambda: land(1), lambda: land(2))
    for seen in (first, second):
        assert len(seen) == len(set(seen))
        assert {f"old{number}" for number in range(500)} <= set(seen)


def test_who_follows_the_feed_beside_batches_has_what_production_has(server: Server, tmp_path: Path) -> None:
    stop = tmp_path / "stop"
    batches = server.installation.start("-c", BATCHES, str(stop))
    server.installation.wait_until((tmp_path / "stop.ready").exists, "batches run")
    held: dict[str, Any] = {}
    place = {"next": f"{CHANGES}?limit=50"}

    def follow() -> int:
        status, page = server.ask("GET", place["next"])
        assert status == 200, page
        place["next"] = page["next"]
        for change in page["results"]:
            if change["change"] == "deleted":
                held.pop(change["code"], None)
            else:
                held[change["code"]] = change["values"]
        return len(page["results"])

    def deposit(client: int) -> None:
        for round_ in range(12):
            rows: list[dict[str, Any]] = [
                {"code": f"c{client}-{number}", "people": round_ * 100 + number} for number in range(40)
            ]
            rows[round_] = {"code": f"c{client}-{round_}", "import_action": 4}
            rows[20 + round_] |= {"new_code": f"r{client}-{round_}-{20 + round_}"}
            status, document = server.ask("POST", ROWS, json.dumps(rows))
            assert (status, document["landed"]) == (200, 40), document

    def deposit_all() -> None:
        together(lambda: deposit(0), lambda: deposit(1), lambda: deposit(2))
        stop.touch()

    def keep_following() -> None:
        while not stop.exists():
            follow()

    try:
        together(deposit_all, keep_following)
        assert batches.wait(60) == 0, server.installation.logs()
    finally:
        server.installation.kill(batches)
    while follow():
        pass
    real = server.installation.sql("SELECT code, people, updated_batch_id, id FROM mdm_city")
    mine = [(code, values["people"], values["updated_batch_id"], values["id"]) for code, values in held.items()]
    assert sorted(mine) == sorted(real) and len(real) > 60
    assert server.installation.number("SELECT count(*) FROM staging_changeset") > 1


def test_what_landed_before_a_stream_breaks_stays(server: Server) -> None:
    with closing(socket.create_connection(("127.0.0.1", server.port))) as connection:
        connection.sendall(server.head + f"Content-Type: {LINES}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        for piece in lines(0, 25_000):
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
    server.installation.wait_until(lambda: landed(server) >= 20_000, "two sets of ten thousand have landed")
    count = landed(server)
    assert count < 25_000
    assert server.ask("GET", f"{ROWS}?limit=1")[0] == 200
    answer = server.raw(b"Content-Type: text/csv\r\nContent-Length: 999\r\n\r\ncode\na\nb")
    assert answer.startswith(b"HTTP/1.1 400") and b"problem+json" in answer
    assert landed(server) == count


def test_a_stream_with_a_key_goes_on_behind_a_server_that_died(server: Server) -> None:
    count = 35_000

    def sent() -> tuple[int, Any]:
        return server.ask("POST", ROWS, lines(0, count), Content_Type=LINES, Idempotency_Key="dies")

    for part in (10_000, 25_000):
        sender = threading.Thread(target=_cut_off, args=[server, part])
        sender.start()
        server.installation.wait_until(lambda part=part: landed(server) >= part // 10_000 * 10_000, "a part has landed")
        server.kill_workers()
        sender.join()
        server.installation.sql("UPDATE staging_keptanswer SET seen_at = '2000-01-01 00:00:00+00'")
    for _ in range(2):
        assert sent() == (200, {"landed": count, "refused": [], "refused_total": 0})
    assert landed(server) == server.installation.number("SELECT count(DISTINCT code) FROM stg_city") == count


def _cut_off(server: Server, count: int) -> None:
    """Send a part of the stream, and wait for an end that does not come before the server dies."""

    def body() -> Iterator[bytes]:
        yield from lines(0, count)
        while True:  # until the connection breaks
            time.sleep(0.05)
            yield b"\n" * 65_536  # what the server reads at a time

    with suppress(OSError, http.client.HTTPException):
        server.ask("POST", ROWS, body(), Content_Type=LINES, Idempotency_Key="dies")


def test_large_and_deep_bodies_are_problems_and_memory_stays_flat(server: Server) -> None:
    bodies: list[tuple[bytes, int]] = [
        (b"[" * (60 * _MEGABYTE), 400),
        (b"[" + b"[]," * (20 * _MEGABYTE) + b"[]]", 413),
        (b'[{"a":' + b"[" * (50 * _MEGABYTE), 400),
        (b'[{"code":"' + b"x" * (60 * _MEGABYTE) + b'"}]', 200),
    ]
    for body, expected in bodies:
        status, document = server.ask("POST", ROWS, body)
        assert status == expected, document
    for kind in (LINES, "text/csv"):
        status, document = server.ask("POST", ROWS, b'"' + b"x" * (64 * _MEGABYTE), Content_Type=kind)
        assert status in (200, 400) and not document.get("landed"), document
    assert landed(server) == 0
    assert b"413" in server.raw(b"Content-Type: application/json\r\nContent-Length: 70000000\r\n\r\n[")
    assert server.memory() < 640, "ten times the largest body"


def test_a_stream_of_any_length_needs_the_same_memory(server: Server) -> None:
    before = server.memory()  # the most it ever had: other tests sent bodies that are held whole
    status, document = server.ask("POST", ROWS, lines(0, 200_000), Content_Type=LINES)
    assert (status, document["landed"]) == (200, 200_000), document
    assert server.memory() <= max(before, 300)
