"""Promise 7: editing never fires. A slot that a dead worker gives back is due again only where it still counts."""

from datetime import timedelta

import pytest

from scheduling.dispatch.cycle import run_cycle
from scheduling.lifecycle.guard import count_from_completion, give_slot_back
from scheduling.models import Run, SchedulerConfiguration, SchedulerLog
from scheduling.queues import claim_next
from scheduling.schedules.change import apply_schedule, set_enabled
from scheduling.schedules.pause import pause, pause_everything, resume, resume_everything
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
LATER = NOW + 31 * MINUTE


@pytest.fixture
def doomed(make_entity, deposit):
    """Return a factory: an entity whose slot NOW fired and whose worker died with it."""

    def make(**fields):
        fields = {"schedule_type": "cron", "cron_expression": "* * * * *", **fields}
        configuration = make_entity(
            processing_mode="scheduled", next_scheduled_run=NOW, armed_from=NOW - MINUTE, **fields
        )
        deposit()
        assert run_cycle(NOW).fired == ["branch"]
        assert claim_next(worker="doomed", now=NOW)
        configuration.refresh_from_db()
        return configuration

    return make


def edited(configuration):
    apply_schedule(configuration, {"cron_expression": "0 3 1 1 *"}, now=NOW + MINUTE)


def switched_off(configuration):
    set_enabled(configuration, False, now=NOW + MINUTE)


def switched_off_and_on(configuration):
    set_enabled(configuration, False, now=NOW + MINUTE)
    set_enabled(configuration, True, now=NOW + 2 * MINUTE)


def made_manual(configuration):
    apply_schedule(configuration, {"processing_mode": "manual"}, now=NOW + MINUTE)


def paused(configuration):
    pause(configuration, by="olga", reason="maintenance", now=NOW + MINUTE)


def paused_and_resumed(configuration):
    paused(configuration)
    resume(configuration, by="olga", now=NOW + 2 * MINUTE)


def all_paused_and_resumed(configuration):
    pause_everything(by="olga", reason="maintenance", now=NOW + MINUTE)
    resume_everything(by="olga", now=NOW + 2 * MINUTE)


@pytest.mark.parametrize("catch_up", ["none", "last", "all"])
@pytest.mark.parametrize(
    "change",
    [edited, switched_off, switched_off_and_on, made_manual, paused, paused_and_resumed, all_paused_and_resumed],
)
def test_editing_never_fires_the_slot_of_a_lost_run(doomed, change, catch_up):
    configuration = doomed(catch_up=catch_up)
    change(configuration)
    configuration.refresh_from_db()
    planned = configuration.next_scheduled_run
    assert run_cycle(LATER).zombies == 1
    again = Run.objects.filter(scheduled_for=NOW).exclude(status="failed")
    assert not again.exists()
    missed = SchedulerLog.objects.filter(event_type="missed").values_list("details", flat=True)
    assert all(each["first"] > NOW.isoformat() for each in missed)
    configuration.refresh_from_db()
    if planned is None or planned > LATER:
        assert configuration.next_scheduled_run == planned


def test_a_slot_that_still_counts_is_due_again(doomed):
    doomed(schedule_type="daily", run_times="06:00")
    assert run_cycle(LATER).fired == ["branch"]
    assert list(Run.objects.order_by("id").values_list("scheduled_for", flat=True)) == [NOW, NOW]


def test_one_home_gives_slots_back(make_entity):
    configuration = make_entity(armed_from=NOW)
    assert give_slot_back(configuration, NOW)
    assert not give_slot_back(configuration, NOW - MINUTE)
    configuration.refresh_from_db()
    assert configuration.next_scheduled_run == NOW


def test_a_schedule_counted_from_its_end_keeps_what_an_edit_planned_meanwhile(make_entity):
    seen = make_entity(
        processing_mode="scheduled",
        schedule_type="interval",
        interval_minutes=60,
        interval_anchor="last_completion",
        armed_from=NOW,
    )
    assert count_from_completion(seen, now=NOW + MINUTE)
    edit = SchedulerConfiguration.objects.get(pk=seen.pk)
    apply_schedule(edit, {"interval_minutes": 5}, now=NOW + 2 * MINUTE)
    assert not count_from_completion(seen, now=NOW + 3 * MINUTE)
    seen.refresh_from_db()
    assert seen.next_scheduled_run == edit.next_scheduled_run
