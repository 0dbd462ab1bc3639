"""Promises of the start page and of the sign of life on every page."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from scheduling import clock
from scheduling.models import BlackoutCalendar, Heartbeat, Job, JobSchedule, Plan, Run
from scheduling.schedules.pause import pause
from staging.models import Batch
from tests.scheduling.admin.conftest import client_for, make_configuration

pytestmark = pytest.mark.django_db


def beat(seconds_ago: int) -> None:
    seen = clock.now() - timedelta(seconds=seconds_ago)
    Heartbeat.objects.create(name=Heartbeat.DISPATCHER, kind="dispatcher", started_at=seen, seen_at=seen)


def home(client) -> str:
    response = client.get("/admin/")
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("path", ["/admin/", "/admin/scheduling/schedulerlog/", "/admin/password_change/"])
def test_every_page_tells_the_last_cycle(viewer, path):
    beat(14)
    page = viewer.get(path).content.decode()
    assert "Last cycle 14 s ago" in page or "Last cycle 15 s ago" in page
    assert "No scheduler is running" not in page


@pytest.mark.parametrize(("seconds", "alive"), [(150, True), (200, False)])
def test_three_intervals_of_silence_count_as_dead(viewer, seconds, alive):
    beat(seconds)
    assert ("nothing will start by itself" not in home(viewer)) is alive


def test_without_any_cycle_a_warning_says_that_nothing_will_start(viewer):
    assert "No scheduler is running: nothing will start by itself." in home(viewer)


def test_the_sign_of_life_is_not_for_strangers():
    page = client_for("anonymous").get("/admin/login/").content.decode()
    assert "No scheduler is running" not in page


def test_the_next_runs_are_listed_in_order_with_their_sentence(viewer):
    for hours, code in [(2, "later"), (1, "sooner")]:
        make_configuration(code, processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                           next_scheduled_run=clock.now() + timedelta(hours=hours))  # fmt: skip
    page = home(viewer).split('id="next-runs"')[1]
    assert page.index(">Sooner<") < page.index(">Later<") and "Every day at 06:00" in page


def test_an_empty_installation_says_what_to_do_first(administrator, viewer):
    assert "Define the first one" in home(administrator)
    assert "Ask an administrator" in home(viewer)


def test_someone_without_a_role_sees_no_figures():
    assert 'class="figure"' not in home(client_for("nobody"))


@pytest.mark.parametrize("role", ["superuser", "Viewer"])
def test_the_start_page_costs_ten_statements_with_one_entity_or_many(role):
    client = client_for(role)

    def queries() -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            home(client)
        return [query["sql"] for query in captured if "SAVEPOINT" not in query["sql"]]

    one = make_configuration("one", processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                             next_scheduled_run=clock.now(), last_result="completed")  # fmt: skip
    Run.objects.create(kind="batch", entity=one.entity, fire_key="a", created_at=clock.now())
    few = queries()
    for number in range(15):
        made = make_configuration(f"more_{number}", processing_mode="scheduled", schedule_type="daily",
                                  run_times="06:00", next_scheduled_run=clock.now())  # fmt: skip
        Batch.objects.create(entity=made.entity, status="completed", created_at=clock.now(), finished_at=clock.now())
    many = queries()
    assert len(many) == len(few) <= 10, many


def test_no_page_of_ours_needs_inline_script_or_style(superuser):
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    configuration = make_configuration(
        "customer", processing_mode="scheduled", schedule_type="interval", interval_minutes=60, calendar=calendar,
        next_scheduled_run=clock.now(),
    )  # fmt: skip
    for path in ("", "scheduling/", "scheduling/schedulerconfiguration/", "scheduling/schedulerlog/", "scheduling/run/",
                 "scheduling/queue/", "scheduling/heartbeat/", "scheduling/retentionpolicy/1/change/",
                 f"scheduling/schedulerconfiguration/{configuration.pk}/change/",
                 f"scheduling/schedulerconfiguration/{configuration.pk}/process/",
                 f"scheduling/schedulerconfiguration/{configuration.pk}/test-run/",
                 f"scheduling/schedulerconfiguration/{configuration.pk}/pause/",
                 f"scheduling/schedulerconfiguration/{configuration.pk}/why-not/",
                 "scheduling/schedulerconfiguration/forecast/?span=7d", "scheduling/blackoutcalendar/",
                 f"scheduling/blackoutcalendar/{calendar.pk}/change/",
                 f"scheduling/blackoutcalendar/{calendar.pk}/import/"):  # fmt: skip
        response = superuser.get(f"/admin/{path}")
        page = response.content.decode()
        assert response.status_code == 200
        assert "style=" not in page and "<style" not in page and "onclick" not in page and "<script>" not in page, path
        assert "default-src 'self'" in response.headers["Content-Security-Policy"]
        assert "unsafe" not in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize(("path", "status", "words"), [
    ("/admin/scheduling/schedulerlog/add/", 403, "You may not do this"),
    ("/admin/scheduling/nothing/", 404, "There is nothing here"), ("/nothing/", 404, "There is nothing here"),
])  # fmt: skip
def test_a_closed_door_says_so_in_our_words(viewer, path, status, words):
    response = viewer.get(path)
    assert response.status_code == status and words in response.content.decode()


def test_the_warning_names_what_starts_the_scheduler_in_this_profile(viewer, settings):
    settings.CELERY_BROKER_URL = ""
    assert "run_local" in home(viewer)
    settings.CELERY_BROKER_URL = "redis://somewhere"
    assert "Celery beat" in home(viewer)


def test_the_next_runs_name_plans_too_for_people_who_may_see_them(viewer):
    from scheduling.plans.draft import PlanDraft
    from scheduling.plans.save import save_plan

    daily = {"schedule_type": "daily", "run_times": "02:30"}
    plan = save_plan(PlanDraft(Plan(name="Nightly"), daily), now=clock.now())
    page = home(viewer)
    assert f'<a href="/admin/scheduling/plan/{plan.pk}/change/">Plan Nightly</a>' in page
    assert "Plan Nightly" not in home(client_for("nobody"))


def test_what_is_paused_with_its_job_is_not_among_the_next_runs(viewer):
    job = Job.objects.create(name="Nightly", path="shop.jobs.nightly", source="shop/jobs.py:1")
    soon = clock.now() + timedelta(hours=1)
    JobSchedule.objects.create(
        job=job, name="Daily", schedule_type="daily", run_times="02:30", next_scheduled_run=soon, is_enabled=True
    )
    assert "Nightly" in home(viewer)
    pause(job, by="ann", reason="holidays", now=clock.now())
    assert "Nightly" not in home(viewer)


def test_a_failed_run_that_was_made_good_is_not_red_in_the_list(viewer):
    entity, now = make_configuration("customer").entity, clock.now()
    good = Run.objects.create(kind="batch", entity=entity, fire_key="good", status="completed", created_at=now,
                              finished_at=now)  # fmt: skip
    bad = Run.objects.create(kind="batch", entity=entity, fire_key="bad", status="failed", created_at=now,
                             finished_at=now, made_good_by=good)  # fmt: skip
    beat(1)
    page = viewer.get("/admin/scheduling/run/").content.decode()
    assert "made good" in page and "badge-bad" not in page and f"run {good.pk}</a> completed what was left" in page
    assert f"run {good.pk}</a>" in viewer.get(f"/admin/scheduling/run/{bad.pk}/change/").content.decode()


def test_a_run_that_was_made_good_offers_no_restart(operator):
    """It would be refused."""
    now = clock.now()
    good, bad = (
        Run.objects.create(kind="plan", fire_key=status, status=status, created_at=now, finished_at=now)
        for status in ("completed", "failed")
    )
    address = f"/admin/scheduling/run/{bad.pk}/change/"
    assert "run-restart" in operator.get(address).content.decode()
    Run.objects.filter(pk=bad.pk).update(made_good_by=good)
    assert "run-restart" not in operator.get(address).content.decode()
