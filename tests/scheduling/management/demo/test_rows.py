"""Made-up rows are mostly good, about one in ten bad, and stay within fixed ranges."""

from datetime import UTC, datetime
from random import Random

import pytest

from scheduling.management.demo.rows import customer, made_up, price, product

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
MAKERS = {"customer": customer, "product": product, "price_list": price}


def test_the_same_seed_makes_the_same_rows():
    assert made_up(Random(1), NOW) == made_up(Random(1), NOW)


@pytest.mark.parametrize("code", MAKERS)
def test_about_one_row_in_ten_is_bad(code):
    bad = sum(_looks_bad(code, MAKERS[code](Random(seed), NOW)) for seed in range(2000))
    assert 120 <= bad <= 290


def _looks_bad(code: str, row: dict[str, str | None]) -> bool:
    """Return whether the row carries one of the mistakes, told by its value alone."""
    mistakes = {
        "customer": {"branch": {"PAR", None}, "credit_limit": {"12.500,00"}, "email": {"unknown"},
                     "segment": {"private"}, "customer_since": {"31-12-2024"}, "code": {None}},
        "product": {"category": {None, "garden"}, "ean": {"871000"}, "weight_kg": {"heavy"}},
        "price_list": {"currency": {"GPB"}, "product": {"P9999"}, "price": {"-1", None}},
    }  # fmt: skip
    return any(row[column] in values for column, values in mistakes[code].items())


def test_codes_come_from_a_fixed_range_however_long_it_runs():
    random = Random(3)
    codes = {row["code"] for _ in range(5000) for row in made_up(random, NOW)["customer"]} - {None}
    assert len(codes) <= 2000
