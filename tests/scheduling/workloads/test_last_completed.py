"""A job knows when its last completed run began, so that it can take what came since."""

from datetime import timedelta

import pytest

from scheduling.models import Task
from scheduling.runs.by_hand import start_job_now
from scheduling.runs.enqueue import enqueue
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


def test_only_completed_runs_count_and_enqueued_ones_do_not(make_job):
    seen = []

    def body(context, fails: bool = False):
        """Note what it is told."""
        seen.append((context.last_completed_at, context.slot))
        if fails:
            raise ValueError

    job = make_job("Report", body=body)
    for minute, arguments in ((0, {}), (1, {"fails": True}), (2, {}), (3, {})):
        start_job_now(job, arguments, started_by="ann", now=NOW + minute * MINUTE)
        work_off(NOW + minute * MINUTE)
    assert [at for at, _ in seen] == [None, NOW, NOW, NOW + 2 * MINUTE]
    enqueue(make_job.function("Report"), now=NOW + 4 * MINUTE)
    work_off(NOW + 4 * MINUTE)
    start_job_now(job, started_by="ann", now=NOW + 5 * MINUTE)
    work_off(NOW + 5 * MINUTE)
    assert seen[-2:] == [(None, None), (NOW + 3 * MINUTE, None)]
    assert Task.objects.filter(status="completed").count() == 5
