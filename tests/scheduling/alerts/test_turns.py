"""Promise: what time and batches make of the rows of many tables is told at once, whichever tables' turn it is.

And what somebody does by hand when their turn comes, and never twice.
"""

from datetime import datetime, timedelta

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduling.alerts import of_rows
from scheduling.alerts.watch import go_round
from scheduling.models import Alert, AlertChannel, AlertRule
from staging.models import Batch, Entity
from staging.sql.dialect import dialect
from staging.states import BatchStatus
from staging.tables.landed import known_instant
from tests.depth import examples
from tests.scheduling.admin.conftest import make_configuration
from tests.scheduling.alerts.conftest import NOW, rule_of, told

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)
CODES = ("branch", "city", "customer")
LONG = 15  # minutes that rows may wait
AT_ONCE, RUNNING, TAKEN = "a batch between two rounds", "a batch begins", "it takes the rows"


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch, own_rules: None) -> list[set[str]]:
    """Three entities, each of them a part of its own; gathers which tables each round looks into."""
    monkeypatch.setattr(type(dialect()), "tables_at_once", 1)
    for code in CODES:
        make_configuration(code)
    gathered: list[set[str]] = []
    landed = of_rows.landed

    def gather(parts: list[of_rows.Part]) -> dict[int, of_rows.Landings]:
        gathered[-1] |= {code for part in parts for _, code in part}
        return landed(parts)

    monkeypatch.setattr(of_rows, "landed", gather)
    return gathered


def land(code: str, at: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO stg_{code} (code, created_at) VALUES ('a', %s)", [at])


def change(code: str, statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement.format(table=f"stg_{code}"))


TAKE, EMPTY = "UPDATE {table} SET import_status = 1", "DELETE FROM {table}"


def round_at(minute: float, looks: list[set[str]]) -> set[str]:
    """Go a round so many minutes later; return which entities have an open alert."""
    looks.append(set())
    go_round(NOW + minute * MINUTE)
    return set(Alert.objects.open().values_list("entity__code", flat=True))


def test_rounds_look_by_turns_and_into_all_after_a_pause(looks: list[set[str]]) -> None:
    rule_of("waiting", minutes=LONG)
    for minute in (0, 1, 2, 3, 20):
        round_at(minute, looks)
    first, *turns, after = looks
    assert first == after == {*CODES}
    assert sorted(len(turn) for turn in turns) == [1, 1, 1]
    assert set.union(*turns) == {*CODES}


def test_rows_that_have_waited_too_long_are_told_in_that_very_round(looks: list[set[str]]) -> None:
    rule_of("waiting", minutes=LONG)
    round_at(0, looks)
    for code in CODES:
        land(code, NOW + MINUTE / 2)
    assert [round_at(minute, looks) for minute in range(1, 16)] == [set()] * 15
    assert round_at(16, looks) == {*CODES}


def test_rows_that_wait_shorter_than_a_turn_takes_are_told_too(looks: list[set[str]]) -> None:
    rule_of("waiting", minutes=1)
    round_at(0, looks)
    for code in CODES:
        land(code, NOW + MINUTE / 2)
    assert (round_at(1, looks), round_at(2, looks)) == (set(), {*CODES})


@pytest.mark.parametrize("status", [BatchStatus.COMPLETED, BatchStatus.FAILED, BatchStatus.HELD, BatchStatus.RUNNING])
def test_what_a_batch_took_is_over_in_the_next_round(looks: list[set[str]], status: BatchStatus) -> None:
    rule_of("waiting", minutes=LONG)
    for code in CODES:
        land(code, NOW - 60 * MINUTE)
    assert round_at(0, looks) == {*CODES}
    for code in CODES:
        change(code, TAKE)
        ended = None if status in (BatchStatus.HELD, BatchStatus.RUNNING) else NOW + MINUTE / 2
        entity = Entity.objects.get(code=code)
        Batch.objects.create(entity=entity, status=status, created_at=NOW + MINUTE / 3, finished_at=ended)
    assert round_at(1, looks) == set()


@pytest.mark.parametrize("missing", CODES)
def test_what_did_not_come_is_told_at_its_hour(looks: list[set[str]], missing: str) -> None:
    rule_of("waiting", minutes=LONG)  # it looks meanwhile
    rule_of("not_delivered", at=(NOW + 5 * MINUTE).time())
    for minute in range(5):
        assert round_at(minute, looks) == set()
    for code in {*CODES} - {missing}:
        land(code, NOW + 4.5 * MINUTE)
    assert round_at(5, looks) == {missing}


@pytest.mark.parametrize("left", CODES)
def test_nobody_is_told_of_what_went_before_it_had_waited_too_long(looks: list[set[str]], left: str) -> None:
    rule_of("waiting", minutes=LONG)
    round_at(0, looks)
    for code in CODES:
        land(code, NOW + MINUTE / 2)
    for minute in range(1, 16):
        round_at(minute, looks)
    for code in {*CODES} - {left}:
        change(code, EMPTY)
    assert round_at(16, looks) == {left}


def test_what_comes_or_goes_without_a_batch_is_seen_when_its_turn_comes(looks: list[set[str]]) -> None:
    rule_of("not_delivered", at=NOW.time())
    rule_of("waiting", minutes=LONG)
    land("city", NOW - 60 * MINUTE)
    assert round_at(0, looks) == {*CODES}
    change("city", EMPTY)
    land("branch", NOW)
    for minute in (1, 2, 3):
        round_at(minute, looks)
    open_ones = {*Alert.objects.open().values_list("rule__condition", "entity__code")}
    assert open_ones == {("not_delivered", "city"), ("not_delivered", "customer")}


def test_what_another_process_told_to_be_over_does_not_begin_again(
    looks: list[set[str]], channel: AlertChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule_of("waiting", channel, minutes=LONG, tells_end=True)
    for code in CODES:
        land(code, NOW - 60 * MINUTE)
    round_at(0, looks)
    for code in CODES:
        change(code, EMPTY)
    with monkeypatch.context() as other_process:
        other_process.setattr(of_rows, "_looks", {})
        assert round_at(1, looks) == set()
    told()
    assert (round_at(2, looks), looks[-1]) == (set(), {*CODES})
    assert told() == []


DEEDS = ("land", AT_ONCE, RUNNING, TAKEN)


@given(deeds=st.lists(st.tuples(st.integers(0, 8), st.sampled_from(CODES), st.sampled_from(DEEDS)), max_size=16))
@settings(max_examples=examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_batches_do_rounds_find_what_a_look_into_all_finds(
    looks: list[set[str]], deeds: list[tuple[int, str, str]]
) -> None:
    for model in (Alert, AlertRule, Batch):
        model._default_manager.all().delete()
    for code in CODES:
        change(code, EMPTY)
    of_rows._looks.clear()
    rule_of("waiting", minutes=LONG)
    minute = 0
    for wait, code, deed in deeds:
        do(deed, code, NOW + (minute + 0.5) * MINUTE)
        for _ in range(1 + wait):
            minute += 1
            found = round_at(minute, looks)
            assert found == {each for each in CODES if oldest(each) < NOW + (minute - LONG) * MINUTE}


def do(deed: str, code: str, at: datetime) -> None:
    """Let rows come, a batch begin, or one end that took all rows there are."""
    entity = Entity.objects.get(code=code)
    if deed == "land":
        land(code, at)
    elif deed == RUNNING:
        Batch.objects.create(entity=entity, status=BatchStatus.RUNNING, created_at=at)
    elif deed == TAKEN and Batch.objects.filter(entity=entity, status=BatchStatus.RUNNING).exists():
        change(code, TAKE)
        Batch.objects.filter(entity=entity).update(status=BatchStatus.COMPLETED, finished_at=at)
    elif deed == AT_ONCE:
        change(code, TAKE)
        Batch.objects.create(entity=entity, status=BatchStatus.COMPLETED, created_at=at, finished_at=at)


def oldest(code: str) -> datetime:
    """Return since when a row of an entity waits; long after all others where none does."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT min(created_at) FROM stg_{code} WHERE import_status = 0")
        ((found,),) = cursor.fetchall()
    return known_instant(found) if found else NOW + timedelta(days=1)
