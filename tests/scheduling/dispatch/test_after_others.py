"""Promise: a plan after others fires once when all of them completed since its own last run began; nothing is lost."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling.dispatch.cycle import run_cycle
from scheduling.dispatch.firing import start_late_runs
from scheduling.explanations.why_not import why_not
from scheduling.lifecycle.tasks import end_run
from scheduling.models import Plan, PlanAfter, Run, SchedulerConfiguration, SchedulerLog
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_batch_now, start_plans_now, start_undo
from scheduling.runs.restart import RunPart, restart_run
from scheduling.schedules.change import set_enabled
from scheduling.schedules.pause import pause, pause_everything, resume, resume_everything
from scheduling.states import RunStatus
from staging.entities.save import save_entity
from staging.models import Batch
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def entities(make_entity):
    """Entities with tables: what plans run, and one that is only waited for."""
    return {code: make_entity(code).entity for code in ("region", "branch", "till")}


@pytest.fixture
def morning(entities):
    return save_plan(PlanDraft(Plan(name="Morning"), {}, [step(entities["region"])]), now=NOW)


def after(others, entities, name="Report", **fields):
    """Return a plan after these, which processes tills."""
    draft = PlanDraft(Plan(name=name, **fields), {}, [step(entities["till"])], after=others)
    return save_plan(draft, now=NOW)


@pytest.fixture
def report(morning, entities):
    return after([morning, entities["branch"]], entities)


def at(minutes):
    return NOW + minutes * MINUTE


def completes(what, minutes):
    """Let a plan or an entity run, and complete at this minute."""
    if isinstance(what, Plan):
        run = start_plans_now([what.name], started_by="anna", now=at(minutes))
    else:
        configuration = SchedulerConfiguration.objects.select_related("entity").get(entity=what)
        run = start_batch_now(configuration, started_by="anna", now=at(minutes)).run
    work_off(at(minutes))
    run.refresh_from_db()
    assert run.status == RunStatus.COMPLETED
    return run


def fired(minutes):
    """Run a cycle, and let what fired run; return what fired."""
    found = run_cycle(at(minutes)).fired
    work_off(at(minutes))
    return found


def test_it_fires_once_when_all_of_them_completed_and_says_what_let_it(report, morning, entities):
    assert fired(1) == []
    completes(morning, 2)
    assert fired(3) == []
    completes(entities["branch"], 4)
    assert fired(5) == ["plan Report"]
    assert fired(6) == []
    run = Run.objects.get(title="Plan Report")
    assert run.trigger_source == "After plan Morning, entity branch" and run.scheduled_for is None
    event = SchedulerLog.objects.get(plan=report, event_type="fired")
    assert event.trigger_source == run.trigger_source and event.starter == "trigger"
    assert [gate["gate"] for gate in event.details["gates"]][-2:] == ["after:plan Morning", "after:entity branch"]
    assert "plan Morning: completed 2026-03-02 06:02:00 UTC." in event.message


def test_several_completions_between_two_runs_start_it_once(report, morning, entities):
    for minute in (2, 3, 4):
        completes(morning, minute)
        completes(entities["branch"], minute)
    assert fired(5) == ["plan Report"] and fired(6) == []
    completes(morning, 7)
    assert fired(8) == [], "the branch has to complete again, too"


def test_what_completed_before_it_was_saved_switched_on_or_resumed_starts_nothing(morning, entities):
    completes(morning, -3)
    report = after([morning], entities)
    assert fired(1) == []
    set_enabled(report, False, now=at(2))
    completes(morning, 3)
    assert fired(4) == []
    set_enabled(Plan.objects.get(pk=report.pk), True, now=at(5))
    assert fired(6) == []
    pause(Plan.objects.get(pk=report.pk), by="anna", reason="x", now=at(7))
    completes(morning, 8)
    assert fired(9) == []
    resume(Plan.objects.get(pk=report.pk), by="anna", now=at(10))
    assert fired(11) == []
    completes(morning, 12)
    assert fired(13) == ["plan Report"]


def test_a_pause_of_everything_holds_it_and_what_completed_meanwhile_starts_nothing(report, morning, entities):
    pause_everything(by="anna", reason="x", now=at(1))
    completes(morning, 2)
    completes(entities["branch"], 2)
    assert fired(3) == [] and start_late_runs(at(3)) == []
    resume_everything(by="anna", now=at(4))
    assert fired(5) == []


def test_a_change_of_what_it_runs_after_counts_from_then_and_another_change_does_not(report, morning, entities):
    completes(morning, 2)
    save_plan(PlanDraft(Plan.objects.get(pk=report.pk)), now=at(3))
    assert PlanAfter.objects.count() == 2
    completes(entities["branch"], 4)
    assert fired(5) == ["plan Report"]
    completes(morning, 6)
    save_plan(PlanDraft(Plan.objects.get(pk=report.pk), after=[morning]), now=at(7))
    assert fired(8) == []
    completes(morning, 9)
    assert fired(10) == ["plan Report"]


def test_a_run_by_hand_begins_with_what_completed_before_it(report, morning, entities):
    completes(morning, 2)
    completes(entities["branch"], 3)
    completes(report, 4)
    assert fired(5) == []
    completes(entities["branch"], 6)
    completes(morning, 7)
    assert fired(8) == ["plan Report"]


def test_what_completes_while_it_runs_starts_it_after_its_end(report, morning, entities):
    run = start_plans_now(["Report"], started_by="anna", now=at(1))
    for one in (morning, entities["branch"]):
        other = start_plans_now([one.name], started_by="anna", now=at(2)) if one == morning else None
        if other is None:
            batch = start_batch_now(SchedulerConfiguration.objects.get(entity=one), started_by="anna", now=at(2))
            other = batch.run
        assert other
    work_off_but(run, at(3))
    assert run_cycle(at(4)).skipped == ["plan Report"]
    assert run_cycle(at(5)).skipped == [], "that is told once"
    work_off(at(6))
    assert fired(7) == ["plan Report"] and fired(8) == []


def work_off_but(run, now):
    """Work off everything but this run."""
    from scheduling.models import Queue

    other = Queue.objects.create(name="apart", paused_at=now, paused_by="anna", pause_reason="x")
    default = run.tasks.get().queue
    run.tasks.update(queue=other)
    work_off(now)
    run.tasks.update(queue=default)


def test_the_running_one_is_cancelled_where_the_plan_says_so(morning, entities):
    report = after([morning], entities, overlap="cancel_running")
    run = start_plans_now(["Report"], started_by="anna", now=at(1))
    work_off_but_start(morning, run, at(2))
    assert run_cycle(at(3)).skipped == ["plan Report"]
    run.refresh_from_db()
    assert run.status == RunStatus.CANCELLED
    assert fired(4) == ["plan Report"]
    assert report.name == "Report"


def work_off_but_start(plan, run, now):
    start_plans_now([plan.name], started_by="anna", now=now)
    work_off_but(run, now)


def test_a_failed_a_cancelled_and_a_partial_run_do_not_count_and_a_restart_that_completes_does(morning, entities):
    save_plan(PlanDraft(Plan.objects.get(pk=morning.pk), {}, [step(entities["branch"], step_index=2)]), now=NOW)
    after([morning], entities)
    runs = []
    for minute, status in ((1, RunStatus.FAILED), (2, RunStatus.CANCELLED)):
        run = start_plans_now(["Morning"], started_by="anna", now=at(minute))
        run.tasks.update(status="failed", finished_at=at(minute))
        assert end_run(run.pk, status, now=at(minute))
        assert fired(minute + 0.5) == []
        runs.append(Run.objects.get(pk=run.pk))
    part = restart_run(runs[0], only_failed=False, part=RunPart(only="branch"), started_by="anna", now=at(4))
    work_off(at(4))
    part.refresh_from_db()
    assert (part.status, part.is_partial) == ("completed", True) and fired(5) == []
    restart_run(part, only_failed=False, started_by="anna", now=at(5.2))  # all of a part
    work_off(at(5.2))
    assert fired(5.5) == []
    restart_run(runs[0], only_failed=False, started_by="anna", now=at(6))
    work_off(at(6))
    assert fired(7) == ["plan Report"]


def test_a_batch_that_was_undone_does_not_count_nor_does_the_undo(entities, deposit):
    after([entities["branch"]], entities)
    entities["branch"].keep_history = True
    save_entity(entities["branch"], list(entities["branch"].attributes.all()))
    deposit("branch")
    batch = Batch.objects.get(task_id=completes(entities["branch"], 1).tasks.get().pk)
    start_undo(batch, by="anna", now=at(2))
    work_off(at(2))
    assert Batch.objects.filter(undoes=batch, status="completed").exists()
    assert fired(3) == []
    completes(entities["branch"], 4)
    assert fired(5) == ["plan Report"]


def test_a_batch_counts_in_whatever_run(entities, morning):
    after([entities["region"]], entities)
    completes(morning, 1)
    assert fired(2) == ["plan Report"]


def test_a_batch_counts_only_when_its_task_has_ended(entities):
    """A worker that dies between both starts the task again: that is one completion, not two."""
    report = after([entities["branch"]], entities)
    configuration = SchedulerConfiguration.objects.get(entity=entities["branch"])
    started = start_batch_now(configuration, started_by="anna", now=at(1))
    Batch.objects.filter(pk=started.batch.pk).update(status="completed", finished_at=at(1))
    assert fired_only(at(2)) == []
    started.task.__class__.objects.filter(pk=started.task.pk).update(status="completed", finished_at=at(1))
    assert fired_only(at(3)) == ["plan Report"]
    started.run.delete()
    PlanAfter.objects.filter(plan=report).update(used_at=None)
    Plan.objects.filter(pk=report.pk).update(is_running=False, run_started_at=None)
    assert fired_only(at(4)) == ["plan Report"], "retention takes the run away, and not that it completed"


def fired_only(now):
    return run_cycle(now).fired


def test_what_is_committed_after_the_look_starts_it_again_whatever_its_time(report, morning, entities):
    """The end of a run is dated before it is committed: a cycle between both must not lose it."""
    completes(morning, 2)
    completes(entities["branch"], 2)
    late = start_plans_now(["Morning"], started_by="anna", now=at(3))
    assert run_cycle(at(5)).fired == ["plan Report"]
    started = Run.objects.get(title="Plan Report")
    late.tasks.update(status="completed", finished_at=at(4))
    assert end_run(late.pk, RunStatus.COMPLETED, now=at(4))  # dated before that run began
    work_off(at(6))
    completes(entities["branch"], 6)
    assert fired(7) == ["plan Report"]
    assert started.created_at == at(5)


def test_two_that_complete_in_the_same_moment_as_its_run_begins_count_once_each(report, morning, entities):
    completes(morning, 2)
    completes(entities["branch"], 2)
    assert run_cycle(at(2)).fired == ["plan Report"]
    completes(morning, 2)  # also ends the run of the report
    assert fired(2) == []
    completes(entities["branch"], 3)
    assert fired(3) == ["plan Report"] and fired(3) == []


def test_it_starts_at_once_when_the_last_of_them_ends(report, morning, entities):
    completes(morning, 2)
    assert start_late_runs(at(2)) == []
    completes(entities["branch"], 3)
    assert start_late_runs(at(3)) == ["plan Report"]
    assert start_late_runs(at(3)) == [] and fired(4) == []


def test_a_failure_backs_off_and_nothing_is_tried_again_before_others_complete(report, morning, entities):
    completes(morning, 2)
    completes(entities["branch"], 2)
    assert run_cycle(at(3)).fired == ["plan Report"]
    run = Run.objects.get(title="Plan Report")
    run.tasks.update(status="failed", finished_at=at(3))
    end_run(run.pk, RunStatus.FAILED, now=at(3))
    assert fired(4) == [] and fired(200) == []
    completes(morning, 201)
    completes(entities["branch"], 201)
    assert fired(202) == ["plan Report"]


def test_a_plan_that_is_cancelled_or_retired_completes_no_more_and_says_so(report, morning, entities):
    morning.is_cancelled = True
    save_plan(PlanDraft(morning), now=at(1))
    answer = why_not(Plan.objects.get(pk=report.pk), now=at(2))
    text = answer.decision.gate("after:plan Morning").text
    assert text == "plan Morning: not since 2026-03-02 06:00:00 UTC; it is cancelled, and completes no more."
    assert answer.sentence == "After plan Morning and entity branch"
    assert not answer.decision.would_fire and "entity branch: not since" in answer.decision.reason


def test_why_not_lists_its_fires(report, morning, entities):
    completes(morning, 2)
    completes(entities["branch"], 2)
    fired(3)
    answer = why_not(Plan.objects.get(pk=report.pk), now=at(4))
    assert [slot.state for slot in answer.slots] == ["fired"]
    assert "After plan Morning, entity branch" in answer.slots[0].reason


def test_a_cycle_costs_nothing_more_for_what_waits(morning, entities):
    def count(now):
        with CaptureQueriesContext(connection) as asked:
            run_cycle(now)
        return len(asked)

    count(at(0))  # what is done once
    before = count(at(1))
    for number in range(5):
        after([morning, entities["branch"]], entities, name=f"Report {number}")
    assert count(at(2)) == before
