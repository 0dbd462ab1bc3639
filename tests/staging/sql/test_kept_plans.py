"""Promise: what is asked often is planned once, and answered as it is where the plan is gone or could not be kept."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from staging.sql import kept_plans
from staging.sql.dialect import dialect
from staging.states import DataType

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps what it prepared by itself"),
]
NOW, DAY = datetime(2026, 11, 20, 12, tzinfo=UTC), timedelta(days=1)


@pytest.fixture(autouse=True)
def new_connection() -> Iterator[None]:
    """Begin and end with a connection that keeps nothing."""
    connection.close()
    kept_plans._last_blocks.clear()
    yield
    connection.close()


def sent_for(number: int, now: datetime = NOW) -> list[str]:
    """Return how each statement begins that is sent to ask something, of which the answer is as ever."""
    statement, places = "SELECT 'a%%' LIKE %s, %s + 1, %s - %s", {1: DataType.INTEGER, 2: DataType.DATETIME}
    ask = dialect().asked_often(statement, ["a%", 0, None, DAY], places)
    with CaptureQueriesContext(connection) as statements:
        assert ask([number, now]) == [(True, number + 1, now - DAY)]
    return [each["sql"].partition(" ")[0] for each in statements]


def run(statement: str) -> None:
    """Send a statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_it_is_planned_the_first_time_on_a_connection() -> None:
    assert [sent_for(1), sent_for(2), sent_for(3)] == [["PREPARE"], ["EXECUTE"], ["EXECUTE"]]
    connection.close()
    assert sent_for(4) == ["PREPARE"]


def test_where_a_pooler_hands_sessions_around_it_is_asked_as_it_is() -> None:
    sent_for(1)
    run("DEALLOCATE ALL")
    assert [sent_for(2), sent_for(3)] == [["EXECUTE", "SELECT"], ["SELECT"]]


def test_in_a_session_in_which_another_connection_has_planned_it_too() -> None:
    sent_for(1)
    kept_plans._asked.clear()
    assert [sent_for(2), sent_for(3)] == [["PREPARE", "SELECT"], ["SELECT"]]


def test_of_a_table_that_has_another_type_since_it_is_asked_as_it_is() -> None:
    run("CREATE TEMPORARY TABLE told AS SELECT 1 AS value")
    ask = dialect().asked_often("SELECT value FROM told", [], {})
    assert ask([]) == ask([]) == [(1,)]
    run("ALTER TABLE told ALTER value TYPE text")
    assert ask([]) == ask([]) == [("1",)]


def test_inside_a_transaction_which_it_could_end_it_is_asked_as_it_is() -> None:
    sent_for(1)
    run("DEALLOCATE ALL")
    with transaction.atomic():
        assert sent_for(2) == ["SELECT"]


def test_no_more_is_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_plans, "_MOST_ASKED", 0)
    assert [sent_for(1), sent_for(2)] == [["SELECT"], ["SELECT"]]


def test_what_fails_is_raised() -> None:
    ask = dialect().asked_often("SELECT 1 / %s", [0], {0: DataType.INTEGER})
    assert ask([1]) == [(1,)]
    with pytest.raises(DatabaseError, match="division by zero"):
        ask([0])
    assert ask([1]) == [(1,)]


def sent_in_blocks(numbers: Sequence[int], after: Sequence[timedelta] = (DAY,)) -> list[list[str]]:
    """Return how what is sent begins, for each of four blocks that ask this, a day after one another."""
    found = []
    for day in range(4):
        now = NOW + day * DAY
        with CaptureQueriesContext(connection) as statements, dialect().foreseen(now):
            for number in numbers:
                sent_for(number, now + after[day % len(after)])
        found.append([word for each in statements for word in each["sql"].split() if word.isupper() and len(word) > 6])
    return found


def test_what_a_block_asked_twice_comes_in_one_message_as_the_third_begins() -> None:
    first, second, *later = sent_in_blocks([1, 2])
    assert (first, second) == (["PREPARE", "EXECUTE", "EXECUTE"], ["EXECUTE", "EXECUTE"])
    assert later == [["EXECUTE", "EXECUTE"]] * 2
    with CaptureQueriesContext(connection) as statements, dialect().foreseen(NOW):
        assert [sent_for(1, NOW + DAY), sent_for(1, NOW + DAY)] == [[], ["EXECUTE"]], "it is given twice"
    assert len(statements) == 2, "it does not come in one message"


def test_what_does_not_move_with_the_blocks_is_asked_by_itself() -> None:
    assert sent_in_blocks([1], [DAY, 2 * DAY, 3 * DAY, 4 * DAY])[1:] == [["EXECUTE"]] * 3


def test_where_it_cannot_come_together_each_is_asked_by_itself() -> None:
    sent_in_blocks([1])
    with transaction.atomic(), dialect().foreseen(NOW):
        assert sent_for(1, NOW + DAY) == ["SELECT"]
    sent_in_blocks([1])
    run("DEALLOCATE ALL")
    with dialect().foreseen(NOW):
        assert sent_for(1, NOW + DAY) == ["EXECUTE", "SELECT"]
