"""Promises of an approval: it starts like any batch, under the same guard, and the log tells who said so and why."""

import pytest

from scheduling.errors import AlreadyRunning
from scheduling.models import Run, SchedulerConfiguration, SchedulerLog
from scheduling.runs.by_hand import approve, review, start_batch_now
from scheduling.states import RunStatus
from staging.errors import ReviewRefused
from staging.models import AuditEntry, Batch, BatchReview, Entity
from staging.states import BatchStatus, ReviewVerb
from tests.scheduling.conftest import work_off


@pytest.fixture
def held(make_entity, deposit, now) -> Batch:
    """A batch of three rows that was held for review."""
    configuration = make_entity()
    Entity.objects.update(review="hold")
    deposit(rows=3)
    started = start_batch_now(configuration, started_by="anna", now=now)
    work_off(now)
    return Batch.objects.get(pk=started.batch.pk)


def _events(kind: str) -> list[str]:
    return list(SchedulerLog.objects.filter(event_type=kind).order_by("id").values_list("message", flat=True))


@pytest.mark.django_db
def test_a_held_batch_ends_its_run_and_frees_the_guard(held, staged, now):
    assert (held.status, staged()) == (BatchStatus.HELD, {3: 3})
    run = Run.objects.get()
    assert (run.status, run.tasks.get().message) == (
        RunStatus.COMPLETED,
        "Held: Every batch of Branch waits for approval.",
    )
    configuration = SchedulerConfiguration.objects.get()
    assert (configuration.is_running, configuration.consecutive_failures) == (False, 0)
    assert _events("review") == ["Held: Every batch of Branch waits for approval."]
    assert _events("completed") == []


@pytest.mark.django_db
def test_an_approval_is_a_batch_like_any_other(held, staged, now):
    started = approve(held, comment="Checked with sales.", by="ben", now=now)
    assert SchedulerConfiguration.objects.get().is_running
    assert (started.batch.trigger_source, started.batch.started_by) == ("Approved by ben", "ben")
    work_off(now)
    assert staged() == {1: 3}
    assert Batch.objects.get(pk=started.batch.pk).inserted == 3
    held.refresh_from_db()
    assert held.status == BatchStatus.REVIEWED
    assert f"Held batch {held.pk} approved by ben: Checked with sales." in _events("fired")


@pytest.mark.django_db
def test_an_approval_obeys_the_guard_and_records_nothing_when_it_is_refused(held, now):
    start_batch_now(SchedulerConfiguration.objects.get(), started_by="anna", now=now)
    with pytest.raises(AlreadyRunning):
        approve(held, by="ben", now=now)
    assert not BatchReview.objects.exists()
    assert Batch.objects.filter(approves=held).count() == 0


@pytest.mark.django_db
def test_the_two_person_rule_holds_at_the_start(held, now):
    Entity.objects.update(two_person_rule=True)
    held = Batch.objects.get(pk=held.pk)
    with pytest.raises(ReviewRefused):
        approve(held, by="anna", now=now)
    approve(held, by="ben", now=now)


@pytest.mark.django_db
def test_an_approval_that_was_cancelled_can_be_given_again(held, staged, now):
    from scheduling.runs.cancel import cancel_run

    cancel_run(approve(held, by="ben", now=now).run, by="ben", now=now)
    assert staged() == {3: 3}
    approve(held, by="ben", now=now)
    work_off(now)
    assert staged() == {1: 3}


def _audit() -> list[tuple[str, str, str]]:
    return list(AuditEntry.objects.order_by("id").values_list("kind", "person", "about"))


@pytest.mark.django_db
def test_the_audit_tells_who_approved_and_why_and_nothing_of_what_was_refused(held, now):
    Entity.objects.update(two_person_rule=True)
    held = Batch.objects.get(pk=held.pk)
    with pytest.raises(ReviewRefused):
        approve(held, by="anna", now=now)
    assert _audit() == []
    approve(held, comment="Checked with sales.", by="ben", now=now)
    assert _audit() == [("approved", "ben", f"Held batch {held.pk} approved by ben: Checked with sales.")]
    with pytest.raises(ReviewRefused):
        approve(held, by="cleo", now=now)
    assert len(_audit()) == 1


@pytest.mark.django_db
def test_the_audit_tells_who_discarded_how_many_rows_and_not_who_sent_some_back(held, now):
    review(held, ReviewVerb.SEND_BACK, ids=None, comment="Mend them.", by="ben", now=now)
    assert _audit() == []
    with pytest.raises(ReviewRefused):
        review(held, ReviewVerb.DISCARD, ids=None, comment="", by="cleo", now=now)
    assert _audit() == []


@pytest.mark.django_db
def test_the_audit_tells_who_discarded(held, now):
    review(held, ReviewVerb.DISCARD, ids=None, comment="Of last year.", by="ben", now=now)
    ((kind, person, about),) = _audit()
    assert (kind, person) == ("discarded", "ben")
    assert about == f"Held batch {held.pk}: 3 rows discarded by ben: Of last year."
