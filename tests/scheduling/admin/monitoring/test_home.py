"""Promises of the start page and of the sign of life on every page."""

import html
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


def test_the_cards_count_failures_of_a_day_what_runs_and_rejected_rows(viewer):
    entity = make_configuration("customer").entity
    now = clock.now()
    for key, age, status in [("a", 1, "failed"), ("b", 30, "failed"), ("c", 1, "completed")]:
        ended = now - timedelta(hours=age)
        Run.objects.create(
            kind="batch", entity=entity, fire_key=key, created_at=ended, finished_at=ended, status=status
        )
    Run.objects.create(kind="batch", entity=entity, fire_key="d", created_at=now)
    for rejected in (5, 7, 0):
        Batch.objects.create(entity=entity, status="completed", created_at=now, finished_at=now, rejected=rejected)
    page = home(viewer)
    figures = [part.split("<")[0].strip() for part in page.split('class="figure">')[1:]]
    assert figures == ["1", "1", "12"]


def test_rejected_rows_of_a_day_are_counted_however_many_batches_came_later(viewer):
    entity, now = make_configuration("customer").entity, clock.now()
    counts = [249, *[0] * 600, 31]
    Batch.objects.bulk_create(
        Batch(entity=entity, status="completed", created_at=now, finished_at=now, rejected=count) for count in counts
    )
    Batch.objects.create(entity=entity, status="completed", created_at=now, finished_at=now - timedelta(hours=25),
                         rejected=1000)  # fmt: skip
    assert 'class="figure">280<' in home(viewer)


def test_the_next_runs_are_listed_in_order_with_their_sentence(viewer):
    for hours, code in [(2, "later"), (1, "sooner")]:
        make_configuration(code, processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                           next_scheduled_run=clock.now() + timedelta(hours=hours))  # fmt: skip
    page = home(viewer)
    assert page.index(">Sooner<") < page.index(">Later<") and "Every day at 06:00" in page


def test_an_empty_installation_says_what_to_do_first(administrator, viewer):
    assert "Define the first one" in home(administrator)
    assert "Ask an administrator" in home(viewer)


def test_someone_without_a_role_sees_no_figures():
    assert 'class="figure"' not in home(client_for("nobody"))


def test_the_start_page_costs_the_same_with_many_entities(superuser):
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            home(superuser)
        return len(captured)

    make_configuration("one", processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                       next_scheduled_run=clock.now())  # fmt: skip
    few = queries()
    for number in range(15):
        make_configuration(f"more_{number}", processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                           next_scheduled_run=clock.now())  # fmt: skip
    assert queries() == few <= 12


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
    assert f'<a href="/admin/scheduling/plan/{plan.pk}/change/">plan Nightly</a>' in page
    assert "plan Nightly" not in home(client_for("nobody"))


def test_what_is_paused_with_its_job_is_not_among_the_next_runs(viewer):
    job = Job.objects.create(name="Nightly", path="shop.jobs.nightly", source="shop/jobs.py:1")
    soon = clock.now() + timedelta(hours=1)
    JobSchedule.objects.create(
        job=job, name="Daily", schedule_type="daily", run_times="02:30", next_scheduled_run=soon, is_enabled=True
    )
    assert "Nightly" in home(viewer)
    pause(job, by="ann", reason="holidays", now=clock.now())
    assert "Nightly" not in home(viewer)


def test_a_number_opens_exactly_what_it_counted(viewer):
    entity, now = make_configuration("customer").entity, clock.now()
    good = Run.objects.create(kind="batch", entity=entity, fire_key="good", status="completed", created_at=now,
                              finished_at=now)  # fmt: skip
    for key, hours, better in (("counted", 1, None), ("old", 30, None), ("mended", 1, good)):
        ended = now - timedelta(hours=hours)
        Run.objects.create(kind="batch", entity=entity, fire_key=key, status="failed", created_at=ended,
                           finished_at=ended, made_good_by=better, title=key)  # fmt: skip
    for hours, rejected in ((1, 5), (30, 7), (1, 0)):
        ended = now - timedelta(hours=hours)
        Batch.objects.create(entity=entity, status="completed", created_at=ended, finished_at=ended, rejected=rejected)
    page = home(viewer)
    assert [part.split("<")[0].strip() for part in page.split('class="figure">')[1:]] == ["1", "0", "5"]
    links = [html.unescape(part.split('"')[0]) for part in page.split('href="')[1:]]
    (runs,) = [link for link in links if "status=still_failed" in link]
    (batches,) = [link for link in links if "rejected=24h" in link]
    assert [run.fire_key for run, *_ in viewer.get(runs).context["rows"]] == ["counted"]
    assert [batch.rejected for batch in viewer.get(batches).context["cl"].result_list] == [5]


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
