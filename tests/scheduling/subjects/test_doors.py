"""Promise: what each door makes of the history besides: `test_every_door` has one change of each kind through each."""

import json

import pytest
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scheduling.errors import InvalidSchedule
from scheduling.jobs.edit import edit_job
from scheduling.model_files.load import load
from scheduling.models import BlackoutCalendar, Plan, Queue, SchedulerConfiguration, SqlScript
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_dependencies, save_plan
from scheduling.schedules.change import apply_schedule
from staging.entities.operations import change_attribute
from staging.entities.remove import remove_entity
from staging.entities.save import save_entity
from staging.errors import InvalidDefinition
from staging.models import Attribute, BusinessRule, Entity, RuleLine, Version
from staging.rules.document import save_rule
from staging.versions.difference import in_words
from staging.versions.read import how
from staging.versions.subjects import subject_of
from tests.scheduling.admin.conftest import NOW, client_for, make_configuration
from tests.scheduling.plans.conftest import step
from tests.staging.api.conftest import api, person

__all__ = ["api", "person"]
pytestmark = pytest.mark.django_db(transaction=True)
DAILY = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "06:00", "is_enabled": "on"}


def told(thing):
    """Return the newest version of a thing, and what it changed in words."""
    subject = subject_of(type(thing))
    version = Version.objects.filter(subject_type=subject.key, subject_id=thing.pk).order_by("-number").first()
    return version, [str(line) for line in in_words(version.change, subject.words)]


def test_a_bulk_action_leaves_a_version_of_each(db):
    made = [make_configuration(code, **{**DAILY, "is_enabled": True}) for code in ("one", "two")]
    sent = {"action": "disable_selected", "_selected_action": [each.pk for each in made], "confirmed": "yes"}
    client_for("Steward").post(reverse("admin:scheduling_schedulerconfiguration_changelist"), sent)
    for each in made:
        version, lines = told(each)
        assert (version.door, version.made_by, lines) == ("page", "steward", ["Enabled: yes → no"])


def test_a_file_tells_its_release_and_nothing_of_what_is_as_it_was(db):
    document = {"version": 1, "release": "2026.11", "entities": [{"code": "shop", "name": "Shop"}],
                "queues": [{"name": "slow", "max_running": 1}], "calendars": [{"name": "Feasts"}],
                "scripts": [{"name": "Tidy", "sql": "select 1"}],
                "plans": [{"name": "Nightly", "steps": [{"entity": "shop"}]}]}  # fmt: skip
    load(document, now=NOW)
    count = Version.objects.count()
    for thing in (Entity, Queue, BlackoutCalendar, SqlScript, Plan, SchedulerConfiguration):
        found = Version.objects.filter(subject_type=thing._meta.label_lower)
        assert [(each.kind, each.door, each.detail) for each in found] == [("added", "file", "2026.11")], thing
    load(document, now=NOW)
    assert Version.objects.count() == count
    load({**document, "queues": [{"name": "slow", "max_running": 3}]}, now=NOW)
    assert told(Queue.objects.get())[1] == ["At most so many at once: 1 → 3"] and Version.objects.count() == count + 1


def test_a_file_through_the_api_tells_its_release_and_the_token(api):
    document = {"version": 1, "release": "2026.11", "queues": [{"name": "slow", "max_running": 1}]}
    answer = api("Administrator")("PUT", "model", document, Change_Reason="Moved")
    assert answer.status_code == 200, answer.content
    version, _ = told(Queue.objects.get(name="slow"))
    assert (version.door, version.detail, version.reason) == ("file", "2026.11", "Moved") and version.token
    assert how(version) == f"{version.made_by}, from a model file, release 2026.11, sent with the token {version.token}"


def test_the_api_reads_a_reason_as_utf_8_and_insists_on_it_where_the_setting_says_so(api, settings):
    configuration = make_configuration("customer")
    sent = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": ["02:30"]}
    settings.CHANGE_REASON_REQUIRED = True
    caller = api("Steward")
    refused = caller("PUT", "entities/customer/schedule", sent, If_Match="*")
    assert refused.status_code == 400 and refused.json()["errors"][0]["path"] == "Change-Reason"
    assert SchedulerConfiguration.objects.get(pk=configuration.pk).processing_mode == "manual"
    reason = "Später, für Zürich"
    answer = caller(
        "PUT", "entities/customer/schedule", sent, If_Match="*", Change_Reason=reason.encode().decode("latin-1")
    )
    assert answer.status_code == 200 and told(configuration)[0].reason == reason
    document = {"version": 1, "queues": [{"name": "slow", "max_running": 1}]}
    put = api("Administrator")
    assert (
        put("PUT", "model?dry_run=1", document).status_code == 200 and put("PUT", "model", document).status_code == 400
    )


def test_a_command_takes_the_reason(db, tmp_path, settings):
    settings.CHANGE_REASON_REQUIRED = True
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"version": 1, "queues": [{"name": "slow", "max_running": 1}]}))
    call_command("load_model", str(path), "--reason", "Night run")
    assert told(Queue.objects.get(name="slow"))[0].reason == "Night run"
    feasts = tmp_path / "feasts.csv"
    feasts.write_text("date,name\n2027-01-01,New year\n")
    call_command("import_calendar", "Feasts", str(feasts), "--reason", "New law")
    assert told(BlackoutCalendar.objects.get())[0].reason == "New law"


def test_a_deletion_asks_why_is_one_change_and_is_told(db, settings):
    settings.CHANGE_REASON_REQUIRED = True
    calendars = [BlackoutCalendar.objects.create(name=name) for name in ("One", "Two", "Three")]
    keys = [each.pk for each in calendars]
    client = client_for("Administrator")
    page = reverse("admin:scheduling_blackoutcalendar_delete", args=[keys[0]])
    assert "Why do you change this?" in client.get(page).content.decode()
    client.post(page, {"post": "yes"})
    assert BlackoutCalendar.objects.filter(pk=keys[0]).exists()
    client.post(page, {"post": "yes", "change_reason": "Gone"})
    sent = {"action": "delete_selected", "_selected_action": keys[1:]}
    place = reverse("admin:scheduling_blackoutcalendar_changelist")
    assert "Why do you change this?" in client.post(place, sent).content.decode()
    client.post(place, {**sent, "post": "yes"})
    assert BlackoutCalendar.objects.count() == 2
    client.post(place, {**sent, "post": "yes", "change_reason": "Gone"})
    assert not BlackoutCalendar.objects.exists()
    for key in keys:
        last = Version.objects.filter(subject_type="scheduling.blackoutcalendar", subject_id=key).latest("number")
        assert (last.kind, last.made_by, last.door, last.reason) == ("deleted", "administrator", "page", "Gone")


def test_code_that_saves_rows_by_itself_is_seen_too(db):
    entity = Entity.objects.create(code="shop", name="Shop")
    entity.name = "Shops"
    entity.save()
    Attribute.objects.create(entity=entity, name="floor")
    assert told(entity)[1] == ["Attribute floor: added"] and told(entity)[0].door == "code"
    group = Group.objects.create(name="Night shift")
    user = User.objects.create_user("ann")
    user.groups.add(group)
    assert told(user)[1] == ["Groups: blank → Night shift"]
    group.user_set.remove(user)
    assert told(user)[1] == ["Groups: Night shift → blank"]


def test_what_came_past_all_doors_is_told_apart_at_the_next_change(db):
    entity = Entity.objects.create(code="shop", name="Shop")
    Entity.objects.update(name="Changed by hand")
    entity.refresh_from_db()
    entity.description = "About it"
    entity.save()
    kinds = list(Version.objects.filter(subject_type="staging.entity").values_list("door", flat=True))
    assert kinds == ["code", "beside", "code"]
    assert [path for path, *_ in told(entity)[0].change] == [["description"]]


def test_bulk_writes_of_verbs_are_seen(db, make_job):
    first, second = make_configuration("one"), make_configuration("two")
    save_dependencies(second.entity, ["one"])
    assert told(second)[1] == ["Its batches come after those of: blank → one"]
    save_entity(first.entity, [Attribute(name="staff", data_type="integer")])
    rule = BusinessRule(entity=first.entity, name="Some")
    save_rule(rule, [RuleLine(part="must", attribute="staff", comparison="not_empty")])
    renamed = first.entity.attributes.select_related("entity").get()
    renamed.name = "people"
    change_attribute(renamed)
    assert told(rule)[1] == ["Must: staff is not empty → people is not empty"]
    assert told(first.entity)[1] == ["Attribute people, Name: staff → people"]


def test_a_deleted_thing_keeps_its_history(db):
    entity = make_configuration("shop").entity
    key = entity.pk
    remove_entity(entity)
    last = Version.objects.filter(subject_type="staging.entity", subject_id=key).order_by("-number").first()
    assert last.kind == "deleted" and last.name == "Shop" and last.content["code"] == "shop"


def test_what_is_refused_leaves_no_version(db):
    configuration = make_configuration("customer")
    client, count = client_for("Steward"), Version.objects.count()
    address = reverse("admin:scheduling_schedulerconfiguration_change", args=[configuration.pk])
    assert client.post(address, {**DAILY, "run_times": "25:00"}).status_code == 200
    with pytest.raises(InvalidSchedule):
        apply_schedule(configuration, {**DAILY, "run_times": "25:00", "is_enabled": True}, now=NOW)
    with pytest.raises(InvalidDefinition):
        load({"version": 1, "queues": [{"name": "slow", "max_running": 0}]}, now=NOW)
    assert Version.objects.count() == count


def test_a_save_that_changes_nothing_leaves_no_version(db, make_job):
    configuration, job = make_configuration("customer"), make_job()
    document = {"version": 1, "queues": [{"name": "slow", "max_running": 1}],
                "scripts": [{"name": "A", "sql": "select 1"}],
                "plans": [{"name": "Nightly", "steps": [{"entity": "customer"}]}]}  # fmt: skip
    load(document, now=NOW)
    apply_schedule(configuration, {"processing_mode": "triggered", "trigger_row_threshold": 5}, now=NOW)
    group = Group.objects.create(name="Night shift")
    count = Version.objects.count()
    apply_schedule(configuration, {"processing_mode": "triggered", "trigger_row_threshold": 5}, now=NOW)
    edit_job(job, {"attempts": job.attempts})
    make_job.reconcile()
    load(document, now=NOW)
    for thing in (*Queue.objects.all(), *SqlScript.objects.all(), *Plan.objects.all(), *Entity.objects.all(), group):
        thing.save()
    group.permissions.set([])
    save_dependencies(configuration.entity, [])
    assert Version.objects.count() == count


def test_what_the_engine_writes_is_no_change_and_costs_no_statement(db, django_assert_num_queries):
    configuration = make_configuration("customer")
    count = Version.objects.count()
    with django_assert_num_queries(1):
        SchedulerConfiguration.objects.filter(pk=configuration.pk).update(last_trigger_check=NOW)
    with django_assert_num_queries(1):
        configuration.save(update_fields=["last_trigger_check"])
    assert Version.objects.count() == count


def test_a_plan_of_a_thousand_steps_costs_few_statements_more(db):
    entities = [Entity(code=f"e{number}", name=f"E {number}") for number in range(1000)]
    Entity.objects.bulk_create(entities)
    draft = PlanDraft(Plan(name="Long"), {}, [step(each) for each in Entity.objects.order_by("pk")])
    plan = save_plan(draft, now=NOW)
    with CaptureQueriesContext(connection) as taken:
        content = subject_of(Plan).read(plan)
    assert len(content["steps"]) == 1000 and len(taken) <= 12
    assert Version.objects.filter(subject_type="scheduling.plan").count() == 1
