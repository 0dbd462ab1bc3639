"""Promises of the one door by which names enter SQL."""

import pytest
from django.db import connection

from staging.errors import InvalidIdentifier
from staging.identifiers import SYSTEM_COLUMNS, check_code, check_column, production_table, quote, staging_table

HOSTILE = [
    "",
    "a\x00b",
    'a"b',
    "a;drop table canary",
    "a--b",
    "a b",
    "%s",
    "a%sb",
    "A",
    "1a",
    "_a",
    "a\n",
    "a-b",
    "é",
    "а",  # Cyrillic
    "ａ",  # full width
    "aé",
    "a" * 41,
    "a'b",
    "a/*b",
    "a.b",
    "a\\b",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_refused_as_codes_columns_and_tables(name: str):
    for door in (check_code, check_column, staging_table, production_table):
        with pytest.raises(InvalidIdentifier):
            door(name)


@pytest.mark.parametrize("name", sorted(SYSTEM_COLUMNS))
def test_system_columns_are_refused_as_attributes_only(name: str):
    assert check_code(name) == name
    with pytest.raises(InvalidIdentifier, match="system column"):
        check_column(name)


@pytest.mark.parametrize("name", ["a", "select", "order", "a_1", "a" * 40])
def test_ordinary_and_reserved_words_are_accepted(name: str):
    assert check_column(name) == name
    assert (staging_table(name), production_table(name)) == (f"stg_{name}", f"mdm_{name}")


@pytest.mark.parametrize("name", ["", "a\x00b", "a" * 64, "é" * 32])
def test_what_no_database_can_name_is_never_quoted(name: str):
    with pytest.raises(InvalidIdentifier):
        quote(name)


def test_63_bytes_are_quoted():
    assert quote("a" * 63) == f'"{"a" * 63}"'


@pytest.mark.django_db
@pytest.mark.parametrize("name", ['a"b', "a;--", "50%", "%s", "a%%b", 'x" from canary; drop table canary; --', "naïve"])
def test_a_quoted_name_means_itself_beside_parameters(name: str):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {quote(name)} FROM (SELECT %s AS {quote(name)}) t", ["value"])
        assert cursor.fetchone() == ("value",)
        assert cursor.description[0][0] == name
