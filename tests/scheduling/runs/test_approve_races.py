"""Two people decide about one held batch at the same instant: one approval starts, each row is settled once."""

from functools import partial

import pytest
from django.db import connection

from scheduling.errors import AlreadyRunning
from scheduling.models import SchedulerConfiguration
from scheduling.runs.by_hand import StartedBatch, approve, review, start_batch_now
from staging.errors import ReviewRefused
from staging.models import Batch, BatchReview, Entity
from staging.states import BatchStatus, ReviewVerb
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.runs.test_races import racers  # noqa: F401 (a fixture)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]

REPETITIONS = 15


@pytest.fixture
def hold(make_entity, deposit):
    """Return a function that delivers four rows and lets a batch hold them."""
    make_entity()
    Entity.objects.update(review="hold")

    def hold() -> Batch:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM stg_branch")
        deposit(rows=4)
        started = start_batch_now(SchedulerConfiguration.objects.get(), started_by="anna", now=NOW)
        work_off(NOW)
        return Batch.objects.get(pk=started.batch.pk)

    return hold


def test_of_two_approvals_one_starts(racers, hold, staged):  # noqa: F811
    for _ in range(REPETITIONS):
        held = hold()
        answers = racers.at_once(*(partial(approve, held, by=by, now=NOW) for by in ("ben", "cleo")))
        assert sum(isinstance(answer, StartedBatch) for answer in answers) == 1, answers
        assert any(isinstance(answer, AlreadyRunning | ReviewRefused) for answer in answers), answers
        assert BatchReview.objects.filter(batch=held).count() == 1
        work_off(NOW)
        assert staged() == {1: 4}
        assert Batch.objects.get(pk=held.pk).status == BatchStatus.REVIEWED


def test_approved_and_discarded_at_once_each_row_is_settled_once(racers, hold, staged):  # noqa: F811
    for _ in range(REPETITIONS):
        held = hold()
        racers.at_once(
            partial(approve, held, by="ben", now=NOW),
            partial(review, held, ReviewVerb.DISCARD, ids=None, comment="", by="cleo", now=NOW),
        )
        work_off(NOW)
        found = staged()
        assert set(found) <= {1, 2} and sum(found.values()) == 4
        merged = sum(batch.rows_done for batch in held.approvals.all())
        assert merged == found.get(1, 0)
        held = Batch.objects.get(pk=held.pk)
        assert (held.status, held.rejected) == (BatchStatus.REVIEWED, found.get(2, 0))
