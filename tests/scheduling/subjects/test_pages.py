"""The pages of the history: versions in words, two side by side, the way back, and who may."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from scheduling import clock
from scheduling.model_files.load import load
from scheduling.models import Plan, Run, SchedulerConfiguration, SchedulerLog
from scheduling.schedules.change import apply_schedule
from staging.models import Entity, Version
from staging.states import DoorKind
from staging.versions.doers import Author, done_by
from tests.scheduling.admin.conftest import client_for, client_of, make_configuration, make_limited

pytestmark = pytest.mark.django_db
DAILY = {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "06:00"}


def changed(code="customer", times="18:30"):
    """Return a configuration that a steward has set to daily and then to another time."""
    configuration = make_configuration(code)
    with done_by(lambda: Author("ann", DoorKind.PAGE, reason="Later")):
        apply_schedule(configuration, DAILY, now=clock.now())
        apply_schedule(configuration, {"run_times": times}, now=clock.now())
    return configuration


def history(thing, **asked):
    options = thing._meta
    address = reverse(f"admin:{options.app_label}_{options.model_name}_history", args=[thing.pk])
    return address + ("?" + "&".join(f"{name}={value}" for name, value in asked.items()) if asked else "")


def text_of(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_the_history_names_who_why_and_what(db):
    configuration = changed()
    Version.objects.filter(number=1).update(kind="found")
    page = text_of(client_for("Viewer").get(history(configuration)))
    assert "ann, on a page" in page and "At: 06:00 → 18:30" in page and "Later" in page
    assert "As it was when its history began" in page


def test_two_versions_side_by_side_whatever_their_order(db):
    configuration = changed()
    client = client_for("Viewer")
    pages = [text_of(client.get(history(configuration, **{"from": a, "to": b}))) for a, b in ((1, 3), (3, 1))]
    assert all("At blank 18:30" in page and "How often blank Daily" in page for page in pages)
    assert "Nothing differs" in text_of(client.get(history(configuration, **{"from": 2, "to": 2})))


@pytest.mark.parametrize("asked", [{"version": "99"}, {"version": "x"}, {"from": "1"}, {"from": "1", "to": "-1"}])
def test_a_version_that_is_not_there_is_a_404(db, asked):
    assert client_for("Viewer").get(history(changed(), **asked)).status_code == 404


def test_going_back_asks_first_and_is_a_new_change(db):
    configuration, steward = changed(), client_for("Steward")
    page = text_of(steward.get(history(configuration, version=2)))
    assert "At 18:30 06:00" in page and "Go back to this version" in page
    steward.post(history(configuration), {"version": 2})
    configuration.refresh_from_db()
    assert configuration.run_times == "18:30"
    answer = steward.post(
        history(configuration), {"version": 2, "confirmed": "yes", "change_reason": "Too late"}, follow=True
    )
    configuration.refresh_from_db()
    newest = Version.objects.order_by("-id").first()
    assert configuration.run_times == "06:00" and "Customer is again as it was in version 2." in text_of(answer)
    assert (newest.number, newest.made_by, newest.door, newest.reason) == (4, "steward", "page", "Too late")


def test_who_may_only_look_sees_no_way_back_and_has_none(db):
    configuration, viewer = changed(), client_for("Viewer")
    assert "Go back to this version" not in text_of(viewer.get(history(configuration, version=2)))
    assert viewer.post(history(configuration), {"version": 2, "confirmed": "yes"}).status_code == 403
    configuration.refresh_from_db()
    assert configuration.run_times == "18:30"
    assert client_for("nobody").get(history(configuration)).status_code == 403


def test_what_cannot_go_back_is_told_and_nothing_is_changed(db):
    configuration, steward = changed(), client_for("Steward")
    Version.objects.filter(number=2).update(content={**DAILY, "calendar": "Gone"})
    answer = steward.post(history(configuration), {"version": 2, "confirmed": "yes"}, follow=True)
    configuration.refresh_from_db()
    assert "It cannot go back" in text_of(answer) and "Gone" in text_of(answer) and configuration.run_times == "18:30"


def test_people_limited_to_entities_see_the_history_of_theirs_alone(db):
    mine, other = changed("mine"), changed("other")
    client = client_of(make_limited("Steward", "mine"))
    assert client.get(history(mine)).status_code == 200
    assert client.get(history(other)).status_code == 403
    answer = client.post(history(other), {"version": 2, "confirmed": "yes"})
    other.refresh_from_db()
    assert answer.status_code == 403 and other.run_times == "18:30"


def test_a_version_of_a_plan_that_names_what_they_do_not_see_tells_them_nothing(db):
    for code in ("mine", "secret"):
        make_configuration(code)
    step, hidden = {"entity": "mine"}, {"entity": "secret"}
    load({"version": 1, "plans": [{"name": "Nightly", "steps": [step, hidden]}]}, now=clock.now())
    plan = Plan.objects.get()
    plan.steps.get(entity__code="secret").delete()
    load({"version": 1, "plans": [{"name": "Nightly", "description": "Mine", "steps": [step]}]}, now=clock.now())
    client = client_of(make_limited("Steward", "mine"))
    page = text_of(client.get(history(plan)))
    assert "It speaks of what you do not see." in page and "secret" not in page
    assert client.get(history(plan, version=1)).status_code == 403
    assert client.post(history(plan), {"version": 1, "confirmed": "yes"}).status_code == 403


def test_no_page_tells_people_limited_to_entities_of_a_step_that_they_do_not_see(db):
    for code in ("mine", "secret"):
        make_configuration(code)
    schedule = {"schedule_type": "daily", "run_times": ["06:00"], "is_enabled": True}
    plan_of = {"name": "Nightly", "schedule": schedule}
    load({"version": 1, "plans": [{**plan_of, "steps": [{"entity": "mine"}]}]}, now=clock.now())
    load({"version": 1, "plans": [{**plan_of, "steps": [{"entity": "mine"}, {"entity": "secret"}]}]}, now=clock.now())
    plan = Plan.objects.get()
    plan.steps.get(entity__code="secret").delete()
    address = reverse("admin:scheduling_plan_why_not", args=[plan.pk])
    assert "Step secret: added" in text_of(client_for("Steward").get(address))
    mine = client_of(make_limited("Steward", "mine")).get(address)
    assert mine.status_code == 200 and "secret" not in text_of(mine)
    Run.objects.create(kind="plan", plans=["Nightly"], fire_key="x", created_at=clock.now() - timedelta(hours=1))
    run = reverse("admin:scheduling_run_change", args=[Run.objects.get().pk])
    assert "Step secret: added" in text_of(client_for("Viewer").get(run))
    assert "secret" not in text_of(client_of(make_limited("Viewer", "mine")).get(run))


def test_going_back_to_scripts_needs_the_right_to_run_them(db):
    entity = make_configuration("shop").entity
    steps = [{"entity": entity.code}, {"script": "Tidy"}]
    scripts = [{"name": "Tidy", "sql": "select 1"}]
    load({"version": 1, "scripts": scripts, "plans": [{"name": "Nightly", "steps": steps}]}, now=clock.now())
    plan = Plan.objects.get()
    plan.steps.get(script__name="Tidy").delete()
    load({"version": 1, "plans": [{"name": "Nightly", "description": "x", "steps": steps[:1]}]}, now=clock.now())
    first = Version.objects.filter(subject_type="scheduling.plan").order_by("number").first()
    sent = {"version": first.number, "confirmed": "yes"}
    assert client_for("Steward").post(history(plan), sent).status_code == 403
    assert client_for("Administrator").post(history(plan), sent).status_code == 302
    assert plan.steps.count() == 2


def test_a_reason_is_asked_for_where_the_setting_says_so(db, settings):
    settings.CHANGE_REASON_REQUIRED = True
    configuration, steward = changed(), client_for("Steward")
    address = reverse("admin:scheduling_schedulerconfiguration_change", args=[configuration.pk])
    sent = {**DAILY, "is_enabled": "on", "timezone": "UTC"}
    refused = steward.post(address, sent)
    assert refused.status_code == 200 and "Say why you change this" in text_of(refused)
    assert steward.post(address, {**sent, "change_reason": "Asked for"}).status_code == 302
    configuration.refresh_from_db()
    assert configuration.run_times == "06:00"
    steward.post(history(configuration), {"version": 3, "confirmed": "yes"})
    configuration.refresh_from_db()
    assert configuration.run_times == "06:00"


def test_why_not_and_the_page_of_a_run_tell_what_was_changed(db):
    configuration, viewer = changed(), client_for("Viewer")
    address = reverse("admin:scheduling_schedulerconfiguration_why_not", args=[configuration.pk])
    assert "Changed by ann: At: 06:00 → 18:30" in text_of(viewer.get(address))
    earlier = clock.now() - timedelta(hours=1)
    for _ in range(2):
        run = Run.objects.create(kind="batch", entity=configuration.entity, fire_key=f"x{_}", created_at=earlier)
    page = text_of(viewer.get(reverse("admin:scheduling_run_change", args=[run.pk])))
    assert "It was changed meanwhile" in page and "At: 06:00 → 18:30" in page
    SchedulerLog.objects.all().delete()
    assert "It was changed meanwhile" not in text_of(viewer.get(address))


def test_what_was_only_noted_before_is_still_there(db):
    entity = Entity.objects.create(code="shop", name="Shop")
    client = client_for("superuser")
    assert "Nothing was changed since this installation keeps versions" in text_of(client.get(history(entity)))


def test_the_history_needs_few_statements(db, django_assert_max_num_queries):
    configuration, viewer = changed(), client_for("Viewer")
    viewer.get(history(configuration))
    with django_assert_max_num_queries(13):
        viewer.get(history(configuration))
    assert SchedulerConfiguration.objects.count() == 1
