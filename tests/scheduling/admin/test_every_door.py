"""Promise: every address of the admin, for every role and method, lets through whom it should and nobody else."""

import re
from datetime import date, timedelta
from uuid import uuid4

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client

from scheduling import clock
from scheduling.admin.calendars.holidays import _signed
from scheduling.models import (
    Alert,
    AlertChannel,
    Attempt,
    Backfill,
    BlackoutCalendar,
    Heartbeat,
    Job,
    JobSchedule,
    Plan,
    Queue,
    RetentionPolicy,
    Run,
    SavedFilter,
    SchedulerConfiguration,
    SchedulerState,
    SqlScript,
    Task,
)
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from scheduling.runs.by_hand import start_batch_now
from scheduling.schedules.drafts import PeriodDraft
from staging import tokens
from staging.models import AuditEntry, Batch, BusinessRule, Version
from tests.depth import some
from tests.scheduling.admin.addresses import OURS, SCHEDULING, filled
from tests.scheduling.admin.conftest import client_for, failure_rule, make_configuration, make_event
from tests.scheduling.plans.conftest import step

pytestmark = pytest.mark.django_db

# Two of the others in a quick check; no page of ours answers the last three.
METHODS = ["get", "post", *some(["head", "options", "put", "delete", "patch"], one_in=3)]
ROLES = ("anonymous", "nobody", "Viewer", "Operator", "Steward", "Administrator", "superuser")
VIEWERS = {"Viewer", "Operator", "Steward", "Administrator", "superuser"}
OPERATORS = VIEWERS - {"Viewer"}
STEWARDS = OPERATORS - {"Operator"}
ADMINISTRATORS = STEWARDS - {"Steward"}
NOBODY: set[str] = set()

_READ_ONLY = {"changelist": (VIEWERS, NOBODY), "add": (NOBODY, NOBODY), "delete": (NOBODY, NOBODY)}
# Page of scheduling -> (who may GET it, who may change something by POST).
DOORS: dict[str, dict[str, tuple[set[str], set[str]]]] = {
    "schedulerconfiguration": {
        "changelist": (VIEWERS, OPERATORS), "add": (NOBODY, NOBODY), "delete": (NOBODY, NOBODY),
        "change": (VIEWERS, STEWARDS), "history": (VIEWERS, NOBODY), "test_run": (OPERATORS, NOBODY),
        "process": (OPERATORS, OPERATORS), "preview": (NOBODY, NOBODY),
        "undo": (STEWARDS, NOBODY), "why_not": (VIEWERS, NOBODY), "forecast": (VIEWERS, NOBODY),
        "pause": (OPERATORS, OPERATORS), "resume": (NOBODY, OPERATORS), "dependencies": (VIEWERS, STEWARDS),
        "rows_preview": (VIEWERS, VIEWERS), "held": (VIEWERS, VIEWERS), "decide": (NOBODY, STEWARDS),
        "home": (VIEWERS, NOBODY), "overdue": (VIEWERS, NOBODY), "paused": (VIEWERS, NOBODY),
        "unsent": (VIEWERS, NOBODY), "times": (VIEWERS, VIEWERS), "switch_times": (NOBODY, VIEWERS),
        "switch_language": (NOBODY, VIEWERS), "search": (VIEWERS, NOBODY), "search_options": (VIEWERS, NOBODY),
        "keys": (VIEWERS, VIEWERS), "help": (VIEWERS, NOBODY), "chosen": (NOBODY, NOBODY),
        "rejected": (VIEWERS, NOBODY), "dismiss_first_steps": (NOBODY, VIEWERS),
        "pause_everything": (OPERATORS, OPERATORS), "resume_everything": (NOBODY, OPERATORS),
    },
    "blackoutcalendar": {
        "changelist": (VIEWERS, STEWARDS), "add": (STEWARDS, STEWARDS), "delete": (STEWARDS, STEWARDS),
        "change": (VIEWERS, STEWARDS), "history": (VIEWERS, NOBODY), "import": (STEWARDS, STEWARDS),
    },
    "plan": {
        "changelist": (VIEWERS, OPERATORS), "add": (STEWARDS, STEWARDS), "delete": (NOBODY, NOBODY),
        "change": (VIEWERS, STEWARDS), "history": (VIEWERS, NOBODY), "run": (OPERATORS, OPERATORS),
        "pause": (OPERATORS, OPERATORS), "resume": (NOBODY, OPERATORS), "why_not": (VIEWERS, NOBODY),
        "preview": (NOBODY, NOBODY), "preview_new": (NOBODY, NOBODY), "chosen": (NOBODY, NOBODY),
        "backfill": (OPERATORS, OPERATORS), "backfill_shown": (VIEWERS, NOBODY), "backfill_cancel": (NOBODY, OPERATORS),
    },
    "sqlscript": {
        "changelist": (VIEWERS, NOBODY), "add": (ADMINISTRATORS, ADMINISTRATORS), "delete": (NOBODY, NOBODY),
        "change": (VIEWERS, ADMINISTRATORS), "history": (VIEWERS, NOBODY),
    },
    "job": {**_READ_ONLY, "change": (VIEWERS, STEWARDS), "history": (VIEWERS, NOBODY), "runs": (VIEWERS, NOBODY),
            "run": (OPERATORS, OPERATORS), "changelist": (VIEWERS, OPERATORS), "pause": (OPERATORS, OPERATORS),
            "resume": (NOBODY, OPERATORS), "chosen": (NOBODY, NOBODY)},
    "jobschedule": {**_READ_ONLY, "changelist": (VIEWERS, STEWARDS), "change": (VIEWERS, STEWARDS),
                    "history": (VIEWERS, NOBODY), "pause": (OPERATORS, OPERATORS), "resume": (NOBODY, OPERATORS),
                    "why_not": (VIEWERS, NOBODY), "chosen": (NOBODY, NOBODY), "backfill": (OPERATORS, OPERATORS),
                    "backfill_shown": (NOBODY, NOBODY), "backfill_cancel": (NOBODY, NOBODY)},
    "schedulerlog": {**_READ_ONLY, "change": (VIEWERS, NOBODY), "history": (VIEWERS, NOBODY),
                     "export": (NOBODY, OPERATORS), "filters": (VIEWERS, NOBODY), "save_filter": (NOBODY, VIEWERS),
                     "delete_filter": (NOBODY, OPERATORS)},
    "run": {**_READ_ONLY, "change": (VIEWERS, NOBODY), "history": (VIEWERS, NOBODY), "fragment": (VIEWERS, NOBODY),
            "times": (VIEWERS, NOBODY), "order": (VIEWERS, NOBODY), "of_task": (VIEWERS, NOBODY),
            "compare": (VIEWERS, NOBODY), "compared": (VIEWERS, NOBODY),
            "cancel": (OPERATORS, OPERATORS), "cancel_everything": (OPERATORS, OPERATORS),
            "restart": (OPERATORS, OPERATORS), "retry": (OPERATORS, OPERATORS), "release": (OPERATORS, OPERATORS),
            "step": (OPERATORS, OPERATORS), "choose": (NOBODY, OPERATORS), "chosen": (NOBODY, NOBODY)},
    "heartbeat": {**_READ_ONLY, "change": (VIEWERS, NOBODY), "history": (VIEWERS, NOBODY),
                  "doctor": (ADMINISTRATORS, NOBODY)},
    "queue": {**_READ_ONLY, "add": (ADMINISTRATORS, ADMINISTRATORS), "change": (VIEWERS, ADMINISTRATORS),
              "history": (VIEWERS, NOBODY), "pause": (OPERATORS, OPERATORS), "resume": (NOBODY, OPERATORS)},
    "alert": {**_READ_ONLY, "change": (VIEWERS, NOBODY), "history": (VIEWERS, NOBODY),
              **dict.fromkeys(("chosen", "acknowledge", "hand_back", "snooze"), (NOBODY, OPERATORS))},
    "alertrule": {"changelist": (VIEWERS, STEWARDS), "add": (STEWARDS, STEWARDS), "delete": (STEWARDS, STEWARDS),
                  "change": (VIEWERS, STEWARDS), "history": (VIEWERS, NOBODY)},
    "alertchannel": {"changelist": (ADMINISTRATORS, ADMINISTRATORS), "add": (ADMINISTRATORS, ADMINISTRATORS),
                     "delete": (ADMINISTRATORS, ADMINISTRATORS), "change": (ADMINISTRATORS, ADMINISTRATORS),
                     "history": (ADMINISTRATORS, NOBODY), "test": (NOBODY, ADMINISTRATORS)},
    "retentionpolicy": {**_READ_ONLY, "change": (VIEWERS, ADMINISTRATORS), "history": (VIEWERS, NOBODY)},
}  # fmt: skip

# What a person would post to change something at this door; the other doors get a plain "yes".
_PERIODS = {"periods-TOTAL_FORMS": "1", "periods-INITIAL_FORMS": "0", "periods-0-kind": "weekly",
            "periods-0-run_days": ["sat", "sun"]}  # fmt: skip
_STEPS = {"steps-TOTAL_FORMS": "0", "steps-INITIAL_FORMS": "0"}
_PLAN = {"order": "hierarchy", "overlap": "skip", "timezone": "UTC", "is_enabled": "on", **_STEPS}
_RANGE = {"since": "2026-01-01T00:00", "until": "2026-01-03T00:00", "how": "in_order", "stops": "on"}
_CHANNEL = {"kind": "email", "addresses": "a@example.com", "digest": "at_once", "timezone": "UTC"}
FORMS = {
    "alert_acknowledge": {"comment": "the disk"},
    "alert_chosen": {"comment": "the disk", "verb": "acknowledge", "all": "1"},
    "alert_snooze": {"time": "1h"},
    **{key: {"name": "Other", "condition": "failed"} for key in ("alertrule_add", "alertrule_change")},
    "alertrule_changelist": {"action": "delete_selected", "index": "0", "select_across": "1"},
    "alertchannel_add": {"name": "Other", **_CHANNEL},
    "alertchannel_change": {"name": "Other", **_CHANNEL},
    "alertchannel_changelist": {"action": "delete_selected", "index": "0", "select_across": "1"},
    "plan_add": {"name": "Other", **_PLAN},
    "plan_change": {"name": "Daily", **_PLAN},
    "plan_pause": {"pause_reason": "Audit"}, "jobschedule_pause": {"pause_reason": "Audit"},
    "plan_backfill": _RANGE, "jobschedule_backfill": _RANGE,
    "plan_changelist": {"action": "pause_selected", "confirmed": "yes", "pause_reason": "Audit", "index": "0"},
    "sqlscript_add": {"name": "Other", "sql": "SELECT 1", "timeout_seconds": "5"},
    "sqlscript_change": {"name": "Other", "sql": "SELECT 1", "timeout_seconds": "5"},
    "schedulerconfiguration_dependencies": {"depends_on": ["branch"]},
    "blackoutcalendar_add": {"name": "Other", "timezone": "UTC", "policy": "skip", **_PERIODS},
    "blackoutcalendar_change": {"name": "Other", "timezone": "UTC", "policy": "roll", **_PERIODS},
    "blackoutcalendar_changelist": {"action": "delete_selected", "index": "0", "select_across": "1"},
    "schedulerconfiguration_change": {"processing_mode": "triggered", "trigger_row_threshold": "7", "is_enabled": "on"},
    "schedulerconfiguration_times": {"timezone": "Asia/Tokyo", "times_shown": "mine"},
    "schedulerconfiguration_switch_times": {"times_shown": "utc"},
    "schedulerconfiguration_switch_language": {"language": "nl"},
    "schedulerlog_delete_filter": {"number": "777"},
    "schedulerlog_save_filter": {"name": "Errors", "query": "?event_type=error"},
    "schedulerconfiguration_pause": {"pause_reason": "Audit"},
    "schedulerconfiguration_pause_everything": {"pause_reason": "Audit"},
    "schedulerconfiguration_held": {"batch": "777"},
    "schedulerconfiguration_decide": {"batch": "777", "verb": "discard", "scope": "all", "confirmed": "yes"},
    "run_choose": {"verb": "cancel_runs", "all": "1"},
    "run_restart": {"what": "all", "manifest": "was"},
    "run_retry": {"task": "777"},
    "run_step": {"task": "777", "verb": "skip"},
    "run_release": {"task": "777"},
    "queue_pause": {"pause_reason": "Audit"},
    "queue_add": {"name": "night", "max_running": "2"},
    "queue_change": {"max_running": "9"},
    "job_change": {"attempts": "9", "retry_interval_seconds": "9"},
    "jobschedule_change": {"jitter_seconds": "9", "is_enabled": "on"},
    "job_pause": {"pause_reason": "Audit"},
    "job_changelist": {"action": "pause_selected", "confirmed": "yes", "pause_reason": "Audit", "index": "0"},
    "jobschedule_changelist": {"action": "switch_off", "confirmed": "yes", "index": "0", "select_across": "1"},
    "retentionpolicy_change": {"log_days": "5", "processed_rows_days": "5", "history_days": "5", "runs_days": "5",
                               "audit_days": "5"},
    "schedulerconfiguration_changelist": {"action": "process_selected", "confirmed": "yes", "index": "0",
                                          "select_across": "1"},
}  # fmt: skip


def hold_a_batch() -> None:
    """A batch that waits for a decision."""
    entity = SchedulerConfiguration.objects.get(entity__code="customer").entity
    Batch.objects.create(pk=777, entity=entity, status="held", hold_reason="Every batch waits.", created_at=clock.now())


def end_the_run() -> None:
    """The run of everything has failed, and its entity is free."""
    Run.objects.update(status="failed", started_at=clock.now(), finished_at=clock.now())
    SchedulerConfiguration.objects.update(is_running=False, run_started_at=None, running_task=None)


def fail_a_step() -> None:
    """A step of the live run has failed."""
    run = Run.objects.get()
    Task.objects.create(pk=777, run=run, key="second", workload="batch", entity=run.entity, target_id=run.entity_id,
                        queue=Queue.objects.get(), status="failed", attempts_made=1,
                        finished_at=clock.now())  # fmt: skip


def run_a_step() -> None:
    """A step of the live run has a worker."""
    now, run = clock.now(), Run.objects.get()
    task = Task.objects.create(pk=777, run=run, key="second", workload="batch", entity=run.entity,
                               target_id=run.entity_id, queue=Queue.objects.get(), status="running",
                               attempts_made=1)  # fmt: skip
    Attempt.objects.create(task=task, number=1, worker="w", token=uuid4(), claimed_at=now, heartbeat_at=now)


def share_a_filter() -> None:
    """Somebody shares a filter of the log."""
    owner = User.objects.get(username="owner")
    SavedFilter.objects.create(pk=777, owner=owner, name="Errors", is_shared=True)


# What must hold before a door can change something.
BEFORE = {
    "alert_hand_back": lambda: Alert.objects.update(acknowledged_at=clock.now(), acknowledged_by="ann"),
    "job_resume": lambda: Job.objects.update(paused_at=clock.now()),
    "jobschedule_resume": lambda: JobSchedule.objects.update(paused_at=clock.now()),
    "schedulerlog_delete_filter": share_a_filter,
    "run_restart": end_the_run,
    "run_retry": fail_a_step,
    "run_step": fail_a_step,
    "run_release": run_a_step,
    "queue_resume": lambda: Queue.objects.update(paused_at=clock.now()),
    "plan_backfill": lambda: Backfill.objects.all().delete(),
    "plan_resume": lambda: Plan.objects.update(paused_at=clock.now()),
    "schedulerconfiguration_held": hold_a_batch,
    "schedulerconfiguration_decide": hold_a_batch,
    "schedulerconfiguration_resume": lambda: SchedulerConfiguration.objects.update(paused_at=clock.now()),
    "schedulerconfiguration_resume_everything": lambda: SchedulerState.objects.create(pk=1, paused_at=clock.now()),
}


@pytest.fixture
def things() -> dict[str, int]:
    """One of everything, with its key by model name."""
    configuration = make_configuration("customer")
    started = start_batch_now(make_configuration("branch"), started_by="someone", now=clock.now())
    job = Job.objects.create(name="Report", path="shop.jobs.report", source="shop/jobs.py:1")
    schedule = JobSchedule.objects.create(job=job, name="Daily_07_00", schedule_type="daily", run_times="07:00")
    heartbeat = Heartbeat.objects.create(name="w1", kind="worker", started_at=clock.now(), seen_at=clock.now())
    now, nightly = clock.now(), {"schedule_type": "daily", "run_times": "07:00"}
    plan = save_plan(PlanDraft(Plan(name="Nightly"), nightly, [step(configuration.entity)]), now=now)
    script = SqlScript.objects.create(name="Refresh", sql="SELECT 1")
    rule = BusinessRule.objects.create(entity=configuration.entity, name="Named", is_cancelled=True)
    owner = User.objects.create(username="owner", is_superuser=True)
    token, _ = tokens.issue(owner, name="loader", scopes=["read"], entities=None, by="someone")
    alert = Alert.objects.create(rule=failure_rule(), subject="x", entity=configuration.entity,
                                 said={"say": "Wrong."}, opened_at=clock.now())  # fmt: skip
    channel = AlertChannel.objects.create(name="Night", addresses="a@example.com")
    return {
        "alert": alert.pk, "alertrule": alert.rule_id, "alertchannel": channel.pk,
        "plan": plan.pk, "sqlscript": script.pk, "businessrule": rule.pk,
        "backfill": Backfill.objects.create(plan=plan, since=now - timedelta(1), until=now, created_at=now).pk,
        "blackoutcalendar": BlackoutCalendar.objects.create(name="Holidays").pk,
        "schedulerconfiguration": configuration.pk, "entity": configuration.entity_id, "run": started.run.pk,
        "task": started.task.pk,
        "job": job.pk, "jobschedule": schedule.pk, "batch": started.batch.pk,
        "schedulerlog": make_event(entity=configuration.entity).pk,
        "version": Version.objects.latest("pk").pk,
        "auditentry": AuditEntry.objects.create(kind="exported").pk,
        "heartbeat": heartbeat.pk, "apitoken": token.pk,
        "queue": Queue.objects.get().pk, "retentionpolicy": RetentionPolicy.objects.get_or_create(pk=1)[0].pk,
    }  # fmt: skip


def door(name: str) -> tuple[set[str], set[str]]:
    """Return the table's row of an address."""
    model, page = name.removeprefix("scheduling_").split("_", 1)
    return DOORS[model][page]


def state() -> dict[str, list]:
    """Return all rows of both apps, as the database holds them: it is asked for hundreds of times.

    The audit tells who took data away, which is no change.
    """
    models = [model for app in ("staging", "scheduling") for model in apps.get_app_config(app).get_models()]
    models.remove(AuditEntry)
    with connection.cursor() as cursor:
        found = {}
        for model in models:
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}" ORDER BY "{model._meta.pk.column}"')
            found[model.__name__] = cursor.fetchall()
        return found


def refused(response) -> bool:
    return response.status_code in (403, 404, 405) or (
        response.status_code == 302 and response.headers["Location"].startswith("/admin/login/")
    )


def data_for(name: str, things: dict[str, int]) -> dict[str, object]:
    key = name.removeprefix("scheduling_")
    extra = (
        {"_selected_action": [things[key.removeprefix("staging_").split("_")[0]]]} if key.endswith("changelist") else {}
    )
    if key == "blackoutcalendar_import":
        calendar = BlackoutCalendar.objects.get(pk=things["blackoutcalendar"])
        extra = {"drafts": _signed(calendar, [PeriodDraft(first_day=date(2026, 12, 25))], "holidays.csv")}
    return {"post": "yes", **FORMS.get(key, {}), **extra}


def test_every_address_of_scheduling_has_its_row_in_the_table():
    expected = {f"scheduling_{model}_{page}" for model, pages in DOORS.items() for page in pages}
    assert {name for _, name in SCHEDULING} == expected


@pytest.mark.parametrize("role", some(ROLES, one_in=2))
def test_get_shows_only_what_the_role_may_see_and_changes_nothing(role, things):
    fail_a_step()
    client, before, wrong = client_for(role), state(), {}
    for pattern, name in SCHEDULING:
        response = client.get(filled(pattern, things), {"task": 777})
        if refused(response) is not (role not in door(name)[0]):
            wrong[name] = response.status_code
    assert wrong == {}
    assert state() == before


@pytest.mark.parametrize("role", some(ROLES, one_in=2))
def test_post_changes_something_only_for_the_roles_that_may(role, things):
    client, wrong = client_for(role), {}
    for pattern, name in SCHEDULING:
        with transaction.atomic():
            BEFORE.get(name.removeprefix("scheduling_"), lambda: None)()
            before = state()
            response = client.post(filled(pattern, things), data_for(name, things))
            if (state() != before) is not (role in door(name)[1]):
                wrong[name] = response.status_code
            transaction.set_rollback(True)
    assert wrong == {}


@pytest.mark.parametrize("role", ["anonymous", "nobody"])
@pytest.mark.parametrize("method", METHODS)
def test_without_a_role_no_address_of_ours_answers(role, method, things):
    client, before = client_for(role), state()
    for pattern, name in OURS:
        response = getattr(client, method)(filled(pattern, things))
        led_on = response.status_code == 302 and not name  # the bare number leads to the form, which refuses
        assert refused(response) or led_on, (pattern, response.status_code)
    assert state() == before


@pytest.mark.parametrize("method", ["head", "options"])
@pytest.mark.parametrize("role", ["Viewer", "Operator", "Steward"])
def test_head_and_options_open_nothing_that_get_keeps_shut(role, method, things):
    client, before = client_for(role), state()
    shut = [pattern for pattern, name in SCHEDULING if role not in door(name)[0]]
    answers = {pattern: getattr(client, method)(filled(pattern, things), {"task": 777}) for pattern in shut}
    assert {pattern: each.status_code for pattern, each in answers.items() if not refused(each)} == {}
    assert shut and state() == before


def test_a_page_leads_to_a_history_only_where_there_is_one(things):
    client, led = client_for("superuser"), set()
    for pattern, name in OURS:
        if name.endswith("_change") and b"historylink" in client.get(filled(pattern, things)).content:
            led.add(name.split("_")[1])
            history = client.get(filled(pattern, things).replace("/change/", "/history/"))
            assert b"Versions, newest first" in history.content or b"Nothing was changed since" in history.content, name
    assert {"plan", "alertrule", "alertchannel"} <= led and not {"alert", "auditentry", "apitoken", "run"} & led


@pytest.mark.parametrize("method", METHODS)
def test_a_viewer_changes_nothing_at_any_address(method, things):
    client, before = client_for("Viewer"), state()
    for pattern, name in OURS:
        response = getattr(client, method)(filled(pattern, things), data_for(name, things) if method == "post" else {})
        assert response.status_code < 500
    # A preview that is kept for two hours, an own filter and own choices are all that a viewer leaves behind.
    own = {"KeptPreview": [], "SavedFilter": [], "PersonalChoices": []}
    assert {**state(), **own} == {**before, **own}


def test_every_action_names_its_permission(rf):
    for model, model_admin in admin.site._registry.items():
        if model._meta.app_label not in ("staging", "scheduling"):
            continue
        for action in model_admin.actions or ():
            function = getattr(model_admin, action) if isinstance(action, str) else action
            assert getattr(function, "allowed_permissions", None), f"{action} of {model.__name__} would run for viewers"


@pytest.mark.parametrize(("path", "data"), [("process", {}), ("change", {"processing_mode": "manual"})])
def test_a_post_without_its_csrf_token_is_refused(path, data, things):
    client = client_for("superuser")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    before = state()
    url = f"/admin/scheduling/schedulerconfiguration/{things['schedulerconfiguration']}/{path}/"
    assert strict.post(url, data).status_code == 403
    assert strict.post(f"/admin/scheduling/run/{Run.objects.get().pk}/cancel/").status_code == 403
    assert state() == before and Batch.objects.count() == 1


@pytest.mark.parametrize("key", some(["0", "x", "-1", "9" * 40, "1%00", "%27"], one_in=2))
def test_a_key_that_is_none_is_never_a_traceback(key, superuser):
    for pattern, _ in OURS:
        response = superuser.get(re.sub(r"<[^>]+>", key, pattern))
        assert response.status_code < 500, pattern
