"""Promises of a wait: it looks and changes nothing, it says until when, and its end says what it waited for."""

from datetime import timedelta

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduling.dag.manifest import ManifestTask
from scheduling.errors import FatalJobError
from scheduling.models import Attempt, SqlScript
from scheduling.states import RunKind
from scheduling.workloads.waits import is_true
from tests.depth import examples
from tests.scheduling.conftest import NOW
from tests.scheduling.runs.pieces import of, start, states, work

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)
SLOT = {"slot": NOW.isoformat()}


def wait(**fields):
    """Start a run that waits for what the arguments say."""
    timeout = fields.pop("timeout_seconds", None)
    return start(ManifestTask("wait", RunKind.WAIT, None, arguments=fields, timeout_seconds=timeout))


def looked(run):
    """Return the state of the wait, when it is looked at again, and what it says."""
    task = of(run, "wait")
    return task.status, task.next_attempt_at, task.message


def test_until_a_time_it_is_put_off_to_exactly_that_time():
    run = wait(until="08:30", days=0, zone="Europe/Amsterdam", **SLOT)
    work()
    at = NOW + 90 * MINUTE
    assert looked(run) == ("queued", at, "Waits until 2026-03-02 07:30:00 UTC.")
    work(at - MINUTE)
    assert of(run, "wait").status == "queued"
    work(at)
    assert looked(run)[0] == "completed"
    assert looked(run)[2] == "It was to wait until 2026-03-02 07:30:00 UTC. Waited 1 h 30 min."


@pytest.mark.parametrize("until", ["05:00", "06:00"])
def test_a_time_that_has_passed_lets_it_go_on_at_once(until):
    run = wait(until=until, days=0, zone="UTC", **SLOT)
    work()
    assert states(run) == {"wait": "completed"}


def test_so_many_minutes_count_from_when_it_was_ready():
    run = wait(minutes=30)
    work(NOW + 10 * MINUTE)  # the first worker came late
    assert looked(run)[:2] == ("queued", NOW + 30 * MINUTE)
    work(NOW + 30 * MINUTE)
    assert states(run) == {"wait": "completed"}


def test_for_rows_it_looks_once_a_minute_until_enough_are_pending(make_entity, deposit, staged):
    entity = make_entity().entity
    run = wait(rows=2, entity=entity.pk)
    deposit(rows=1)
    work()
    status, again, message = looked(run)
    assert (status, again) == ("queued", NOW + MINUTE)
    assert message == (
        "Waits for 2 rows of Branch since 2026-03-02 06:00:00 UTC; found 1 row so far. "
        "Looks again at 2026-03-02 06:01:00 UTC."
    )
    deposit(rows=2, prefix="c")
    work(NOW + MINUTE)
    assert looked(run)[0] == "completed" and "Found 3 rows of Branch." in looked(run)[2]
    assert staged() == {0: 3}, "it processed something"


@pytest.mark.parametrize("change", ["is_cancelled", "gone", "no table"])
def test_what_cannot_be_looked_at_fails_it_at_once(make_entity, change):
    entity = make_entity().entity
    run = wait(rows=1, entity=10**6 if change == "gone" else entity.pk)
    if change == "is_cancelled":
        type(entity).objects.update(is_cancelled=True)
    if change == "no table":
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE stg_branch")
    work()
    assert states(run) == {"wait": "failed"} and of(run, "wait").attempts_made == 1


@pytest.fixture
def script(make_entity):
    """A script that asks whether so many rows of an entity have landed."""
    make_entity()
    return SqlScript.objects.create(
        name="Landed", sql="SELECT count(*) >= %(number)s, 7 FROM stg_branch", parameters={"number": "integer"}
    )


def test_until_a_query_is_true_with_its_values(script, deposit):
    run = wait(script=script.pk, arguments={"number": 2})
    work()
    assert looked(run)[:2] == ("queued", NOW + MINUTE)
    assert "Waits until the query of script Landed is true, since 2026-03-02 06:00:00 UTC." in looked(run)[2]
    deposit(rows=2)
    work(NOW + MINUTE)
    assert looked(run)[0] == "completed" and "The query of script Landed is true." in looked(run)[2]


def test_nothing_that_a_query_does_stays(script):
    SqlScript.objects.update(
        sql="INSERT INTO mdm_branch (code, name, is_active, created_at, updated_at) "
        "VALUES ('b', 'one', %(active)s, '2026-03-02', '2026-03-02') RETURNING is_active",
        parameters={"active": "boolean"},
    )
    run = wait(script=script.pk, arguments={"active": True})
    work()
    assert states(run) == {"wait": "completed"}
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM mdm_branch")
        assert cursor.fetchone() == (0,)


@pytest.mark.postgresql
def test_what_a_query_does_to_its_session_stays_with_nobody(script):
    SqlScript.objects.update(sql="SELECT pg_advisory_lock(47) IS NULL", parameters={})
    wait(script=script.pk, arguments={})
    work()
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(47)")
            assert cursor.fetchone() == (True,)
    finally:
        other.close()


@pytest.mark.parametrize(
    "sql",
    ["UPDATE mdm_branch SET name = 'x'", "SELECT is_staff FROM auth_user", "SELECT 'perhaps'"],
)
def test_a_query_that_answers_nothing_or_may_not_fails_it_at_once(script, sql):
    SqlScript.objects.update(sql=sql, parameters={})
    run = wait(script=script.pk, arguments={})
    work()
    assert states(run) == {"wait": "failed"} and of(run, "wait").attempts_made == 1, of(run, "wait").message


def test_a_script_that_is_gone_or_cancelled_fails_it_at_once(script):
    SqlScript.objects.update(is_cancelled=True)
    run = wait(script=script.pk, arguments={"number": 1})
    work()
    assert states(run) == {"wait": "failed"}


def test_a_query_that_takes_too_long_is_asked_again_and_fails_it_in_the_end(script):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    slow = "SELECT pg_sleep(60) IS NULL" if connection.vendor == "postgresql" else endless
    SqlScript.objects.update(sql=slow, parameters={}, timeout_seconds=1)
    run = start(ManifestTask("wait", RunKind.WAIT, None, arguments={"script": script.pk, "arguments": {}}, attempts=2))
    work()
    assert (of(run, "wait").status, Attempt.objects.count()) == ("queued", 1)
    work(NOW + MINUTE)
    assert states(run) == {"wait": "failed"}


def test_when_its_time_is_up_it_fails_and_says_for_what_it_waited(make_entity, deposit):
    run = wait(rows=5, entity=make_entity().entity.pk, timeout_seconds=90)
    deposit(rows=2)
    work()
    assert "Gives up at 2026-03-02 06:01:30 UTC." in looked(run)[2]
    work(NOW + MINUTE)
    assert looked(run)[:2] == ("queued", NOW + 1.5 * MINUTE), "its last look is at the end of its time"
    work(NOW + 1.5 * MINUTE)
    status, _, message = looked(run)
    assert status == "failed" and message.startswith(
        "TimedOut: It waited since 2026-03-02 06:00:00 UTC for 1 min 30 s, and gave up. Waits for 5 rows of Branch"
    )


def test_what_comes_in_the_last_moment_counts(make_entity, deposit):
    run = wait(rows=1, entity=make_entity().entity.pk, timeout_seconds=60)
    work()
    deposit()
    work(NOW + 5 * MINUTE)
    assert states(run) == {"wait": "completed"}


@pytest.mark.parametrize("answer", [True, 1, 0.5, "true", "T", " t ", "12", "-0.1", "1E3"])
def test_yes(answer):
    assert is_true(answer)


@pytest.mark.parametrize("answer", [None, False, 0, 0.0, "false", "F", "0", "0.00"])
def test_no(answer):
    assert not is_true(answer)


@settings(max_examples=examples(50))
@given(st.text(max_size=200))
def test_any_other_text_is_refused_and_nothing_breaks(text):
    try:
        is_true(text)
    except FatalJobError as error:
        assert "true, false or a number" in str(error)
