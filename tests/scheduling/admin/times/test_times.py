"""Promises about time on pages: one zone in one column, the reader's, guessed once and changed by one click."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from scheduling import clock
from scheduling.models import PersonalChoices
from staging.models import Batch
from tests.scheduling.admin.conftest import make_configuration, make_event, make_user

pytestmark = pytest.mark.django_db
SWITCH = "/admin/scheduling/schedulerconfiguration/times/switch/"
TIMES = "/admin/scheduling/schedulerconfiguration/times/"
LOG = "/admin/scheduling/schedulerlog/?period=all"
LIST = "/admin/scheduling/schedulerconfiguration/"
NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)


def sign_in(zone: str = "", role: str = "Steward") -> Client:
    """Return a browser in this zone, in which somebody has just signed in by the form."""
    if not User.objects.filter(username=role.lower()).exists():
        make_user(role)
    client = Client()
    if zone:
        client.cookies["browser_zone"] = zone
    answer = client.post("/admin/login/?next=/admin/", {"username": role.lower(), "password": "secret"})
    assert answer.status_code == 302
    return client


def page(client: Client, path: str) -> str:
    return client.get(path).content.decode()


def test_the_browsers_zone_becomes_the_persons_at_the_first_sign_in_and_stays():
    make_event(event_time=NOON)
    assert "2026-07-01 14:00:00" in page(sign_in("Europe/Amsterdam"), LOG)
    travelling = page(sign_in("Asia/Tokyo"), LOG)
    assert "2026-07-01 14:00:00" in travelling and "Europe/Amsterdam" in travelling
    assert PersonalChoices.objects.get().timezone == "Europe/Amsterdam"


@pytest.mark.parametrize("zone", ["", "Europe/Nowhere", "<script>", "../../etc/passwd", "x" * 5000])
def test_without_a_zone_that_we_know_pages_are_in_the_sites(zone):
    make_event(event_time=NOON)
    client = sign_in(zone)
    assert "2026-07-01 12:00:00" in page(client, LOG) and not PersonalChoices.objects.exists()


def test_one_click_shows_mine_each_schedules_or_utc_on_the_same_page():
    client = sign_in("Asia/Tokyo")
    make_configuration("customer", processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                       timezone="Europe/Amsterdam", next_scheduled_run=NOON + timedelta(days=3650))  # fmt: skip
    for times, hour, zone in [("mine", "21:00", "Asia/Tokyo"), ("schedules", "14:00", "Europe/Amsterdam"),
                              ("utc", "12:00", "UTC")]:  # fmt: skip
        answer = client.post(SWITCH, {"times_shown": times, "next": LIST})
        assert answer.headers["Location"] == LIST
        shown = page(client, LIST)
        assert re.search(rf"{hour}:00 {zone}</time>", shown), times
        assert f'value="{times}" aria-pressed="true"' in shown


def test_a_column_has_one_zone_whatever_the_schedules_zones():
    client = sign_in("Europe/Amsterdam")
    for code, zone in [("tokyo", "Asia/Tokyo"), ("york", "America/New_York"), ("utc", "UTC")]:
        make_configuration(code, processing_mode="scheduled", schedule_type="daily", run_times="06:00", timezone=zone,
                           next_scheduled_run=NOON + timedelta(days=3650))  # fmt: skip
    shown = re.findall(r"<time[^>]*>([^<]+)</time>", page(client, LIST))
    assert len(shown) == 3 and {words.split()[-1] for words in shown} == {"Europe/Amsterdam"}


def test_the_choice_stays_at_the_next_sign_in_and_in_the_next_browser():
    sign_in("Asia/Tokyo").post(SWITCH, {"times_shown": "utc"})
    make_event(event_time=NOON)
    assert "2026-07-01 12:00:00" in page(sign_in("America/New_York"), LOG)


def test_the_zone_is_chosen_on_a_page_with_the_usual_ones_first():
    client = sign_in("Europe/Amsterdam")
    form = page(client, f"{TIMES}?next={LIST}")
    zones = re.findall(r"<option[^>]*>([^<]+)</option>", form)
    assert zones[:2] == ["Europe/Amsterdam", "UTC"] and len(zones) == len(set(zones)) > 400
    assert 'data-search="Search time zones"' in form
    answer = client.post(TIMES, {"timezone": "America/New_York", "times_shown": "mine", "next": LIST})
    assert answer.headers["Location"] == LIST
    make_event(event_time=NOON)
    assert "2026-07-01 08:00:00" in page(client, LOG)


@pytest.mark.parametrize("to", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "\\\\evil", ""])
def test_nobody_is_led_to_another_site(to):
    client = sign_in("UTC")
    assert client.post(SWITCH, {"times_shown": "utc", "next": to}).headers["Location"] == "/admin/"


def test_who_has_no_zone_yet_is_asked_for_it():
    assert sign_in().post(SWITCH, {"times_shown": "mine"}).headers["Location"] == TIMES


def test_a_zone_that_is_none_is_refused_in_words():
    answer = sign_in("UTC").post(TIMES, {"timezone": "Europe/Nowhere", "times_shown": "mine"})
    assert answer.status_code == 200 and "Select a valid choice" in answer.content.decode()


def test_a_day_of_a_filter_begins_at_the_readers_midnight():
    client = sign_in("Asia/Tokyo")
    make_event(event_time=datetime(2026, 7, 1, 16, 0, tzinfo=UTC), message="It is the second in Tokyo.")
    assert "second in Tokyo" in page(client, "/admin/scheduling/schedulerlog/?at=2026-07-02&period=24h")
    assert "second in Tokyo" not in page(client, "/admin/scheduling/schedulerlog/?at=2026-07-01&period=24h")


def test_stock_pages_write_instants_as_ours_do_and_in_the_same_zone():
    client = sign_in("Europe/Amsterdam", role="superuser")
    make_configuration("customer")
    person = User.objects.get()
    from django.contrib.admin.models import LogEntry

    LogEntry.objects.log_actions(person.pk, [person], 2, "Changed.", single_object=True)
    LogEntry.objects.update(action_time=NOON)
    assert "2026-07-01 14:00:00" in page(client, f"/admin/auth/user/{person.pk}/history/")


def test_every_page_says_in_which_zone_its_times_are():
    """Stock pages too, which have no table of ours that says so."""
    reader, entity = sign_in("Asia/Tokyo"), make_configuration("branch").entity
    batch = Batch.objects.create(entity=entity, status="completed", created_at=NOON, finished_at=NOON)
    for path in ("batch/", f"batch/{batch.pk}/change/", f"entity/{entity.pk}/history/", f"entity/{entity.pk}/rows/"):
        shown = page(reader, f"/admin/staging/{path}")
        assert "Times are in Asia/Tokyo unless they name another zone." in shown, path
    assert "Times are in" not in page(Client(), "/admin/login/")


def test_pages_of_people_without_choices_and_the_api_stay_as_they_are(viewer):
    configuration = make_configuration("customer", processing_mode="scheduled", schedule_type="daily",
                                       run_times="06:00", timezone="Europe/Amsterdam",
                                       next_scheduled_run=clock.now())  # fmt: skip
    assert "Europe/Amsterdam" in page(viewer, f"{LIST}{configuration.pk}/change/")
    assert not PersonalChoices.objects.exists()


def test_dismissed_first_steps_stay_dismissed():
    client = sign_in("UTC", role="Administrator")
    assert "First steps" in page(client, "/admin/")
    client.post("/admin/scheduling/schedulerconfiguration/first-steps/dismiss/")
    assert "First steps" not in page(client, "/admin/")
    assert "First steps" not in page(sign_in("UTC", role="Administrator"), "/admin/")
