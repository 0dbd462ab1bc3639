"""Makes up rows as a source would send them: mostly changes and new members, one in ten bad in some way."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from random import Random
from typing import Any

import psycopg

from scheduling.management.demo.deposit import Row, deposit
from staging.identifiers import quote, staging_table
from staging.states import ImportStatus

Values = dict[str, str | None]

# Codes come from fixed ranges, so that production stays small however long the demo runs, and wide ones, so that two
# rows of one code seldom meet in one batch.
_PRICED_PRODUCTS = 14
_OTHER_PRODUCTS = range(1_000, 2_000)
_CUSTOMERS = 2_000
_PRICE_STEPS = range(5, 105, 5)
_GOODS = {"food": "Biscuits", "drink": "Lemonade", "household": "Sponges", "office": "Envelopes"}
_BRANCHES = {"AMS": "NL", "RTM": "NL", "ANR": "BE", "HAM": "DE", "CPH": "DK", "LHR": "UK", "WAW": "PL"}
_NAMES = ("Jansen", "Peeters", "Schmidt", "Nielsen", "Taylor", "Kowalski", "Bakker", "Claes")
_KINDS = ("Foods", "Retail", "Trading", "Catering", "Stores", "Logistics")
_SHARE_OF_BAD = 0.1
_SHARE_SENT_TWICE = 0.03


def customer(random: Random, now: datetime) -> Values:
    """Return one customer row."""
    number = random.randint(1, _CUSTOMERS)
    branch = random.choice(list(_BRANCHES))
    name = random.choice(_NAMES)
    values: Values = {
        "code": f"C{number:05d}",
        "name": f"{name} {random.choice(_KINDS)}",
        "branch": branch,
        "region": _BRANCHES[branch],
        "segment": random.choice(("retail", "wholesale", "public")),
        "email": f"{name.lower()}{number}@customers.example",
        "credit_limit": f"{random.randint(5, 400) * 250}.00",
        "is_key_account": random.choice(("yes", "no")),
        "customer_since": f"{random.randint(2001, 2025)}-{random.randint(1, 12):02d}-01",
        "last_contact_at": now.isoformat(timespec="seconds"),
    }
    mistakes: list[Values] = [
        {"branch": "PAR"},
        {"branch": None},
        {"credit_limit": "12.500,00"},
        {"email": "unknown"},
        {"segment": "private"},
        {"customer_since": "31-12-2024"},
        {"code": None},
    ]
    return _sometimes_bad(values, mistakes, random)


def product(random: Random, now: datetime) -> Values:
    """Return one product row."""
    number = random.choice(_OTHER_PRODUCTS)
    category = random.choice(list(_GOODS))
    values: Values = {
        "code": f"P{number:04d}",
        "name": f"{_GOODS[category]} no. {number}",
        "category": category,
        "ean": f"87100000{number:05d}",
        "weight_kg": f"{random.uniform(0.05, 9):.2f}",
        "discontinued": random.choice(("true", "false")),
        "launched_on": (now - timedelta(days=random.randint(30, 3000))).date().isoformat(),
    }
    mistakes: list[Values] = [{"category": None}, {"category": "garden"}, {"ean": "871000"}, {"weight_kg": "heavy"}]
    return _sometimes_bad(values, mistakes, random)


def price(random: Random, now: datetime) -> Values:
    """Return one price row."""
    number, currency = random.randint(1, _PRICED_PRODUCTS), random.choice(("EUR", "GBP", "DKK", "PLN", "SEK", "CHF"))
    step = random.choice(_PRICE_STEPS)
    values: Values = {
        "code": f"P{number:04d}-{currency}-{step}",
        "name": f"From {step} pieces",
        "product": f"P{number:04d}",
        "currency": currency,
        "price": f"{random.uniform(0.8, 60):.2f}",
        "valid_from": now.date().isoformat(),
        "changed_at": now.isoformat(timespec="seconds"),
    }
    mistakes: list[Values] = [{"currency": "GPB"}, {"product": "P9999"}, {"price": "-1"}, {"price": None}]
    return _sometimes_bad(values, mistakes, random)


def made_up(random: Random, now: datetime) -> dict[str, list[Values]]:
    """Return one delivery: rows of the entities that change all day, by entity code."""
    makers: dict[str, tuple[Callable[[Random, datetime], Values], int]] = {
        "customer": (customer, 2),
        "product": (product, 1),
        "price_list": (price, 2),
    }
    delivery = {code: [make(random, now) for _ in range(count)] for code, (make, count) in makers.items()}
    if random.random() < _SHARE_SENT_TWICE:  # the same customer twice, with different values
        twice = delivery["customer"][0]
        delivery["customer"].append({**twice, "credit_limit": "1.00"})
    return delivery


def _sometimes_bad(values: Values, mistakes: list[Values], random: Random) -> Values:
    """Return the row, one time in ten with one of the mistakes in it."""
    return values | random.choice(mistakes) if random.random() < _SHARE_OF_BAD else values


_KEPT_REJECTED = 500


class Source:
    """Deposits deliveries; `database` is one entry of Django's DATABASES."""

    def __init__(self, database: Mapping[str, Any]):
        self._database = database
        self._is_sqlite = str(database["ENGINE"]).endswith("sqlite3")
        self._placeholder = "?" if self._is_sqlite else "%s"

    def deliver(self, delivery: Mapping[str, Sequence[Row]]) -> int:
        """Deposit one delivery (rows by entity code) in one transaction; return the number of rows."""
        with self._transaction() as cursor:
            for code, rows in delivery.items():
                deposit(cursor, code, rows, placeholder=self._placeholder)
        return sum(len(rows) for rows in delivery.values())

    def withdraw_old_mistakes(self, code: str, *, keep: int = _KEPT_REJECTED) -> int:
        """Delete all but the newest rejected rows of an entity, so that a forgotten demo does not fill the disk.

        Return the number deleted. Retention never deletes rejected rows: they wait for a person or their source.
        """
        table, mark = quote(staging_table(code)), self._placeholder
        sql = (
            f"DELETE FROM {table} WHERE import_status = {mark} AND id < "  # noqa: S608
            f"(SELECT id FROM {table} WHERE import_status = {mark} ORDER BY id DESC LIMIT 1 OFFSET {mark})"
        )
        with self._transaction() as cursor:
            cursor.execute(sql, (ImportStatus.REJECTED.value, ImportStatus.REJECTED.value, keep - 1))
            return int(cursor.rowcount)

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        """Yield a cursor; commit at the end, close in any case."""
        with closing(self._connect()) as connection, connection:
            yield connection.cursor()

    def _connect(self) -> Any:
        """Open a connection with the database's own driver."""
        if self._is_sqlite:
            return sqlite3.connect(self._database["NAME"], timeout=20, isolation_level="IMMEDIATE")
        wanted = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
        arguments = {ours: self._database[theirs] for ours, theirs in wanted.items() if self._database[theirs]}
        return psycopg.connect(**arguments, connect_timeout=5, application_name="demo feeder")
