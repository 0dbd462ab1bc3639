"""Promise: a version that another release has written is shown and compared; what cannot come back is said."""

import pytest
from django.contrib.auth.models import Group, User

from scheduling.model_files.load import load
from scheduling.models import (
    AlertChannel,
    AlertRule,
    BlackoutCalendar,
    Plan,
    Queue,
    RetentionPolicy,
    SchedulerConfiguration,
    SqlScript,
)
from staging.models import BusinessRule, Entity, Version
from staging.versions.subjects import subject_of
from tests.scheduling.admin.conftest import NOW, client_for
from tests.scheduling.subjects.test_going_back import clean
from tests.scheduling.subjects.test_pages import history, text_of

pytestmark = pytest.mark.django_db
MODEL = {
    "version": 1,
    "calendars": [{"name": "Feasts", "periods": [{"kind": "days", "first_day": "2027-01-10"}]}],
    "entities": [{"code": "shop", "name": "Shop", "attributes": [{"name": "staff", "type": "integer"}],
                  "rules": [{"name": "Some", "must": {"attribute": "staff", "at_least": "1"}}]}],
    "queues": [{"name": "slow", "max_running": 2}],
    "scripts": [{"name": "Tidy", "sql": "select 1"}],
    "plans": [{"name": "Nightly", "steps": [{"entity": "shop"}]}],
}  # fmt: skip


@pytest.fixture
def things(make_job):
    """Return one of each kind."""
    load(clean(MODEL), now=NOW)
    job = make_job()
    RetentionPolicy.objects.create(pk=1)
    return [
        *(model.objects.get() for model in (Entity, BusinessRule, SchedulerConfiguration, Plan, BlackoutCalendar)),
        Queue.objects.get(name="slow"), SqlScript.objects.get(), job, RetentionPolicy.current(),
        AlertRule.objects.create(name="Mine", condition="failed"),
        AlertChannel.objects.create(name="Mail", addresses="a@example.com"),
        Group.objects.create(name="Night shift"), User.objects.create_user("ann"),
    ]  # fmt: skip


def stored(thing, content, number=7):
    """Return a version as another release would have left it."""
    of = {"subject_type": subject_of(type(thing)).key, "subject_id": thing.pk, "name": "x", "number": number}
    change = [[["gone_key"], 1, 2], [["gone_parts", "one"], None, {"a": 1}], [["gone_parts", "one", "a"], 1, 2],
              [["order of", "gone_parts"], ["one", "two"], ["two", "one"]],
              [["gone_parts", "two"], {"a": 1}, None]]  # fmt: skip
    return Version.objects.create(**of, kind="changed", door="old door", content=content, change=change)


def test_what_a_later_release_removed_is_shown_compared_and_left_out(things):
    client = client_for("superuser")
    for thing in things:
        subject = subject_of(type(thing))
        content = subject.read(thing) | {"gone_key": 5, "gone_parts": [{"a": 1}]}
        for name in subject.words.parts:
            content[name] = [{**part, "gone_of_part": 1} for part in content[name]]
        version = stored(thing, clean_json(content))
        stored(thing, clean_json(subject.read(thing)), 8)
        pages = [text_of(client.get(history(thing, **asked))) for asked in ({}, {"version": 7}, {"from": 7, "to": 8})]
        assert "Gone key" in pages[0] and "old door" in pages[0], thing
        assert "does not know any more, and does not restore: Gone key, Gone parts" in pages[1], thing
        assert not subject.words.parts or "Gone of part" in pages[1], thing
        assert "Gone key 5 blank" in pages[2], thing
        subject.restore(thing, version.content)
        assert clean_json(subject.read(type(thing).objects.get(pk=thing.pk))) == clean_json(subject.read(thing))


def test_what_an_earlier_release_did_not_know_is_no_failure(things):
    client = client_for("superuser")
    for thing in things:
        subject = subject_of(type(thing))
        whole = clean_json(subject.read(thing))
        kept = {"name", "code", "username", "processing_mode", "entity", "must", "steps", "attributes", "sql"}
        for key in set(whole) - kept:
            content = {name: value for name, value in whole.items() if name != key}
            version = stored(thing, content)
            answer = client.post(history(thing), {"version": 7, "confirmed": "yes"}, follow=True)
            assert answer.status_code == 200, (thing, key)
            assert "is again as it was" in text_of(answer) or "It cannot go back" in text_of(answer), (thing, key)
            Version.objects.filter(number__gte=7).delete()
            assert version.number == 7


def test_a_choice_that_is_gone_is_refused_in_words(things):
    client = client_for("superuser")
    gone = {AlertRule: "condition", AlertChannel: "kind", Group: "role", BlackoutCalendar: "policy", Plan: "order",
            SchedulerConfiguration: "processing_mode", BusinessRule: "effect", Entity: "review"}  # fmt: skip
    for thing in things:
        if (key := gone.get(type(thing))) is not None:
            before = clean_json(subject_of(type(thing)).read(thing))
            stored(thing, {**before, key: "was possible once"})
            for asked in ({}, {"version": 7}):
                assert client.get(history(thing, **asked)).status_code == 200, thing
            answer = client.post(history(thing), {"version": 7, "confirmed": "yes"}, follow=True)
            assert "It cannot go back" in text_of(answer), thing
            assert clean_json(subject_of(type(thing)).read(type(thing).objects.get(pk=thing.pk))) == before


def clean_json(content):
    """Return a content as it is stored."""
    import json

    return json.loads(json.dumps(content, default=str))
