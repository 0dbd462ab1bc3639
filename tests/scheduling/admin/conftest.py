"""People of every role, and entities with physical tables, for the admin's tests."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from scheduling.housekeeping.roles import set_role
from scheduling.models import AlertRule, SchedulerConfiguration, SchedulerLog
from staging.models import Entity
from staging.tables.create import create_tables

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def make_user(role: str) -> User:
    """Return a person of this role who may enter the admin; "nobody" has no group, "superuser" needs none."""
    if role == "superuser":
        return User.objects.create_superuser("superuser", password="secret")
    user = User.objects.create_user(role.lower(), password="secret", is_staff=True)
    if role != "nobody":
        user.groups.add(Group.objects.get(name=role))
    return user


def make_limited(role: str, *codes: str) -> User:
    """Return a person of this role for these entities alone."""
    user = User.objects.create_user(f"{role.lower()}-of-{'-'.join(codes)}", password="secret", is_staff=True)
    group = Group.objects.create(name=f"{role} of {', '.join(codes)}")
    set_role(group, role, list(Entity.objects.filter(code__in=codes)))
    user.groups.add(group)
    return user


def client_of(user: User) -> Client:
    """Return a browser in which this person is logged in."""
    client = Client()
    client.force_login(user)
    return client


def client_for(role: str) -> Client:
    """Return a browser in which this role is logged in; "anonymous" is not."""
    client = Client()
    if role != "anonymous":
        client.force_login(make_user(role))
    return client


def make_configuration(code: str, **settings: object) -> SchedulerConfiguration:
    """Return the configuration of a new entity that has its tables."""
    entity = Entity.objects.create(code=code, name=code.replace("_", " ").capitalize())
    create_tables(entity)
    configuration, _ = SchedulerConfiguration.objects.get_or_create(entity=entity)
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(**settings)
    return SchedulerConfiguration.objects.select_related("entity").get(pk=configuration.pk)


def make_event(**fields: object) -> SchedulerLog:
    """Return a new log event."""
    return SchedulerLog.objects.create(**{"event_time": NOW, "event_type": "fired", **fields})


@pytest.fixture
def viewer(db):
    return client_for("Viewer")


@pytest.fixture
def operator(db):
    return client_for("Operator")


@pytest.fixture
def steward(db):
    return client_for("Steward")


@pytest.fixture
def administrator(db):
    return client_for("Administrator")


@pytest.fixture
def superuser(db):
    return client_for("superuser")


def failure_rule() -> AlertRule:
    """Return the alert rule about failures that an installation begins with, also after tests that empty tables."""
    return AlertRule.objects.get_or_create(name="A run failed", defaults={"condition": "failed"})[0]
