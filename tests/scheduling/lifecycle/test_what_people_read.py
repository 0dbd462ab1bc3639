"""What is stored is said in the language of the site; who reads it gets their language, and instants in their zone."""

from collections.abc import Iterator
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone, translation

from scheduling import clock
from scheduling.lifecycle import events
from scheduling.models import Attempt, PersonalChoices, Run, SchedulerLog, Task
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_batch_now, start_job_now
from scheduling.runs.cancel import cancel_run
from scheduling.runs.execute import run_attempt
from scheduling.schedules.pause import pause
from staging.models import Batch
from staging.states import ReviewPolicy
from staging.wording import reading, say
from tests.catalogue import dutch_with
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = {
    "{counts}.": "{counts}.",
    "{number:,} inserted": "{number:,} toegevoegd",
    "{number:,} rejected": "{number:,} afgewezen",
    "{kind}: {error}": "{kind}: {error}",
    "Cancelled by {by} before it started.": "Geannuleerd door {by} voordat het begon.",
    "Held: {hold_reason}": "Aangehouden: {hold_reason}",
    "Every batch of {entity} waits for approval.": "Elke batch van {entity} wacht op goedkeuring.",
    "{entity} is retired: nothing of it is processed.": "{entity} vervalt.",
    "It waits since {at}.": "Het wacht sinds {at}.",
}


@pytest.fixture
def dutch() -> Iterator[str]:
    with dutch_with(WORDS) as language:
        yield language


def test_the_end_of_a_batch_is_read_in_the_language_of_its_reader(make_entity, deposit, dutch):
    configuration = make_entity()
    deposit(configuration.entity.code, 3)
    run = start_batch_now(configuration, started_by="ann", now=NOW).run
    work_off(NOW)
    task, attempt = run.tasks.get(), Attempt.objects.get()
    assert task.message == attempt.message == "3 inserted."
    with translation.override(dutch):
        assert reading(task, "message") == reading(attempt, "message") == "3 toegevoegd."
    event = SchedulerLog.objects.get(event_type="completed")
    with translation.override(dutch):
        events.say_again([event])
    assert event.message == "3 toegevoegd."


def test_a_held_batch_and_its_reason(make_entity, deposit, dutch):
    configuration = make_entity()
    configuration.entity.review = ReviewPolicy.HOLD
    configuration.entity.save()
    deposit(configuration.entity.code, 1)
    run = start_batch_now(configuration, started_by="ann", now=NOW).run
    work_off(NOW)
    batch, name = Batch.objects.get(), configuration.entity.name
    assert batch.hold_reason == f"Every batch of {name} waits for approval."
    with translation.override(dutch):
        assert reading(batch, "hold_reason") == f"Elke batch van {name} wacht op goedkeuring."
        assert reading(run.tasks.get(), "message") == f"Aangehouden: Elke batch van {name} wacht op goedkeuring."


def test_why_a_run_failed(make_entity, deposit, dutch):
    configuration = make_entity()
    deposit(configuration.entity.code, 1)
    run = start_batch_now(configuration, started_by="ann", now=NOW).run
    configuration.entity.is_cancelled = True
    configuration.entity.save()
    work_off(NOW)
    run.refresh_from_db()
    name = configuration.entity.name
    assert run.error == f"EntityCancelled: {name} is retired: nothing of it is processed."
    with translation.override(dutch):
        assert reading(run, "error") == reading(Batch.objects.get(), "error") == f"EntityCancelled: {name} vervalt."


def test_what_a_dutch_person_does_is_stored_in_the_language_of_the_site(make_job, dutch):
    run = start_job_now(make_job("Report"), started_by="ann", now=NOW)
    with translation.override(dutch):
        cancel_run(run, by="ann", now=NOW)
        task = run.tasks.get()
        assert task.message == "Cancelled by ann before it started."
        assert reading(task, "message") == "Geannuleerd door ann voordat het begon."


def test_an_instant_is_stored_in_utc_and_read_in_the_zone_of_its_reader(dutch):
    with timezone.override(ZoneInfo("Europe/Amsterdam")):
        events.record("paused", now=NOW, message=say("It waits since {at}.", at=NOW))
    event = SchedulerLog.objects.get()
    assert event.message == f"It waits since {NOW:%Y-%m-%d %H:%M:%S} UTC."
    local = NOW.astimezone(ZoneInfo("Europe/Amsterdam"))
    with timezone.override(local.tzinfo):
        events.say_again([event])
        assert event.message == f"It waits since {local:%Y-%m-%d %H:%M:%S} Europe/Amsterdam."
        with translation.override(dutch):
            events.say_again([event])
            assert event.message == f"Het wacht sinds {local:%Y-%m-%d %H:%M:%S} Europe/Amsterdam."


def test_a_message_that_is_anybodys_text_is_read_as_it_stands(make_job, dutch):
    def fail(context):
        raise ValueError("Line 7: {at} is odd.")

    run = start_job_now(make_job("Report", body=fail), started_by="ann", now=NOW)
    run_attempt(claim_next(worker="w", now=NOW), time=lambda: NOW)
    with translation.override(dutch):
        assert reading(run.tasks.get(), "message") == "ValueError: Line 7: {at} is odd."
    Task.objects.update(message_said=None)  # what the version before us wrote
    with translation.override(dutch):
        assert reading(run.tasks.get(), "message") == "ValueError: Line 7: {at} is odd."
    assert Run.objects.get().error == "ValueError: Line 7: {at} is odd."


def test_the_pages_of_the_log_say_instants_in_the_zone_of_their_reader(make_entity):
    configuration = make_entity()
    pause(configuration, by="ann", reason="inventory", until=NOW + timedelta(days=9000), now=NOW)
    event = SchedulerLog.objects.latest("pk")
    until = NOW + timedelta(days=9000)
    SchedulerLog.objects.filter(pk=event.pk).update(event_time=clock.now())
    person = User.objects.create_superuser("reader")
    client = Client()
    client.force_login(person)
    pages = ["/admin/scheduling/schedulerlog/", f"/admin/scheduling/schedulerlog/{event.pk}/change/"]
    for address in pages:
        assert f"until {until:%Y-%m-%d %H:%M:%S} UTC" in client.get(address).content.decode()
    PersonalChoices.objects.create(person=person, timezone="Asia/Tokyo")
    client.force_login(person)
    local = until.astimezone(ZoneInfo("Asia/Tokyo"))
    for address in pages:
        assert f"until {local:%Y-%m-%d %H:%M:%S} Asia/Tokyo" in client.get(address).content.decode()
