"""The one list of changes: of each kind of thing that has versions, through each door that it has, one change.

An act does it; `told` says of which kinds it is a change, and a line of each, old → new, as the history tells it. They
follow each other in one world. A change that adds a thing, or ends one, says so in place of a line.
"""

import re
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import Group, Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import transaction

from scheduling.housekeeping.roles import set_role
from scheduling.jobs.declare import daily
from scheduling.jobs.edit import edit_job, edit_schedule
from scheduling.model_files.load import load
from scheduling.models import (
    AlertChannel,
    AlertRule,
    BlackoutCalendar,
    BlackoutPeriod,
    EntityDependency,
    Job,
    JobSchedule,
    Plan,
    PlanAfter,
    PlanStep,
    Queue,
    RetentionPolicy,
    SchedulerConfiguration,
    SqlScript,
)
from scheduling.schedules.change import apply_schedule
from staging.models import Attribute, BusinessRule, Entity, GroupRole, RuleLine
from tests.scheduling.conftest import NOW
from tests.scheduling.payloads.reading import Page
from tests.scheduling.subjects.acts import (
    Act,
    Hand,
    api,
    bulk,
    by_api,
    by_command,
    code,
    deleted,
    file,
    page,
    posted,
    saved,
)

ADDED = "added"
DAILY = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": ["06:00"]}
FIRST: dict[str, Any] = {
    "version": 1,
    "calendars": [{"name": "Feasts", "periods": [{"kind": "days", "first_day": "2027-01-10"}]}],
    "entities": [
        {"code": "area", "name": "Area"},
        {"code": "shed", "name": "Shed"},
        {"code": "shop", "name": "Shop", "schedule": DAILY, "attributes": [{"name": "staff", "type": "integer"}],
         "rules": [{"name": "Some", "must": {"attribute": "staff", "at_least": "1"}}]},
    ],
    "queues": [{"name": "slow", "max_running": 1}],
    "scripts": [{"name": "Tidy", "sql": "select 1"}],
    "plans": [{"name": "Nightly", "order": "steps", "steps": [{"entity": "area"}, {"entity": "shop"}]}],
}  # fmt: skip


def world(make_job: Any) -> None:
    """Make one of each kind of thing."""
    load(FIRST, now=NOW)
    make_job("Report", daily("06:00"))
    AlertRule.objects.create(name="Mine", condition="failed")
    AlertChannel.objects.create(name="Night", addresses="a@example.com")
    set_role(Group.objects.create(name="Night shift"), "Operator", None)
    User.objects.create_user("ann")
    RetentionPolicy.objects.get_or_create(pk=1)


def _attribute(hand: Hand, address: str) -> dict[str, Any]:
    form = max(Page(hand.client.get(address).content.decode()).forms, key=lambda each: len(each.fields))
    return {**form.sent(name="people"), "confirmed": "yes"}


def _proposed(hand: Hand, address: str) -> dict[str, Any]:
    formset = hand.client.post(address, {"text": "floor\n"}).context["formset"]
    fields = [field for form in (formset.management_form, *formset) for field in form]
    sent = {field.html_name: field.value() for field in fields if field.value() not in (None, False)}
    return {**sent, "confirmed": "yes"}


def _holidays(hand: Hand, address: str) -> dict[str, Any]:
    feast = SimpleUploadedFile("feasts.csv", b"2027-02-01,,Candlemas\n")
    shown = hand.client.post(address, {"file": feast}).content.decode()
    found = re.search(r'name="drafts" value="([^"]+)"', shown)
    assert found
    return {"drafts": found[1]}


def _import(hand: Hand) -> None:
    path = hand.folder / "feasts.csv"
    path.write_text("2027-03-01,,Ash\n")
    call_command("import_calendar", "Feasts", str(path), "--reason", hand.reason)


def _set(name: str, things: Callable[[], Any]) -> Callable[[Any], None]:
    return lambda row: getattr(row, name).set(things())


def _permissions() -> list[Permission]:
    return [Permission.objects.get(codename="view_queue")]


def _role(group: Group) -> None:
    saved(role="Operator")(GroupRole.objects.get(group=group))


@transaction.atomic
def _entities_of_role(group: Group) -> None:
    role = GroupRole.objects.get(group=group)
    saved(all_entities=False)(role)
    role.entities.set(Entity.objects.filter(code="area"))


def _permitted(group: Group) -> None:
    set_role(group, "", None)
    group.permissions.set([])
    group.permissions.set(_permissions())


def _floor(entity: Entity) -> None:
    saved(required=True)(entity.attributes.get(name="floor"))


def _period(calendar: BlackoutCalendar) -> None:
    saved(note="By code")(calendar.periods.order_by("pk")[0])


def _line(rule: BusinessRule) -> None:
    saved(value="7")(rule.lines.get())


def _step(plan: Plan) -> None:
    saved(priority=9)(PlanStep.objects.get(plan=plan, entity__code="area"))


def _order(plan: Plan) -> None:
    steps = {step.entity.code: step for step in PlanStep.objects.filter(plan=plan) if step.entity}
    steps["shop"].depends_on.set([steps["area"]])


_FILE: dict[type, str] = {
    Entity: "Name: Shops → By file", BusinessRule: "Message: On the page → By file", Plan: "Step area, Priority: 3 → 4",
    SchedulerConfiguration: "At: 07:00 → 08:00", BlackoutCalendar: "Description: On the page → By file",
    Queue: "At most so many at once: 2 → 3", SqlScript: "SQL: select 2 → select 3",
}  # fmt: skip
_MODEL: dict[type, str] = {
    Entity: "Name: By file → By API", BusinessRule: "Message: By file → By API", Plan: "Step area, Priority: 4 → 5",
    SchedulerConfiguration: "At: 08:00 → 09:00", BlackoutCalendar: "Description: By file → By API",
    Queue: "At most so many at once: 3 → 4", SqlScript: "SQL: select 3 → select 4",
}  # fmt: skip

# fmt: off
ACTS = (
    page(Entity, "Name: Shop → Shops; Attribute staff, Required: no → yes", Attribute,
         **{"name": "Shops", "attributes-0-required": "on"}),
    page(BusinessRule, "Message: blank → On the page; Must: staff is at least ‘1’ → staff is at least ‘2’", RuleLine,
         **{"message": "On the page", "lines-0-value": "2"}),
    page(SchedulerConfiguration, "At: 06:00 → 07:00", run_times="07:00"),
    page(Plan, "Description: blank → All of it; Step area, Priority: 0 → 3", PlanStep,
         **{"description": "All of it", "steps-0-priority": "3"}),
    page(BlackoutCalendar, "Description: blank → On the page; Period days, 2027-01-10, Long: added", BlackoutPeriod,
         **{"description": "On the page", "periods-0-note": "Long"}),
    page(Job, "Attempts: 1 → 2", attempts="2"),
    page(JobSchedule, "Starts up to so much later (seconds): 0 → 5", jitter_seconds="5"),
    page(Queue, "At most so many at once: 1 → 2", max_running="2"),
    page(SqlScript, "SQL: select 1 → select 2", sql="select 2"),
    page(AlertRule, "How many: blank → 3", number="3"),
    page(AlertChannel, "Addresses: a@example.com → b@example.com", addresses="b@example.com"),
    page(Group, "What its people do: Operator: look, start, stop, pause, upload → Viewer: look", role="Viewer"),
    page(User, "Staff status: no → yes", is_staff="on"),
    page(RetentionPolicy, "Log days: 30 → 40", log_days="40"),
    posted("staging_attribute", Entity, "Attribute people, Name: staff → people", _attribute, "staff"),
    posted("staging_attributes_propose", Entity, "Attribute floor: added", _proposed),
    posted(
        "scheduling_schedulerconfiguration_dependencies",
        SchedulerConfiguration,
        "Its batches come after those of: blank → area",
        lambda *_: {"depends_on": ["area"]},
    ),
    posted(
        "scheduling_blackoutcalendar_import", BlackoutCalendar, "Period days, 2027-02-01, Candlemas: added", _holidays
    ),
    bulk("disable_selected", SchedulerConfiguration, "Enabled: yes → no"),
    bulk("enable_selected", SchedulerConfiguration, "Enabled: no → yes"),
    bulk("switch_off", JobSchedule, "Enabled: yes → no"),
    bulk("switch_on", JobSchedule, "Enabled: no → yes"),
    file("file", _FILE, by_command, "By file", 3),
    file("api PUT model", _MODEL, by_api, "By API", 4),
    api("PATCH", "entities/<str:code>", {"name": "Patched"}, Entity, "Name: By API → Patched"),
    api("PUT", "entities/<str:code>", {"name": "Put"}, Entity, "Name: Patched → Put"),
    api("PATCH", "entities/<str:code>/schedule", {"run_times": ["10:00"]}, SchedulerConfiguration, "At: 09:00 → 10:00"),
    api(
        "PUT",
        "entities/<str:code>/schedule",
        {**DAILY, "run_times": ["11:00"]},
        SchedulerConfiguration,
        "At: 10:00 → 11:00",
    ),
    api("POST", "entities", {"code": "depot", "name": "Depot"}, Entity, ADDED),
    Act(("command import_calendar",), _import, {BlackoutCalendar: "Period days, 2027-03-01, Ash: added"}),
    code(Entity, "Name: Put → By code", saved(name="By code")),
    code(
        Entity,
        "Attribute floor, Required: no → yes",
        lambda row: saved(required=True)(row.attributes.get(name="floor")),
        Attribute,
    ),
    code(BusinessRule, "Position: 0 → 5", saved(position=5)),
    code(BusinessRule, "Must: people is at least ‘2’ → people is at least ‘7’", _line, RuleLine),
    code(SchedulerConfiguration, "At: 11:00 → 12:00", lambda row: apply_schedule(row, {"run_times": "12:00"}, now=NOW)),
    code(
        SchedulerConfiguration,
        "Its batches come after those of: area → blank",
        lambda row: row.entity.dependencies.get().delete(),
        EntityDependency,
    ),
    code(Plan, "Description: All of it → By code", saved(description="By code")),
    code(Plan, "Step area, Priority: 5 → 9", _step, PlanStep),
    code(Plan, "Step shop, Only after: blank → area", _order, PlanStep.depends_on.through),
    code(
        Plan,
        "Runs after entities: blank → area",
        lambda row: PlanAfter.objects.create(plan=row, entity=Entity.objects.get(code="area")),
        PlanAfter,
    ),
    code(BlackoutCalendar, "Description: By API → By code", saved(description="By code")),
    code(
        BlackoutCalendar,
        "Period days, 2027-01-10, By code: added",
        _period,
        BlackoutPeriod,
    ),
    code(Job, "Attempts: 2 → 3", lambda row: edit_job(row, {"attempts": 3})),
    code(
        JobSchedule,
        "Starts up to so much later (seconds): 5 → 6",
        lambda row: edit_schedule(row, {"jitter_seconds": 6}, now=NOW),
    ),
    code(Queue, "At most so many at once: 4 → 5", saved(max_running=5)),
    code(SqlScript, "May take (seconds): 300 → 60", saved(timeout_seconds=60)),
    code(AlertRule, "How many: 3 → 4", saved(number=4)),
    *(
        code(AlertRule, f"{words}: blank → {name}", _set(column, things), getattr(AlertRule, column).through)
        for column, words, name, things in (
            ("entities", "Entities", "area", lambda: Entity.objects.filter(code="area")),
            ("plans", "Plans", "Nightly", Plan.objects.all),
            ("jobs", "Jobs", "Report", Job.objects.all),
            ("channels", "Tell", "Night", AlertChannel.objects.all),
            ("escalate_to", "Tell then", "Night", AlertChannel.objects.all),
        )
    ),
    code(AlertChannel, "Addresses: b@example.com → c@example.com", saved(addresses="c@example.com")),
    code(
        AlertChannel,
        "People: blank → ann",
        _set("people", lambda: User.objects.filter(username="ann")),
        AlertChannel.people.through,
    ),
    code(
        AlertChannel,
        "Groups: blank → Night shift",
        _set("groups", lambda: Group.objects.filter(name="Night shift")),
        AlertChannel.groups.through,
    ),
    code(Group, "Name: Night shift → Late shift", saved(name="Late shift")),
    code(Group, "What its people do: Viewer: look → Operator: look, start, stop, pause, upload", _role, GroupRole),
    code(Group, "For which entities: all → area", _entities_of_role, GroupRole.entities.through),
    code(User, "Username: ann → anna", saved(username="anna")),
    code(
        User,
        "Groups: blank → Late shift",
        _set("groups", lambda: Group.objects.filter(name="Late shift")),
        User.groups.through,
    ),
    code(
        User,
        "Permissions one by one: blank → scheduling.view_queue",
        _set("user_permissions", _permissions),
        User.user_permissions.through,
    ),
    code(RetentionPolicy, "Log days: 40 → 50", saved(log_days=50)),
    code(Group, "Permissions one by one: blank → scheduling.view_queue", _permitted, Group.permissions.through),
    *map(deleted, (BusinessRule, AlertRule, AlertChannel, BlackoutCalendar, User, Group)),
    deleted(Entity, code="shed"),
)
# fmt: on
