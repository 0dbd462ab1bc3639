"""Property: whatever was changed in between, whatever is gone since, each kind of thing goes back to every version."""

import random
from datetime import time
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User

from scheduling.housekeeping.roles import set_role
from scheduling.jobs.declare import daily
from scheduling.jobs.edit import edit_job, edit_schedule
from scheduling.models import AlertChannel, AlertRule, BlackoutCalendar, RetentionPolicy
from scheduling.subjects.all import ALL
from staging.models import Version
from staging.versions.subjects import subject_of
from staging.versions.units import one_change
from tests.depth import some
from tests.scheduling.admin.conftest import NOW, make_configuration

pytestmark = pytest.mark.django_db
CHANGES = 6


def of_a_rule(pick: random.Random, make_job: Any):
    rule = AlertRule.objects.create(name="Mine", condition="failed")
    entities = [make_configuration(code).entity for code in ("one", "two")]
    channels = [AlertChannel.objects.create(name=name, addresses="a@example.com") for name in ("Day", "Night")]

    def change() -> None:
        rule.name, rule.is_enabled = pick.choice(["Mine", "Ours", "Theirs"]), pick.random() < 0.5
        rule.condition = pick.choice(["failed", "late", "not_delivered", "rejected"])
        rule.number = pick.randint(1, 9) if rule.condition in ("failed", "rejected") else None
        rule.minutes = pick.randint(1, 90) if rule.condition == "late" else None
        rule.at = time(pick.randint(0, 23), 30) if rule.condition == "not_delivered" else None
        rule.escalate_after_minutes = pick.choice([None, 5])
        rule.save()
        rule.entities.set(pick.sample(entities, pick.randint(0, 2)))
        rule.channels.set(pick.sample(channels, pick.randint(0, 2)))
        rule.escalate_to.set(channels[:1])

    return rule, change


def of_a_channel(pick: random.Random, make_job: Any):
    channel = AlertChannel.objects.create(name="Hook", kind="webhook", url="https://example.com/s3cret", secret="pst")
    people = [User.objects.create_user(name) for name in ("ann", "bob")]

    def change() -> None:
        channel.name, channel.timezone = pick.choice(["Hook", "Line"]), pick.choice(["UTC", "Asia/Tokyo"])
        channel.kind = pick.choice(["email", "webhook"])
        channel.digest = pick.choice(["at_once", "daily"])
        channel.digest_at = time(7, pick.randint(0, 59))
        channel.quiet_from = channel.quiet_until = None
        if pick.random() < 0.5:
            channel.quiet_from, channel.quiet_until = time(22), time(pick.randint(1, 6))
        channel.addresses = pick.choice(["a@example.com", "b@example.com"])
        channel.save()
        channel.people.set(pick.sample(people, pick.randint(0, 2)))

    return channel, change


def of_a_group(pick: random.Random, make_job: Any):
    group = Group.objects.create(name="Night shift")
    entities = [make_configuration(code).entity for code in ("one", "two")]
    permissions = list(Permission.objects.order_by("pk")[:3])

    def change() -> None:
        group.name = pick.choice(["Night shift", "Late shift"])
        group.save()
        role = pick.choice(["", "Viewer", "Operator"])
        set_role(group, role, pick.choice([None, pick.sample(entities, pick.randint(1, 2))]))
        if not role:
            group.permissions.set(pick.sample(permissions, pick.randint(0, 3)))

    return group, change


def of_a_person(pick: random.Random, make_job: Any):
    person = User.objects.create_user("ann")
    groups, permissions = list(Group.objects.all()), list(Permission.objects.order_by("pk")[:3])

    def change() -> None:
        person.username, person.is_active = pick.choice(["ann", "anne"]), pick.random() < 0.5
        person.is_staff, person.is_superuser = pick.random() < 0.5, pick.random() < 0.5
        person.save()
        person.groups.set(pick.sample(groups, pick.randint(0, 2)))
        person.user_permissions.set(pick.sample(permissions, pick.randint(0, 2)))

    return person, change


def of_a_job(pick: random.Random, make_job: Any):
    job = make_job()
    return job, lambda: edit_job(job, {"attempts": pick.randint(1, 9), "retry_interval_seconds": pick.randint(0, 99)})


def of_a_schedule_of_a_job(pick: random.Random, make_job: Any):
    schedule = make_job("Report", daily("06:00")).schedules.get()
    calendars = [None, BlackoutCalendar.objects.create(name="Feasts")]

    def change() -> None:
        values = {"is_enabled": pick.random() < 0.5, "jitter_seconds": pick.randint(0, 9)}
        edit_schedule(schedule, {**values, "calendar": pick.choice(calendars)}, now=NOW)

    return schedule, change


def of_the_retention_policy(pick: random.Random, make_job: Any):
    policy, _ = RetentionPolicy.objects.get_or_create(pk=1)

    def change() -> None:
        policy.log_days, policy.audit_days = pick.randint(1, 99), pick.randint(1, 999)
        policy.changes_days, policy.history_days = pick.choice([None, 5]), pick.choice([None, 9])
        policy.save()

    return policy, change


KINDS = [of_a_rule, of_a_channel, of_a_group, of_a_person, of_a_job, of_a_schedule_of_a_job, of_the_retention_policy]


@pytest.mark.parametrize("seed", some(range(4), one_in=2))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_it_goes_back_to_every_version(kind, seed, make_job):
    pick = random.Random(seed)
    thing, change = kind(pick, make_job)
    for _ in range(CHANGES):
        with one_change():
            change()
    subject = subject_of(type(thing))
    mine = Version.objects.filter(subject_type=subject.key, subject_id=thing.pk).order_by("number")
    known = list(mine)
    assert len(known) > 2
    for version in pick.sample(known, len(known)):
        fresh = type(thing)._base_manager.get(pk=thing.pk)
        subject.restore(fresh, version.content)
        newest = mine.last()
        assert newest.content == version.content == subject.read(type(thing)._base_manager.get(pk=thing.pk))
    assert "beside" not in {version.door for version in mine}


def test_every_kind_is_tried():
    by_file = {"Entity", "BusinessRule", "SchedulerConfiguration", "Plan", "BlackoutCalendar", "Queue", "SqlScript"}
    tried = {"AlertRule", "AlertChannel", "Group", "User", "Job", "JobSchedule", "RetentionPolicy"}
    assert {subject.model.__name__ for subject in ALL} == by_file | tried
