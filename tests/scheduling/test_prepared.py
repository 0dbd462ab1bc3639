"""Promise: a query that is built once finds what it would find if it were built each time, whatever the moments."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import Q, QuerySet
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scheduling import statements
from scheduling.models import Run
from scheduling.schedules.deadlines import late_runs
from scheduling.statements import digest_of, digest_of_texts, digests_of, prepared, prepared_values
from tests.depth import examples

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
moments = st.integers(-48, 48).map(lambda halves: NOW + halves * HOUR / 2)


@pytest.fixture
def runs() -> None:
    """Runs of many hours, some of which take longer than they may."""
    for number in range(-12, 12):
        begun = NOW + number * HOUR
        Run.objects.create(
            kind="job", title=f"Run {number}", fire_key=f"r{number}", status="running", created_at=begun,
            started_at=begun, expected=HOUR if number % 2 else None,
            deadline_at=begun + 2 * HOUR if number % 3 else None,
        )  # fmt: skip


def between(since: datetime, until: datetime) -> QuerySet[Run, Run]:
    return Run.objects.filter(Q(started_at__gt=since) & Q(started_at__lte=until))


@given(since=moments, until=moments)
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_finds_what_the_query_finds_that_is_built_anew(runs: None, since: datetime, until: datetime) -> None:
    def keys(since: datetime, until: datetime) -> QuerySet[Run, tuple[int, str]]:
        return between(since, until).order_by("pk").values_list("pk", "title")

    assert prepared("between", keys, since=since, until=until) == list(keys(since, until))
    wanted = digest_of_texts(f"{pk} {title}" for pk, title in keys(since, until))
    assert digest_of("between", between, "pk", "title", since=since, until=until) == wanted
    asked = [lambda **_: Run.objects.none(), between]
    assert digests_of("both", asked, "pk", "title", since=since, until=until) == ["", wanted]
    earlier = prepared(
        "earlier", lambda since, until: keys(since - 5 * HOUR, until + HOUR / 4), since=since, until=until
    )
    assert earlier == list(keys(since - 5 * HOUR, until + HOUR / 4))
    late = Run.objects.filter(late_runs(until)).order_by("pk").values_list("pk", flat=True)
    digest = digest_of("late ones", lambda at: Run.objects.filter(late_runs(at)), "pk", at=until)
    assert digest == digest_of_texts(map(str, late))


def test_values_are_read_as_the_query_itself_reads_them(runs: None) -> None:
    def told(since: datetime) -> QuerySet[Run, Any]:
        columns = "title", "plans", "is_partial", "started_at", "expected", "deadline_at"
        ran, others = (Run.objects.filter(title__endswith=end).order_by().values_list(*columns) for end in "12")
        return ran.filter(started_at__gte=since).union(others, all=True).order_by("-started_at")[:5]

    for since in (NOW - 3 * HOUR, NOW, NOW - 20 * HOUR, NOW + 100 * HOUR):
        assert prepared_values("values", told, since=since) == list(told(since))
    assert prepared_values("nothing", lambda: Run.objects.none().values_list("pk")) == []


def test_it_is_asked_with_other_keys_each_time(runs: None) -> None:
    def longer(run: int, since: datetime) -> QuerySet[Run, tuple[int]]:
        return Run.objects.filter(pk__gt=run, started_at__gt=since).order_by("pk").values_list("pk")

    for run in Run.objects.values_list("pk", flat=True):
        assert prepared("after a run", longer, run=run, since=NOW) == list(longer(run, NOW))


def test_what_can_find_nothing_asks_nothing(runs: None) -> None:
    with CaptureQueriesContext(connection) as captured:
        assert prepared("none", lambda: Run.objects.filter(pk__in=[]).values_list("pk")) == []
        assert digest_of("none", lambda: Run.objects.none(), "pk") == ""
    assert not captured.captured_queries


def test_it_is_built_once_and_again_when_it_was_forgotten(runs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[datetime] = []

    def keys(since: datetime) -> QuerySet[Run, tuple[int]]:
        built.append(since)
        return Run.objects.filter(started_at__gt=since).values_list("pk")

    monkeypatch.setattr(statements, "_written", {})
    monkeypatch.setattr(statements, "_MOST_WRITTEN", 2)
    assert len(prepared("since", keys, since=NOW)) == 11 and len(prepared("since", keys, since=NOW + HOUR)) == 10
    assert len(built) == 1 and built[0].year < 1000, "the moments are no part of the text"
    for key in ("two", "three"):
        prepared(key, keys, since=NOW)
    assert len(statements._written) == 1
    assert len(prepared("since", keys, since=NOW)) == 11 and len(built) == 4
