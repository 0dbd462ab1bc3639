"""Measures the REST API of a real server beside plain statements on the same database, in the same run.

    python -m benchmarks.api [--rows 100000] [--changes 1000000] [--seconds 60]

DATABASE_URL chooses the server; a database (or file) of its own is created and dropped. Deposits: the same rows in
requests of 10,000, as one stream, and as CSV, beside multi-row INSERTs and, on PostgreSQL, COPY; bodies are made
beforehand, all is committed, the ways take turns. Target: at most twice the time, a stream in less than 300 MiB. Small
requests: 200 a second beside batches. The feed: a walk over all changes, beside one plain query of the same history.
"""

import argparse
import http.client
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks._scratch import seconds
from tests.acceptance.server import BATCHES, CHANGES, LINES, MEMBERS, ROWS, Server, serving

AT_ONCE, REPEAT, TARGET, MOST_MEMORY = 10_000, 3, 2.0, 300
A_SECOND, CLIENTS = 200, 16


def main() -> None:
    """Print one table after the other."""
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=100_000)
    options.add_argument("--changes", type=int, default=1_000_000)
    options.add_argument("--seconds", type=int, default=60)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server:
        print(f"the API on {server.installation.vendor}\n")
        deposits(server, asked.rows)
        small_requests(server, asked.seconds, Path(folder))
        feed(server, asked.changes)


def deposits(server: Server, count: int) -> None:
    """Print what it takes to land the same rows in each way."""
    rows = [(f"c{n}", f"City {n}", "NL" if n % 3 else None, str(n % 9_000_000)) for n in range(count)]
    names = ("code", "name", "country", "people")
    documents = [dict(zip(names, row, strict=True)) for row in rows]
    arrays = [json.dumps(documents[start : start + AT_ONCE]).encode() for start in range(0, count, AT_ONCE)]
    stream = b"".join(json.dumps(each).encode() + b"\n" for each in documents)
    csv = b"code,name,country,people\n" + b"".join(
        (",".join(each or "" for each in row) + "\n").encode() for row in rows
    )
    ways: dict[str, Callable[[], object]] = {"multi-row INSERT": partial(insert, server, rows)}
    if server.installation.vendor == "postgresql":
        ways["COPY"] = partial(copy, server, rows)
    ways |= {
        f"requests of {AT_ONCE:,}": lambda: [landed(server, body, "application/json") for body in arrays],
        "one stream": lambda: landed(server, pieces(stream), LINES),
        "one CSV": lambda: landed(server, csv, "text/csv"),
    }
    with closing(server.installation.connect()) as kept:  # as that of the worker: the last one to close tidies up
        kept.execute("SELECT count(*) FROM stg_city")
        kept.commit()
        turns = [{way: once(server, act, count) for way, act in ways.items()} for _ in range(REPEAT)]
    times = {way: min(turn[way] for turn in turns) for way in ways}
    bases = [way for way in ("multi-row INSERT", "COPY") if way in times]
    print(
        f"{count:,} rows, least of {REPEAT}{'':14} {'seconds':>8} " + " ".join(f"{f'x {base}':>18}" for base in bases)
    )
    for way, took in times.items():
        print(f"{way:34} {took:>8.2f} " + " ".join(f"{took / times[base]:>17.2f}x" for base in bases))
    print(f"target {TARGET}x; most memory of a server process: {server.memory()} MiB, target {MOST_MEMORY}\n")


def once(server: Server, act: Callable[[], object], count: int) -> float:
    """Return how long it takes to land the rows in an empty table."""
    server.installation.sql("DELETE FROM stg_city")
    took = seconds(act)
    assert server.installation.number("SELECT count(*) FROM stg_city") == count
    return took


def insert(server: Server, rows: list[tuple[Any, ...]]) -> None:
    """Insert the rows with statements of a thousand, ten of them in a transaction."""
    mark = "%s" if server.installation.vendor == "postgresql" else "?"
    one = f"({', '.join([mark] * 4)})"
    with closing(server.installation.connect()) as connection:
        cursor = connection.cursor()
        for start in range(0, len(rows), 1_000):
            some = rows[start : start + 1_000]
            values = [value for row in some for value in row]
            names = "code, name, country, people"
            cursor.execute(f"INSERT INTO stg_city ({names}) VALUES {', '.join([one] * len(some))}", values)
            if (start + 1_000) % AT_ONCE == 0:
                connection.commit()
        connection.commit()


def copy(server: Server, rows: list[tuple[Any, ...]]) -> None:
    """Copy the rows."""
    with closing(server.installation.connect()) as connection:
        with connection.cursor().copy("COPY stg_city (code, name, country, people) FROM STDIN") as into:
            for row in rows:
                into.write_row(row)
        connection.commit()


def landed(server: Server, body: Any, kind: str) -> None:
    """Deposit a body."""
    status, document = server.ask("POST", ROWS, body, Content_Type=kind)
    assert status == 200 and not document["refused"], document


def pieces(body: bytes) -> Iterator[bytes]:
    """Yield a body in pieces, as a program sends a stream."""
    for start in range(0, len(body), 1 << 16):
        yield body[start : start + (1 << 16)]


def small_requests(server: Server, lasting: int, folder: Path) -> None:
    """Print how 200 requests a second fare beside batches that merge what they bring."""
    stop = folder / "stop"
    batches = server.installation.start("-c", BATCHES, str(stop))
    server.installation.wait_until((folder / "stop.ready").exists, "batches run")
    start, every, worked = time.perf_counter(), CLIENTS / A_SECOND, server.worked()
    with ThreadPoolExecutor(CLIENTS) as pool:
        clients = [pool.submit(client, server, n, start + n / A_SECOND, every, lasting) for n in range(CLIENTS)]
        asked = [each for one in clients for each in one.result()]
    took, worked = time.perf_counter() - start, server.worked() - worked
    stop.touch()
    batches.wait()
    errors = sum(not ok for _, _, ok in asked)
    print(f"{len(asked):,} small requests in {took:.0f} s beside batches ({len(asked) / took:.0f} a second)")
    for kind in sorted({kind for kind, _, _ in asked}):
        times = sorted(time_ * 1000 for each, time_, _ in asked if each == kind)
        p50, p95 = statistics.median(times), times[int(len(times) * 0.95)]
        print(f"  {kind:16} p50 {p50:>7.1f} ms   p95 {p95:>7.1f} ms   most {times[-1]:>8.1f} ms")
    print(f"  errors: {errors}; {worked * 1000 / len(asked):.1f} ms of processor of the server for each\n")


def client(server: Server, number: int, at: float, every: float, lasting: int) -> list[tuple[str, float, bool]]:
    """Send requests at their instants on one connection; what waits for the one before is measured with its wait."""
    calls = [("POST", ROWS, "deposit a row"), ("GET", f"{MEMBERS}?limit=10", "read members"),
             ("GET", f"{ROWS}?limit=10", "read rows")]  # fmt: skip
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    found = []
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        for turn in range(int(lasting / every)):
            time.sleep(max(at + turn * every - time.perf_counter(), 0))
            method, address, kind = calls[turn % len(calls)]
            body = json.dumps([{"code": f"s{number}-{turn}", "people": turn}]) if method == "POST" else None
            try:
                connection.request(method, address, body, headers)
                answer = connection.getresponse()
                answer.read()
                ok = answer.status == 200
            except (OSError, http.client.HTTPException):
                ok = False
                connection.close()
            found.append((kind, time.perf_counter() - (at + turn * every), ok))
    return found


def feed(server: Server, count: int) -> None:
    """Print how long the walk over so many changes takes, its first and its last page, beside one plain query."""
    for table in ("stg_city", "hst_city", "mdm_city", "staging_changeset"):
        server.installation.sql(f"DELETE FROM {table}")
    half = count // 2
    for people in (1, 2):
        server.installation.sql(
            f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {half})"
            f" INSERT INTO stg_city (code, country, people) SELECT 'c' || i, 'NL', '{people}' FROM n"
        )
        stop = server.installation.folder / f"stop-{people}"
        stop.touch()
        assert server.installation.start("-c", BATCHES, str(stop)).wait() == 0, server.installation.logs()
        server.installation.sql("DELETE FROM stg_city")
    columns = "h.was_code, h.was_name, h.was_is_active, h.was_country, h.was_people, h.action, h.changed_at"
    plain = seconds(lambda: server.installation.sql(f"SELECT {columns} FROM hst_city h ORDER BY h.id"))
    told, pages, address = 0, [], f"{CHANGES}?limit={AT_ONCE}"
    while True:
        began = time.perf_counter()
        status, page = server.ask("GET", address)
        assert status == 200, page
        if not page["results"]:
            break
        pages.append(time.perf_counter() - began)
        told += len(page["results"])
        address = page["next"]
    print(f"the feed over {told:,} changes: {sum(pages):.1f} s, {told / sum(pages):,.0f} a second, {len(pages)} pages")
    print(f"  one plain query of the same history: {plain:.1f} s; the feed takes {sum(pages) / plain:.1f}x")
    first, last, slowest = (took * 1000 for took in (pages[0], pages[-1], max(pages)))
    print(f"  first page {first:.0f} ms, last page {last:.0f} ms, slowest {slowest:.0f} ms")


if __name__ == "__main__":
    main()
