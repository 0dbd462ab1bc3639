"""Promises of the schedule form: rules at their field, only the settings are saved, history tells what changed."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.urls import reverse

from scheduling import clock
from scheduling.admin.configurations.form import FIELDSETS
from scheduling.models import BlackoutCalendar, Run, SchedulerConfiguration, SchedulerLog
from scheduling.schedules.rules import schedule_errors
from scheduling.schedules.settings import used_by
from scheduling.states import ProcessingMode, ScheduleType
from tests.scheduling.admin.conftest import make_configuration

pytestmark = pytest.mark.django_db
DAILY = {
    "processing_mode": "scheduled", "is_enabled": "on", "schedule_type": "daily", "run_times": "18:00, 6:00",
    "timezone": "Europe/Amsterdam",
}  # fmt: skip


def url_of(configuration, page="change") -> str:
    return reverse(f"admin:scheduling_schedulerconfiguration_{page}", args=[configuration.pk])


def post(client, configuration, values, page="change"):
    return client.post(url_of(configuration, page), values)


def fresh(configuration) -> SchedulerConfiguration:
    return SchedulerConfiguration.objects.get(pk=configuration.pk)


def errors_of(response) -> dict[str, list[str]]:
    return dict(response.context["adminform"].form.errors)


@pytest.mark.parametrize(("mode", "kind"), [
    ("manual", ""), ("triggered", ""), *(("scheduled", kind) for kind in ScheduleType.values)
])  # fmt: skip
def test_what_the_page_shows_for_a_mode_is_what_the_mode_uses(mode, kind):
    shown = set()
    for _, options in FIELDSETS:
        modes = [name[9:] for name in options["classes"] if name.startswith("for-mode-")]
        kinds = [name[9:] for name in options["classes"] if name.startswith("for-type-")]
        if (not modes or mode in modes) and (not kinds or kind in kinds):
            shown |= set(options["fields"])
    assert shown | {"timezone"} == used_by(mode, kind)


def test_a_daily_schedule_is_saved_in_its_one_form_with_its_next_run(steward):
    configuration = make_configuration("customer")
    response = post(steward, configuration, DAILY)
    assert response.status_code == 302, errors_of(response)
    saved = fresh(configuration)
    assert (saved.processing_mode, saved.schedule_type, saved.run_times) == ("scheduled", "daily", "06:00,18:00")
    assert saved.next_scheduled_run > clock.now() and saved.armed_from is not None


def test_saving_fires_nothing(steward):
    configuration = make_configuration("customer")
    post(steward, configuration, DAILY)
    assert not Run.objects.exists() and SchedulerLog.objects.get().event_type == "changed"


def test_it_works_with_every_field_sent_and_with_only_the_shown_ones(steward):
    for code, extra in [("plain", {"interval_minutes": "5", "trigger_row_threshold": "9", "cron_expression": "x",
                                   "run_days": ["mon"], "window_start": "nonsense"}), ("scripted", {})]:  # fmt: skip
        configuration = make_configuration(code)
        assert post(steward, configuration, {**DAILY, **extra}).status_code == 302
        saved = fresh(configuration)
        assert (saved.interval_minutes, saved.trigger_row_threshold, saved.cron_expression) == (None, None, "")


BROKEN = [
    ("schedule_type", {"processing_mode": "scheduled"}),
    ("run_times", {"processing_mode": "scheduled", "schedule_type": "daily"}),
    ("run_times", {"processing_mode": "scheduled", "schedule_type": "daily", "run_times": "25:00"}),
    ("run_days", {"processing_mode": "scheduled", "schedule_type": "weekly", "run_times": "06:00"}),
    ("run_days_of_month", {"processing_mode": "scheduled", "schedule_type": "monthly", "run_times": "06:00"}),
    ("interval_minutes", {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": "0"}),
    ("interval_minutes", {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": "1441"}),
    ("interval_minutes", {"processing_mode": "scheduled", "schedule_type": "interval", "interval_minutes": "soon"}),
    ("cron_expression", {"processing_mode": "scheduled", "schedule_type": "cron", "cron_expression": "0 6 30 2 *"}),
    (
        "interval_start",
        {
            "processing_mode": "scheduled",
            "schedule_type": "interval",
            "interval_minutes": "5",
            "interval_anchor": "start",
        },
    ),
    (
        "interval_start",
        {
            "processing_mode": "scheduled",
            "schedule_type": "interval",
            "interval_minutes": "5",
            "interval_anchor": "start",
            "interval_start": "soon",
        },
    ),
    (
        "run_weeks_of_month",
        {
            "processing_mode": "scheduled",
            "schedule_type": "monthly_nth_weekday",
            "run_days": "mon",
            "run_times": "06:00",
        },
    ),
    (
        "run_days",
        {
            "processing_mode": "scheduled",
            "schedule_type": "monthly_nth_weekday",
            "run_weeks_of_month": "last",
            "run_times": "06:00",
        },
    ),
    (
        "run_months",
        {"processing_mode": "scheduled", "schedule_type": "yearly", "run_days_of_month": "1", "run_times": "06:00"},
    ),
    (
        "run_days_of_month",
        {
            "processing_mode": "scheduled",
            "schedule_type": "yearly",
            "run_months": "2",
            "run_days_of_month": "30",
            "run_times": "06:00",
        },
    ),
    ("run_once_at", {"processing_mode": "scheduled", "schedule_type": "once"}),
    ("every_n_months", {**DAILY, "schedule_type": "monthly", "run_days_of_month": "1", "every_n_months": "0"}),
    ("catch_up_limit", {**DAILY, "catch_up": "all", "catch_up_limit": "0"}),
    ("trigger_on_new_rows", {"processing_mode": "triggered"}),
    ("trigger_row_threshold", {"processing_mode": "triggered", "trigger_row_threshold": "0"}),
    ("trigger_idle_minutes", {"processing_mode": "triggered", "trigger_idle_minutes": "-5"}),
    ("trigger_row_threshold", {"processing_mode": "triggered", "trigger_row_threshold": "9" * 30}),
]


@pytest.mark.parametrize(("field", "values"), BROKEN)
def test_a_broken_rule_is_told_at_its_field_in_the_words_of_the_rules_and_saves_nothing(steward, field, values):
    configuration = make_configuration("customer")
    response = post(steward, configuration, values)
    assert response.status_code == 200
    raw = {name: int(value) if value.lstrip("-").isdigit() else value for name, value in values.items()}
    chosen = ("schedule_type", "run_weeks_of_month")  # fields that show their choices
    told = {name: ["Choose one."] if name in chosen else texts for name, texts in schedule_errors(raw).items()}
    assert errors_of(response) == told
    assert field in errors_of(response)
    assert fresh(configuration).processing_mode == "manual"
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize("values", [
    {}, {"processing_mode": "sometimes"}, {**DAILY, "timezone": "Mars/Olympus"}, {**DAILY, "starts_on": "32.13."},
    {**DAILY, "run_times": "06:00\x00"}, {**DAILY, "schedule_type": "hourly"},
    {**DAILY, "schedule_type": "weekly", "run_days": ["mon", "someday"]},
])  # fmt: skip
def test_mangled_input_is_an_error_on_the_page(steward, values):
    configuration = make_configuration("customer")
    response = post(steward, configuration, values)
    assert response.status_code == 200 and errors_of(response)
    assert fresh(configuration).processing_mode == "manual"


def test_a_stale_form_cannot_overwrite_the_guard_of_a_running_batch(steward):
    configuration = make_configuration("customer")
    steward.get(url_of(configuration))
    started = clock.now()
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(
        is_running=True, run_started_at=started, run_started_by="Schedule", fire_count=7, last_fired_at=started
    )
    post(steward, configuration, DAILY)
    saved = fresh(configuration)
    assert (saved.is_running, saved.run_started_at, saved.fire_count) == (True, started, 7)
    assert saved.schedule_type == "daily"


def test_an_unchanged_save_moves_nothing_and_leaves_no_history(steward):
    configuration = make_configuration("customer")
    post(steward, configuration, DAILY)
    before = SchedulerConfiguration.objects.filter(pk=configuration.pk).values().get()
    LogEntry.objects.all().delete()
    post(steward, configuration, DAILY)
    assert SchedulerConfiguration.objects.filter(pk=configuration.pk).values().get() == before


def test_history_names_what_changed(steward):
    configuration = make_configuration("customer")
    post(steward, configuration, DAILY)
    entry = LogEntry.objects.get()
    assert entry.user.username == "steward"
    message = entry.get_change_message()
    assert "How often" in message and "At" in message and "Cron" not in message
    assert steward.get(url_of(configuration, "history")).status_code == 200


def test_weekdays_and_month_days_come_back_ticked(steward):
    configuration = make_configuration("customer")
    weekly = {**DAILY, "schedule_type": "weekly", "run_days": ["mon", "fri"]}
    assert post(steward, configuration, weekly).status_code == 302
    assert fresh(configuration).run_days == "mon,fri"
    page = steward.get(url_of(configuration)).content.decode()
    assert page.count("checked") >= 4
    monthly = {**DAILY, "schedule_type": "monthly", "run_days_of_month": [*map(str, range(1, 32)), "last"]}
    assert post(steward, configuration, monthly).status_code == 302
    assert fresh(configuration).run_days == "" and fresh(configuration).run_days_of_month.endswith("31,last")


KINDS = [
    ({"schedule_type": "daily"}, "Every day at 06:00 and 18:00, Europe/Amsterdam"),
    ({"schedule_type": "cron", "cron_expression": "0 6 * * *"},
     "Cron 0 6 * * *: at 06:00, every day, Europe/Amsterdam"),
    ({"schedule_type": "monthly_nth_weekday", "run_weeks_of_month": "last", "run_days": ["fri"],
      "run_months": ["1", "7"]}, "On the last Friday of January and July at 06:00 and 18:00, Europe/Amsterdam"),
    ({"schedule_type": "yearly", "run_months": ["2"], "run_days_of_month": ["last"]},
     "Every year on the last day of February at 06:00 and 18:00, Europe/Amsterdam"),
    ({"schedule_type": "once", "run_once_at": "2099-06-15T09:00"},
     "Once on 2099-06-15 at 09:00, Europe/Amsterdam"),
    ({"schedule_type": "interval", "interval_minutes": "90", "interval_anchor": "start",
      "interval_start": "2026-06-15T09:00"}, "Every 90 minutes, counted from 2026-06-15 09:00, Europe/Amsterdam"),
    ({"schedule_type": "monthly", "run_days_of_month": ["1"], "every_n_months": "3", "anchor_date": "2026-02-01"},
     "On the 1st of every 3rd month at 06:00 and 18:00, Europe/Amsterdam"),
    ({"schedule_type": "weekly", "run_days": ["mon"], "every_n_weeks": "2", "anchor_date": "2026-01-05"},
     "Every 2 weeks on Monday at 06:00 and 18:00, Europe/Amsterdam"),
]  # fmt: skip


def test_every_kind_is_in_the_list():
    assert {kind["schedule_type"] for kind, _ in KINDS} == set(ScheduleType.values)


@pytest.mark.parametrize(("kind", "sentence"), KINDS)
def test_every_kind_is_previewed_saved_and_shown_again_unchanged(steward, kind, sentence):
    configuration = make_configuration("customer")
    values = {**DAILY, **kind}
    answer = post(steward, configuration, values, "preview").json()
    assert (answer["sentence"], answer["errors"]) == (sentence, {}) and answer["fires"]
    response = post(steward, configuration, values)
    assert response.status_code == 302, errors_of(response)
    before = SchedulerConfiguration.objects.filter(pk=configuration.pk).values().get()
    assert before["next_scheduled_run"].isoformat() == answer["fires"][0]["at"]
    page = steward.get(url_of(configuration))
    assert sentence in page.content.decode()
    form = page.context["adminform"].form
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, "", False)}
    assert post(steward, configuration, sent).status_code == 302
    assert SchedulerConfiguration.objects.filter(pk=configuration.pk).values().get() == before


def test_a_first_moment_in_the_second_copy_of_an_hour_survives_an_untouched_save(steward):
    second_copy = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)  # 02:30 in Amsterdam, once more
    configuration = make_configuration(
        "customer", processing_mode="scheduled", schedule_type="interval", interval_minutes=60,
        interval_anchor="start", interval_start=second_copy, timezone="Europe/Amsterdam",
    )  # fmt: skip
    values = {**DAILY, "schedule_type": "interval", "interval_minutes": "60", "interval_anchor": "start"}
    assert post(steward, configuration, {**values, "interval_start": "2026-10-25T02:30"}).status_code == 302
    assert fresh(configuration).interval_start == second_copy
    assert post(steward, configuration, {**values, "interval_start": "2026-10-25T02:31"}).status_code == 302
    assert fresh(configuration).interval_start == second_copy - timedelta(minutes=59)


def test_once_in_the_past_is_refused_until_it_has_run_then_it_stays(steward):
    configuration = make_configuration("customer")
    once = {**DAILY, "schedule_type": "once", "run_once_at": "2020-01-01T09:00"}
    assert "lies in the past" in errors_of(post(steward, configuration, once))["run_once_at"][0]
    assert "lies in the past" in post(steward, configuration, once, "preview").json()["errors"]["run_once_at"][0]
    ran = make_configuration(
        "ran", processing_mode="scheduled", schedule_type="once", run_once_at="2020-01-01 09:00",
        timezone="Europe/Amsterdam",
    )  # fmt: skip
    assert post(steward, ran, {**once, "catch_up": "last"}).status_code == 302
    assert "This has passed: it does not run again" in steward.get(url_of(ran)).content.decode()


def test_calendar_and_missed_runs_are_chosen_in_folded_sections_and_kept_by_mode(steward):
    configuration = make_configuration("customer")
    calendar = BlackoutCalendar.objects.create(name="Holidays")
    extra = {"calendar": str(calendar.pk), "catch_up": "all", "catch_up_limit": "3", "catch_up_window_minutes": "60"}
    assert post(steward, configuration, {**DAILY, **extra}).status_code == 302
    saved = fresh(configuration)
    assert (saved.calendar, saved.catch_up, saved.catch_up_limit) == (calendar, "all", 3)
    assert "Blackout calendar" in LogEntry.objects.get().get_change_message()
    page = steward.get(url_of(configuration)).content.decode()
    assert page.count("<details>") >= 2
    triggered = {"processing_mode": "triggered", "trigger_on_new_rows": "on", **extra}
    assert post(steward, configuration, triggered).status_code == 302
    assert (fresh(configuration).calendar, fresh(configuration).catch_up) == (calendar, "none")
    assert "calendar" in errors_of(post(steward, configuration, {**DAILY, "calendar": "999"}))


def test_the_stored_zone_stays_when_the_page_sends_none(steward):
    configuration = make_configuration("customer", timezone="Europe/Amsterdam")
    assert post(steward, configuration, {"processing_mode": "manual", "is_enabled": "on"}).status_code == 302
    assert fresh(configuration).timezone == "Europe/Amsterdam"


def test_the_page_shows_sentence_and_five_next_runs_without_any_script(viewer):
    configuration = make_configuration(
        "customer", processing_mode="scheduled", schedule_type="daily", run_times="06:00", timezone="Europe/Amsterdam"
    )
    page = viewer.get(url_of(configuration)).content.decode()
    assert page.count("06:00:00 Europe/Amsterdam") >= 5
    assert "Every day at 06:00" in page


def test_the_preview_answers_for_unsaved_values_and_saves_nothing(steward):
    configuration = make_configuration("customer")
    answer = post(steward, configuration, DAILY, "preview").json()
    assert len(answer["fires"]) == 5 and "06:00" in answer["sentence"] and answer["errors"] == {}
    assert fresh(configuration).processing_mode == "manual"
    problem = post(steward, configuration, {**DAILY, "run_times": "<b>"}, "preview").json()
    assert problem["fires"] == [] and problem["errors"]["run_times"][0].startswith("At: '<b>' is not a time")
    nothing_chosen = post(steward, configuration, {"processing_mode": "scheduled"}, "preview").json()
    assert nothing_chosen["errors"] == {"schedule_type": ["How often: Choose one."]}


@pytest.mark.parametrize("mode", [ProcessingMode.MANUAL, ProcessingMode.TRIGGERED])
def test_modes_without_a_cadence_have_a_sentence_and_no_runs(steward, mode):
    configuration = make_configuration("customer")
    values = {"processing_mode": mode, "trigger_row_threshold": "500", "is_enabled": "on"}
    answer = post(steward, configuration, values, "preview").json()
    assert answer["fires"] == [] and answer["sentence"]


def test_a_test_run_of_unsaved_values_counts_from_now_and_saves_nothing(steward):
    just_now = clock.now() - timedelta(minutes=1)
    configuration = make_configuration(
        "customer", processing_mode="scheduled", schedule_type="daily", run_times="06:00", next_scheduled_run=just_now
    )
    before = SchedulerConfiguration.objects.filter(pk=configuration.pk).values().get()
    due = steward.get(url_of(configuration, "test_run")).content.decode()
    assert "Would fire: Yes" in due
    unsaved = post(steward, configuration, DAILY, "test_run").content.decode()
    assert "Would fire: No" in unsaved and "They are not saved" in unsaved
    assert SchedulerConfiguration.objects.filter(pk=configuration.pk).values().get() == before
    assert not SchedulerLog.objects.exists() and not Run.objects.exists() and not LogEntry.objects.exists()


def test_a_test_run_of_invalid_values_tells_the_errors(steward):
    configuration = make_configuration("customer")
    response = post(steward, configuration, {**DAILY, "run_times": "25:00"}, "test_run")
    assert response.status_code == 200 and "cannot be tested yet" in response.content.decode()


def test_an_unknown_schedule_is_not_a_traceback(steward):
    missing = SchedulerConfiguration(pk=999_999)
    assert steward.get(url_of(missing), follow=True).status_code == 200
    for page in ("test_run", "process"):
        assert steward.get(url_of(missing, page)).status_code == 404
    assert steward.post(url_of(missing, "preview")).status_code == 404


def test_a_viewer_sees_only_what_the_mode_uses(viewer):
    configuration = make_configuration("customer", processing_mode="triggered", trigger_row_threshold=500)
    page = viewer.get(url_of(configuration)).content.decode()
    assert "500" in page and "field-trigger_row_threshold" in page
    assert "field-cron_expression" not in page and "field-timezone" not in page and '<input type="submit"' not in page


def test_two_people_at_one_form_do_not_overwrite_each_other_silently(steward, administrator):
    configuration = make_configuration("customer")
    seen = steward.get(url_of(configuration)).context["adminform"].form["seen"].value()
    triggered = {"processing_mode": "triggered", "trigger_row_threshold": "7", "is_enabled": "on"}
    assert post(administrator, configuration, {**triggered, "seen": seen}).status_code == 302
    response = post(steward, configuration, {**DAILY, "seen": seen})
    assert "Somebody else changed this configuration" in response.content.decode()
    assert fresh(configuration).processing_mode == "triggered"
    seen = steward.get(url_of(configuration)).context["adminform"].form["seen"].value()
    assert post(steward, configuration, {**DAILY, "seen": seen}).status_code == 302


def test_a_batch_that_starts_meanwhile_is_no_reason_to_refuse_the_save(steward):
    configuration = make_configuration("customer")
    seen = steward.get(url_of(configuration)).context["adminform"].form["seen"].value()
    SchedulerConfiguration.objects.filter(pk=configuration.pk).update(is_running=True, run_started_at=clock.now())
    assert post(steward, configuration, {**DAILY, "seen": seen}).status_code == 302


def test_an_entity_whose_table_is_gone_is_told_on_test_run_and_process(steward):
    configuration = make_configuration("customer", processing_mode="triggered", trigger_row_threshold=5)
    connection.cursor().execute("DROP TABLE stg_customer")
    for page in ("test_run", "process"):
        assert "staging table cannot be read" in steward.get(url_of(configuration, page)).content.decode()
