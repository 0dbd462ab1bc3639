"""Promise: lists show many things at once, cut nothing off, and become cards where a row does not fit."""

from datetime import timedelta
from uuid import uuid4

import pytest

from scheduling import clock
from scheduling.models import Attempt, Heartbeat, Plan, Queue, Run, SchedulerConfiguration, SchedulerLog, Task
from staging.models import Batch, Entity
from tests.browser.screens import faults, looks_at_pages
from tests.scheduling.admin.conftest import make_configuration

CONFIGURATIONS = "scheduling/schedulerconfiguration/"
LISTS = (CONFIGURATIONS, "staging/batch/", "staging/entity/", "scheduling/plan/", "scheduling/job/", "scheduling/run/")
_CUT = """(() => { const frame = document.querySelector('.results, .sheet-frame');
    return frame ? frame.scrollWidth - frame.clientWidth : 0 })()"""


@pytest.fixture
def many() -> None:
    """Sixteen entities with long sentences, twenty results each, some failed, some with warnings; a scheduler works."""
    now = clock.now()
    Heartbeat.objects.create(name=Heartbeat.DISPATCHER, kind="dispatcher", started_at=now, seen_at=now)
    for number in range(16):
        made = make_configuration(
            f"entity_{number:02}", processing_mode="scheduled", schedule_type="weekly", run_times="06:00, 18:30",
            run_days="mon,tue,wed,thu,fri", timezone="America/Argentina/Buenos_Aires",
            next_scheduled_run=now + timedelta(days=30), last_result="completed", last_completed_at=now,
            last_warnings=2 * (number % 8 == 1),
        )  # fmt: skip
        Batch.objects.bulk_create(
            Batch(entity=made.entity, status=("completed", "failed")[each % 7 == 3], created_at=now, finished_at=now,
                  duration_ms=10 ** (each % 6), trigger_source="user: clicked process now", started_by="annemarie")
            for each in range(20)
        )  # fmt: skip


@looks_at_pages
def test_lists_cut_nothing_off_and_show_fourteen_entities_on_a_screen(steward, many):
    page, cut = steward.page, {}
    for width in (1360, 768, 320):
        page.set_viewport_size({"width": width, "height": 900})
        for where in LISTS:
            steward.visit(where)
            if page.evaluate(_CUT) > 1:
                cut[where, width] = page.evaluate(_CUT)
    assert cut == {}
    page.set_viewport_size({"width": 1360, "height": 900})
    steward.visit(CONFIGURATIONS)
    fourteenth = page.locator("#result_list > tbody > tr").nth(13).bounding_box()
    assert fourteenth["y"] + fourteenth["height"] <= 900


@looks_at_pages
def test_lists_cut_nothing_off_whatever_things_are_called_and_however_they_ended(steward, many):
    """A long name of several words, an end with warnings, a pause that tells who, when and why."""
    pause = {"paused_at": clock.now(), "paused_by": "annemarie", "pause_reason": "The books are closed"}
    Entity.objects.filter(code="entity_00").update(name="Warehouse and distribution centre location")
    SchedulerConfiguration.objects.update(last_warnings=2)
    Batch.objects.filter(status="completed").update(rejected=2)
    Plan.objects.create(name="Close the books", schedule_type="interval", interval_minutes=5, timezone="UTC", **pause)
    SchedulerLog.objects.create(entity=Entity.objects.all()[0], event_time=clock.now(), event_type="completed")
    cut = "[...document.querySelectorAll('#result_list td')].filter(td => td.scrollWidth > td.clientWidth + 1).length"
    page, found = steward.page, {}
    for width in (1360, 768, 320):
        page.set_viewport_size({"width": width, "height": 900})
        for where in LISTS:
            steward.visit(where)
            if (wider := page.evaluate(_CUT)) > 1 or page.evaluate(cut):
                found[where, width] = wider, page.evaluate(cut)
    assert found == {}
    page.set_viewport_size({"width": 768, "height": 900})
    steward.visit("scheduling/schedulerlog/")
    label = "getComputedStyle(document.querySelector('#log td'), '::before').content"
    assert page.evaluate(label) == "none", "on a tablet an event is two lines of text, not labels without a blank"


@looks_at_pages
def test_the_list_of_configurations_has_no_serious_fault_and_its_bars_lead_to_batches(steward, many):
    steward.visit(CONFIGURATIONS)
    assert faults(steward, "configurations") == []
    steward.page.locator(".bar-failed").first.click()
    steward.page.wait_for_url("**/staging/batch/*/change/")


@looks_at_pages
def test_no_table_of_a_run_is_cut_whatever_its_steps_are_called(steward):
    now = clock.now()
    times = {"started_at": now, "finished_at": now}
    run = Run.objects.create(
        kind="plan", title="Plan Daily", status="completed", warnings=1, fire_key="k", created_at=now, **times
    )
    queue, _ = Queue.objects.get_or_create(name="default")
    for number in range(3):
        key = f"job Report (factor={{{{factor}}}}, since={{{{previous_slot}}}}, until={{{{slot}}}}) {'x' * 40}{number}"
        task = Task.objects.create(
            run=run, key=key, queue=queue, status="completed", warnings=1, workload="job", message="One. " * 20,
            arguments={"until": "2026-11-28T15:15:14.744287+00:00"}, rows_total=1000, rows_done=900, **times,
        )  # fmt: skip
        Attempt.objects.create(
            task=task, number=1, worker="work@warehouse-02:8902", outcome="completed", claimed_at=now,
            heartbeat_at=now, finished_at=now, message="One. " * 20, token=uuid4(),
        )  # fmt: skip
    steward.visit(f"scheduling/run/{run.pk}/change/")
    frames = "[...document.querySelectorAll('.sheet-frame')].map(each => each.scrollWidth - each.clientWidth)"
    for width in (1360, 320):
        steward.page.set_viewport_size({"width": width, "height": 900})
        assert [cut for cut in steward.page.evaluate(frames) if cut > 1] == [], width
