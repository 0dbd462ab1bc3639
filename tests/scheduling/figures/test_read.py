"""What ended lately counts, by period, whoever began it; jobs, entities and plans alike."""

from datetime import timedelta

import pytest

from scheduling.figures.read import Lately, figures_of
from scheduling.models import Task
from scheduling.runs.by_hand import start_job_now
from scheduling.states import RunKind

pytestmark = pytest.mark.django_db

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


def ended(job, now, status, ago, took):
    run = start_job_now(job, started_by="ann", now=now)
    run.tasks.update(status=status, started_at=now - ago - took, finished_at=now - ago)


def test_counts_rate_and_durations_of_both_periods(make_job, now, django_assert_num_queries):
    job, other = make_job("Report"), make_job("Other")
    for status, ago, minutes in (
        ("completed", HOUR, 2), ("completed", 23 * HOUR, 4), ("failed", HOUR, 50), ("cancelled", HOUR, 50),
        ("completed", 30 * HOUR, 9), ("completed", 8 * 24 * HOUR, 99),
    ):  # fmt: skip
        ended(job, now, status, ago, minutes * MINUTE)
    start_job_now(job, started_by="ann", now=now)
    with django_assert_num_queries(2):
        found = figures_of(RunKind.JOB, [job.pk, other.pk], now)
    day, week, month = found[job.pk].day, found[job.pk].week, found[job.pk].month
    assert (day.runs, day.completed, day.failed, day.cancelled) == (4, 2, 1, 1)
    assert (day.success_rate, day.average, day.longest) == (66, 3 * MINUTE, 4 * MINUTE)
    assert (week.runs, week.success_rate, week.average, week.longest) == (5, 75, 5 * MINUTE, 9 * MINUTE)
    assert (month.runs, month.average, month.longest) == (6, 28.5 * MINUTE, 99 * MINUTE)
    assert found[other.pk] == Lately() and found[other.pk].day.success_rate is None
    assert Task.objects.count() == 7
