"""Promise: what names a thing by name has a version when that thing goes, or gets another name, by every door."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse

from scheduling.housekeeping.roles import set_role
from scheduling.jobs.declare import daily
from scheduling.jobs.edit import edit_job, edit_schedule
from scheduling.model_files.load import load
from scheduling.models import (
    AlertChannel,
    AlertRule,
    BlackoutCalendar,
    EntityDependency,
    JobSchedule,
    Plan,
    PlanStep,
    Queue,
    SchedulerConfiguration,
    SchedulerLog,
    SqlScript,
)
from scheduling.schedules.change import apply_schedule
from scheduling.subjects.all import ALL
from staging.entities.remove import remove_entity
from staging.models import GroupRole, Version
from staging.states import DoorKind
from staging.versions.subjects import mentions, subject_of
from tests.scheduling.admin.conftest import NOW, client_for, failure_rule, make_configuration
from tests.scheduling.subjects.test_doors import told

pytestmark = pytest.mark.django_db(transaction=True)
DONE = {"post": "yes", "change_reason": "Left"}


def changes(thing):
    """Return what its newest version says, and who made it; nothing of it may have come past all doors."""
    subject = subject_of(type(thing))
    found = Version.objects.filter(subject_type=subject.key, subject_id=thing.pk)
    assert not found.filter(door=DoorKind.BESIDE).exists()
    return told(thing)[1]


@pytest.fixture
def group(db):
    return Group.objects.create(name="Night")


def test_a_group_deleted_on_its_page_tells_who_lost_it(group):
    people = [User.objects.create_user(name) for name in ("ann", "bob")]
    group.user_set.set(people)
    assert client_for("superuser").post(reverse("admin:auth_group_delete", args=[group.pk]), DONE).status_code == 302
    for person in people:
        version, lines = told(person)
        assert lines == ["Groups: Night → blank"]
        assert (version.door, version.made_by, version.reason) == ("page", "superuser", "Left")


def test_groups_deleted_many_at_once_tell_it_too(group):
    other, person = Group.objects.create(name="Day"), User.objects.create_user("ann")
    person.groups.set([group, other])
    sent = {"action": "delete_selected", "_selected_action": [group.pk, other.pk], **DONE}
    client_for("superuser").post(reverse("admin:auth_group_changelist"), sent)
    assert not Group.objects.filter(pk__in=[group.pk, other.pk]).exists()
    assert changes(person) == ["Groups: Day, Night → blank"]


def test_a_set_is_cleared_set_and_left_from_both_sides(group):
    person = User.objects.create_user("ann")
    blank, full = "Groups: Night → blank", "Groups: blank → Night"
    permission = Permission.objects.get(codename="view_entity")
    for change, line in (
        (lambda: group.user_set.set([person]), full),
        (lambda: group.user_set.clear(), blank),
        (lambda: group.user_set.add(person), full),
        (lambda: group.user_set.remove(person), blank),
        (lambda: person.groups.set([group]), full),
        (lambda: person.groups.clear(), blank),
    ):
        change()
        assert changes(person) == [line]
    group.permissions.add(permission)
    permission.group_set.clear()
    assert changes(group) == ["Permissions one by one: staging.view_entity → blank"]
    channel, rule = AlertChannel.objects.create(name="Hook"), failure_rule()
    rule.channels.set([channel])
    getattr(channel, AlertRule.channels.rel.get_accessor_name()).clear()
    assert changes(rule) == ["Tell: Hook → blank"]


def test_a_step_that_others_wait_for_leaves_their_plan_told(db):
    plan, entity = Plan.objects.create(name="P"), make_configuration("one").entity
    first, second = (PlanStep.objects.create(plan=plan, step_index=n, entity=entity) for n in (1, 2))
    second.depends_on.add(first)
    assert subject_of(Plan).read(plan)["steps"][1]["depends_on"]
    getattr(first, PlanStep.depends_on.rel.get_accessor_name()).clear()
    assert any("Only after" in line for line in changes(plan))


def test_a_deleted_permission_and_account_are_told_where_they_stood(group):
    permission = Permission.objects.get(codename="view_entity")
    group.permissions.add(permission)
    person = User.objects.create_user("ann")
    person.user_permissions.add(permission)
    permission.delete()
    assert changes(group) == ["Permissions one by one: staging.view_entity → blank"] == changes(person)
    channel = AlertChannel.objects.create(name="Post", kind="email")
    channel.people.add(person)
    client_for("superuser").post(reverse("admin:auth_user_delete", args=[person.pk]), DONE)
    assert any(line.endswith("ann → blank") for line in changes(channel))


def test_a_deleted_or_renamed_owner_is_told_where_he_owned(make_job, group):
    person, job, entity = User.objects.create_user("ann"), make_job(), make_configuration("one").entity
    edit_job(job, {"owner": person})
    Plan.objects.create(name="P", owner_group=group)
    entity.owner = person
    entity.save()
    person.username = "anna"
    person.save()
    group.name = "Late"
    group.save(update_fields=["name"])
    assert changes(job) == ["Owner: ann → anna"] == changes(entity)
    assert changes(Plan.objects.get()) == ["Owning group: Night → Late"]
    person.delete()
    assert changes(job) == ["Owner: anna → blank"] == changes(entity)


def test_a_deleted_or_renamed_channel_is_told_in_its_rules(db):
    rule, channel = failure_rule(), AlertChannel.objects.create(name="Hook")
    rule.channels.add(channel)
    rule.escalate_to.add(channel)
    channel.name = "Phone"
    channel.save()
    assert changes(rule) == ["Tell: Hook → Phone", "Tell then: Hook → Phone"]
    client_for("superuser").post(reverse("admin:scheduling_alertchannel_delete", args=[channel.pk]), DONE)
    assert changes(rule) == ["Tell: Phone → blank", "Tell then: Phone → blank"]


def test_channels_deleted_many_at_once_are_one_change_of_each_rule(db):
    rules = [failure_rule(), AlertRule.objects.create(name="Other", condition="held")]
    channels = [AlertChannel.objects.create(name=name) for name in ("Hook", "Phone")]
    for rule in rules:
        rule.channels.set(channels)
    count = {rule.pk: told(rule)[0].number for rule in rules}
    sent = {"action": "delete_selected", "_selected_action": [each.pk for each in channels], **DONE}
    client_for("superuser").post(reverse("admin:scheduling_alertchannel_changelist"), sent)
    for rule in rules:
        assert changes(rule) == ["Tell: Hook, Phone → blank"]
        version = told(rule)[0]
        assert (version.number, version.door, version.reason) == (count[rule.pk] + 1, "page", "Left")


def test_what_a_file_lets_name_another_thing_is_a_change_of_what_names_it_alone(db):
    schedule = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": ["06:00"], "calendar": "Old"}
    document = {"version": 1, "release": "1", "queues": [{"name": "slow", "max_running": 1}],
                "calendars": [{"name": "Old"}, {"name": "New"}],
                "entities": [{"code": "shop", "name": "Shop", "schedule": schedule}],
                "plans": [{"name": "P", "steps": [{"entity": "shop"}]}]}  # fmt: skip
    load(document, now=NOW)
    before = Version.objects.count()
    schedule["calendar"], document["plans"][0]["steps"][0]["queue"], document["release"] = "New", "slow", "2"
    load(document, now=NOW)
    configuration = SchedulerConfiguration.objects.get()
    assert changes(configuration) == ["Blackout calendar: Old → New"]
    assert changes(Plan.objects.get()) == ["Step shop, Queue: blank → slow"]
    assert {told(thing)[0].detail for thing in (configuration, Plan.objects.get())} == {"2"}
    assert Version.objects.count() == before + 2


def test_a_calendar_renamed_by_its_page_is_told_and_logged_for_what_goes_by_it(db, make_job):
    calendar = BlackoutCalendar.objects.create(name="Feasts")
    configuration, often = make_configuration("one"), {"schedule_type": "daily", "run_times": "06:00"}
    apply_schedule(configuration, {"processing_mode": "scheduled", **often, "calendar": calendar}, now=NOW)
    plan = Plan.objects.create(name="P", calendar=calendar, **often)
    schedule = JobSchedule.objects.get(job=make_job("Report", daily("06:00")))
    edit_schedule(schedule, {"calendar": calendar}, now=NOW)
    sent = {"name": "Holidays", "timezone": calendar.timezone, "policy": calendar.policy, "change_reason": "Plainer",
            "periods-TOTAL_FORMS": 0, "periods-INITIAL_FORMS": 0}  # fmt: skip
    page = reverse("admin:scheduling_blackoutcalendar_change", args=[calendar.pk])
    assert client_for("superuser").post(page, sent).status_code == 302
    for thing in (configuration, plan, schedule):
        assert changes(thing) == ["Blackout calendar: Feasts → Holidays"]
        assert told(thing)[0].reason == "Plainer"
    logged = SchedulerLog.objects.filter(event_type="changed", message__contains="Feasts → Holidays")
    assert logged.count() == 3 and logged.filter(entity=configuration.entity).exists()


def test_a_removed_entity_is_told_in_what_named_it(db):
    gone, left = make_configuration("gone"), make_configuration("left")
    rule, role = failure_rule(), Group.objects.create(name="Clerks")
    rule.entities.add(gone.entity, left.entity)
    set_role(role, "Steward", [gone.entity, left.entity])
    EntityDependency.objects.create(entity=left.entity, depends_on=gone.entity)
    plan = Plan.objects.create(name="P")
    PlanStep.objects.create(plan=plan, step_index=1, entity=gone.entity)
    remove_entity(gone.entity)
    assert changes(rule) == ["Entities: gone, left → left"]
    assert changes(role) == ["For which entities: gone, left → left"]
    assert changes(left) == ["Its batches come after those of: gone → blank"]
    assert changes(plan) == ["Step gone: taken out"]
    assert GroupRole.objects.get(group=role).entities.count() == 1


def test_a_renamed_queue_script_or_plan_is_told_in_the_plans_that_run_it(db):
    queue, script = Queue.objects.create(name="slow"), SqlScript.objects.create(name="Tidy", sql="select 1")
    inner, plan = Plan.objects.create(name="Inner"), Plan.objects.create(name="P")
    PlanStep.objects.create(plan=plan, step_index=1, script=script, queue=queue)
    PlanStep.objects.create(plan=plan, step_index=2, sub_plan=inner)
    for thing, name in ((queue, "slower"), (script, "Sweep"), (inner, "Within")):
        old, thing.name = thing.name, name
        thing.save()
        assert any(f"{old} → {name}" in line for line in changes(plan)), changes(plan)


def test_what_a_file_or_a_way_back_renames_is_told(db):
    load({"version": 1, "queues": [{"name": "slow", "max_running": 1}], "entities": [{"code": "shop", "name": "Shop"}],
          "plans": [{"name": "P", "steps": [{"entity": "shop", "queue": "slow"}]}]}, now=NOW)  # fmt: skip
    queue, plan = Queue.objects.get(name="slow"), Plan.objects.get()
    first = told(queue)[0]
    queue.name = "fast"
    queue.save()
    subject_of(Queue).restore(queue, first.content)
    assert any("fast → slow" in line for line in changes(plan))


def test_a_save_that_renames_nothing_looks_for_nothing(group, django_assert_num_queries):
    person = User.objects.create_user("ann")
    count = Version.objects.count()
    with django_assert_num_queries(1):
        person.save(update_fields=["last_login"])
    person.save()
    group.save()
    assert Version.objects.count() == count


def test_every_reference_is_followed(db):
    """Of each kind that names another, all columns and sets that lead to what has versions, or to permissions."""
    found = {(one.subject.model.__name__, one.column, one.to.__name__) for each in ALL for one in mentions(each)}
    assert found >= {
        ("Entity", "owner", "User"), ("Entity", "owner_group", "Group"), ("Entity", "reference", "Entity"),
        ("SchedulerConfiguration", "calendar", "BlackoutCalendar"), ("SchedulerConfiguration", "depends_on", "Entity"),
        ("Plan", "calendar", "BlackoutCalendar"), ("Plan", "owner", "User"), ("Plan", "queue", "Queue"),
        ("Plan", "sub_plan", "Plan"), ("Plan", "script", "SqlScript"), ("Plan", "entity", "Entity"),
        ("Job", "owner", "User"), ("JobSchedule", "calendar", "BlackoutCalendar"),
        ("AlertRule", "entities", "Entity"), ("AlertRule", "plans", "Plan"), ("AlertRule", "jobs", "Job"),
        ("AlertRule", "channels", "AlertChannel"), ("AlertRule", "escalate_to", "AlertChannel"),
        ("AlertChannel", "people", "User"), ("AlertChannel", "groups", "Group"),
        ("Group", "entities", "Entity"), ("Group", "permissions", "Permission"),
        ("User", "groups", "Group"), ("User", "user_permissions", "Permission"),
    }  # fmt: skip
    engine = {"Run", "Task", "Attempt", "Batch", "ContentType"}
    assert not {to for *_, to in found} & engine, "a listener would make these be deleted row by row"
