"""Promise: going back to any earlier version gives equal settings, whatever was changed in between."""

import random
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils.translation import override

from scheduling.jobs.edit import edit_job
from scheduling.model_files.load import load
from scheduling.models import AlertChannel, AlertRule, BlackoutCalendar, Plan, Queue, SchedulerConfiguration, SqlScript
from scheduling.plans.save import save_dependencies
from scheduling.subjects.plan import _name
from staging.errors import CannotGoBack, StagingError
from staging.models import BusinessRule, Entity, Version
from staging.versions.subjects import subject_of
from tests.depth import some
from tests.scheduling.admin.conftest import NOW, make_configuration

pytestmark = pytest.mark.django_db


def plain(content: dict[str, Any]) -> Any:
    """Return what is in force: without keys of rows, and without parts that came since and are cancelled now."""
    parts = {
        name: [{key: value for key, value in part.items() if key != "id"} for part in content[name]]
        for name in ("attributes", "steps")
        if name in content
    }
    return {**content, **parts}


def is_again(now: dict[str, Any], then: dict[str, Any]) -> bool:
    """Return whether a content is again what it was; a part that came since may be there, cancelled."""
    now, then = plain(now), plain(then)
    for list_name, name in (("attributes", lambda part: part["name"]), ("steps", _name)):
        if list_name in then:
            known = {name(part) for part in then[list_name]}
            since = [part for part in now[list_name] if name(part) not in known]
            if not all(part["is_cancelled"] for part in since):
                return False
            now[list_name] = sorted([p for p in now[list_name] if name(p) in known], key=name)
            then[list_name] = sorted(then[list_name], key=name)
    return now == then


def schedule(pick: random.Random) -> dict[str, Any]:
    """Return a random schedule as a file has it."""
    return pick.choice(
        [
            {"processing_mode": "manual"},
            {"processing_mode": "triggered", "trigger_row_threshold": pick.randint(1, 900)},
            {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": ["06:00", "18:30"]},
            {"processing_mode": "scheduled", "schedule_type": "weekly", "run_times": ["07:15"], "run_days": ["mon"],
             "every_n_weeks": pick.randint(1, 4), "anchor_date": "2026-01-05", "calendar": "Feasts"},
            {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": pick.randint(1, 90)},
        ]
    )  # fmt: skip


def model(pick: random.Random) -> dict[str, Any]:
    """Return a random model: always the same things, each otherwise than before."""
    attributes = [{"name": "staff", "type": "integer", "required": pick.random() < 0.5, "min": pick.randint(0, 9)}]
    attributes += [{"name": f"more_{n}", "type": "text", "max_length": pick.randint(1, 99)} for n in range(3)
                   if pick.random() < 0.6]  # fmt: skip
    rule = {"name": "Some", "must": {"attribute": "staff", "at_least": str(pick.randint(1, 5))},
            "effect": pick.choice(["reject", "warn"])}  # fmt: skip
    entity = {"code": "shop", "name": f"Shop {pick.randint(1, 3)}", "attributes": attributes, "rules": [rule],
              "schedule": schedule(pick), "max_error_rate": pick.choice([None, 0.25]), "depends_on":
              pick.choice([[], ["area"]])}  # fmt: skip
    steps = [{"entity": "area", "priority": pick.randint(0, 9)}]
    if pick.random() < 0.6:
        steps.append({"entity": "shop", "depends_on": ["area"], "queue": "slow", "attempts": pick.randint(1, 4)})
    if pick.random() < 0.5:
        steps.append({"script": "Tidy", "step_index": 2})
    days = [{"kind": "days", "first_day": f"2027-01-{pick.randint(10, 28)}"}]
    return {
        "version": 1,
        "calendars": [{"name": "Feasts", "policy": pick.choice(["skip", "roll"]), "periods": days}],
        "entities": [{"code": "area", "name": "Area"}, entity],
        "queues": [{"name": "slow", "max_running": pick.randint(1, 9)}],
        "scripts": [{"name": "Tidy", "sql": "select 1", "timeout_seconds": pick.randint(1, 99)}],
        "plans": [{"name": "Nightly", "order": "steps", "steps": steps, "schedule": pick.choice(
            [{}, {"schedule_type": "daily", "run_times": ["02:30"]}])}],
    }  # fmt: skip


@pytest.mark.parametrize("seed", some(range(2), one_in=2))
def test_every_thing_goes_back_to_every_version(seed):
    pick = random.Random(seed)
    for _ in range(3):
        load(clean(model(pick)), now=NOW)
    things = [Entity.objects.get(code="shop"), SchedulerConfiguration.objects.get(entity__code="shop"),
              Plan.objects.get(), Queue.objects.get(name="slow"), SqlScript.objects.get(),
              BlackoutCalendar.objects.get(), BusinessRule.objects.get()]  # fmt: skip
    for thing in things:
        subject = subject_of(type(thing))
        known = list(Version.objects.filter(subject_type=subject.key, subject_id=thing.pk).order_by("number"))
        for version in pick.sample(known, len(known)):
            fresh = type(thing)._base_manager.get(pk=thing.pk)
            subject.go_back(fresh, version.content)
            newest = Version.objects.filter(subject_type=subject.key, subject_id=thing.pk).order_by("-number").first()
            assert is_again(newest.content, version.content), (thing, version.number)


def clean(document: Any) -> Any:
    """Return a document without keys that say nothing, and with fractions as a file has them."""
    import json

    from staging.model_files.read import load_json

    return load_json(json.dumps(document))


def test_a_rename_is_undone_with_all_that_goes_by_the_name(db):
    load({"version": 1, "entities": [{"code": "shop", "name": "Shop", "attributes": [{"name": "staff",
          "type": "integer"}]}], "queues": [{"name": "slow", "max_running": 1}],
          "plans": [{"name": "Nightly", "steps": [{"entity": "shop"}]}]}, now=NOW)  # fmt: skip
    plan = Plan.objects.get()
    plan.name = "Morning"
    plan.save(update_fields=["name"])
    subject = subject_of(Plan)
    first = Version.objects.get(subject_type=subject.key, subject_id=plan.pk, number=1)
    subject.go_back(plan, first.content)
    assert Plan.objects.get().name == "Nightly"


def test_a_name_that_another_has_now_is_refused_and_nothing_is_changed(db):
    load({"version": 1, "queues": [{"name": "slow", "max_running": 1}]}, now=NOW)
    queue = Queue.objects.get(name="slow")
    content = subject_of(Queue).read(queue)
    Queue.objects.filter(pk=queue.pk).update(name="sluggish")
    Queue.objects.create(name="slow", max_running=9)
    queue.refresh_from_db()
    with transaction.atomic(), pytest.raises(StagingError, match="Another one is called 'slow' now"):
        subject_of(Queue).go_back(queue, content)
    assert Queue.objects.get(pk=queue.pk).name == "sluggish"


def test_what_is_gone_is_named(db):
    load({"version": 1, "entities": [{"code": "shop", "name": "Shop"}, {"code": "area", "name": "Area"}],
          "calendars": [{"name": "Feasts"}]}, now=NOW)  # fmt: skip
    configuration = SchedulerConfiguration.objects.get(entity__code="shop")
    save_dependencies(configuration.entity, ["area"])
    content = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": ["06:00"], "calendar": "Gone"}
    with pytest.raises(StagingError, match="Gone"):
        subject_of(SchedulerConfiguration).go_back(configuration, content)


def test_a_job_goes_back(make_job):
    job = make_job()
    content = subject_of(type(job)).read(job)
    edit_job(job, {"attempts": 7})
    subject_of(type(job)).go_back(job, content)
    job.refresh_from_db()
    assert job.attempts == content["attempts"] != 7


@pytest.mark.parametrize(
    "kind, key, missing, label",
    [
        (SchedulerConfiguration, "calendar", "Gone", "Blackout calendar"),
        (SchedulerConfiguration, "timezone", "Mars/Base", "Time zone"),
        (AlertRule, "channels", ["Gone"], "Tell"),
        (AlertRule, "escalate_to", ["Gone"], "Tell then"),
        (AlertChannel, "people", ["Gone"], "People"),
        (Group, "entities", ["gone"], "For which entities"),
        (User, "groups", ["Gone"], "Groups"),
        (User, "permissions", ["auth.gone"], "Permissions one by one"),
    ],
)
def test_what_stands_in_the_way_has_the_name_that_its_form_gives_it(db, kind, key, missing, label):
    made = {
        SchedulerConfiguration: lambda: make_configuration("customer"),
        AlertRule: lambda: AlertRule.objects.create(name="Late", condition="late"),
        AlertChannel: lambda: AlertChannel.objects.create(name="Mail", addresses="a@example.com"),
        Group: lambda: Group.objects.create(name="Night"),
        User: lambda: User.objects.create_user("ann"),
    }
    thing, subject = made[kind](), subject_of(kind)
    before = subject.read(thing)
    with pytest.raises(CannotGoBack) as refused:
        subject.go_back(thing, {**before, key: missing})
    assert str(refused.value).startswith(f"{label}: ")
    with override("nl"), pytest.raises(CannotGoBack) as refused:
        subject.go_back(thing, {**before, key: missing})
    assert not str(refused.value).startswith((label, key))
    assert subject.read(kind.objects.get(pk=thing.pk)) == before


def test_what_stands_in_the_way_of_a_part_has_the_names_of_the_page_and_not_the_place_in_a_file(db):
    night = Queue.objects.create(name="night")
    make_configuration("customer")
    steps = [{"entity": "customer"}, {"script": "Tidy", "queue": "night"}]
    daily = {"schedule_type": "daily", "run_times": ["06:00"]}
    plan_of = {"name": "P", "steps": steps, "schedule": daily}
    load({"version": 1, "scripts": [{"name": "Tidy", "sql": "SELECT 1"}], "plans": [plan_of]}, now=NOW)
    plan, entity = Plan.objects.get(), Entity.objects.get()
    then = subject_of(Plan).read(plan)
    owned = subject_of(Entity).read(entity)
    plan.steps.filter(script__isnull=False).delete()
    night.delete()
    assert refused(plan, {**then, "calendar": "Gone"}) == (
        "Blackout calendar: There is no blackout calendar 'Gone'; define it first.; "
        "Step script Tidy, Queue: There is no queue 'night'."
    )
    with override("nl"):
        assert refused(plan, then).endswith("Wachtrij: Er is geen wachtrij 'night'.")
    configuration = SchedulerConfiguration.objects.get()
    after = {**subject_of(SchedulerConfiguration).read(configuration), "depends_on": ["gone"]}
    assert refused(configuration, after) == "Its batches come after those of: There is no entity 'gone'."
    assert refused(entity, {**owned, "owner_group": "Night"}) == "Owning group: There is no group 'Night' here."
    attribute = {"name": "area", "data_type": "text", "reference": "gone"}
    assert refused(entity, {**owned, "attributes": [attribute]}).startswith("Attribute area, ")
    rule = BusinessRule.objects.create(entity=entity, name="R", message="x")
    gone = {**subject_of(BusinessRule).read(rule), "must": {"attribute": "gone", "equals": "1"}}
    assert refused(rule, gone) == "Line 1, Attribute: There is no attribute 'gone'."
    calendar = BlackoutCalendar.objects.create(name="Feasts")
    feasts = {**subject_of(BlackoutCalendar).read(calendar), "periods": [{"kind": "was possible once"}]}
    assert refused(calendar, feasts).startswith("Period was possible once, What: ")


def test_all_that_is_gone_is_told_at_once(db):
    channel = AlertChannel.objects.create(name="Mail", addresses="a@example.com")
    content = {**subject_of(AlertChannel).read(channel), "people": ["bob", "ann"], "groups": ["Night"]}
    assert refused(channel, content) == (
        "People: There is no 'ann' any more.; People: There is no 'bob' any more.; "
        "Groups: There is no 'Night' any more."
    )


def refused(thing: Any, content: dict[str, Any]) -> str:
    """Return why a thing cannot go back to a content."""
    with pytest.raises(CannotGoBack) as error:
        subject_of(type(thing)).restore(thing, content)
    return str(error.value)
