"""Promises of the schedules list and its bulk actions."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from scheduling import clock
from scheduling.models import Run, SchedulerConfiguration, SchedulerLog
from staging.models import Batch
from staging.states import BatchStatus
from tests.scheduling.admin.conftest import make_configuration

pytestmark = pytest.mark.django_db
LIST = "/admin/scheduling/schedulerconfiguration/"


def deposit(code: str, rows: int) -> None:
    with connection.cursor() as cursor:
        for number in range(rows):
            cursor.execute(f"INSERT INTO stg_{code} (code, name) VALUES (%s, %s)", [f"C{number}", "x"])


def act(client, action, configurations, **extra):
    chosen = [str(configuration.pk) for configuration in configurations]
    return client.post(LIST, {"action": action, "_selected_action": chosen, "index": "0", **extra}, follow=True)


def test_a_row_tells_mode_sentence_next_run_result_and_pending_rows(viewer):
    make_configuration("customer", processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                       timezone="Europe/Amsterdam", next_scheduled_run=clock.now(), last_result="failed")  # fmt: skip
    deposit("customer", 3)
    page = viewer.get(LIST).content.decode()
    for expected in ("Customer", "Every day at 06:00", "Europe/Amsterdam", "failed"):
        assert expected in page
    assert ">3 wait<" in page


@pytest.mark.parametrize(("address", "most"), [(LIST, 13), (f"{LIST}?attention=first", 17)])
def test_the_list_asks_the_same_number_of_queries_for_two_and_for_twenty(superuser, address, most):
    """What needs attention comes first for the price of what says so: no table is looked at twice."""

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert superuser.get(address).status_code == 200
        return len(captured)

    for number in range(2):
        make_configuration(f"entity_{number}", processing_mode="triggered", trigger_row_threshold=5)
    few = queries()
    for number in range(2, 20):
        make_configuration(f"entity_{number}", processing_mode="scheduled", schedule_type="daily", run_times="06:00")
    assert queries() == few <= most


def test_the_last_twenty_results_are_bars_that_lead_to_their_batches(viewer):
    """Each says what it is; the newest is the last one, and a batch that still runs is no result."""
    entity = make_configuration("customer").entity
    now = clock.now()
    states = ["failed", *["completed"] * 20, "held", "running"]
    made = [
        Batch.objects.create(
            entity=entity,
            status=status,
            created_at=now,
            finished_at=now if status in BatchStatus.final() else None,
            duration_ms=10**number,
        )
        for number, status in enumerate(states, start=-5)
    ]
    cells = re.findall(
        r'<a class="bar bar-(\w+) bar-(\d)" href="([^"]+)" title="([^"]+)">', viewer.get(LIST).content.decode()
    )
    ended = [batch for batch in made if batch.status in BatchStatus.final()][-20:]
    assert [reverse("admin:staging_batch_change", args=[batch.pk]) for batch in ended] == [cell[2] for cell in cells]
    assert all(f"Batch {batch.pk}: {batch.status}" in cell[3] for batch, cell in zip(ended, cells, strict=True))
    assert [int(cell[1]) for cell in cells] == sorted(int(cell[1]) for cell in cells) and cells[0][1] == "1"


def test_rows_that_wait_and_rejected_ones_lead_to_themselves(viewer):
    configuration = make_configuration("customer")
    deposit("customer", 3)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE stg_customer SET import_status = 2, error_code = 1, error_message = 'x' WHERE id = 1")
    rows = reverse("admin:staging_rows", args=[configuration.entity_id])
    page = viewer.get(LIST).content.decode()
    assert f'href="{rows}?status=waiting">2 wait<' in page and f'href="{rows}?status=rejected">1 rejected<' in page
    assert all(viewer.get(rows, {"status": status}).status_code == 200 for status in ("waiting", "rejected"))


def _needs_nothing(code):
    return make_configuration(code, last_result="completed")


def _failed(code):
    return make_configuration(code, last_result="failed")


def _held(code):
    made = make_configuration(code)
    Batch.objects.create(entity=made.entity, status="held", created_at=clock.now())
    return made


def _late(code):
    before = clock.now() - timedelta(hours=1)
    return make_configuration(code, processing_mode="scheduled", schedule_type="daily", run_times="06:00",
                              next_scheduled_run=before)  # fmt: skip


def _rejected(code):
    made = make_configuration(code)
    deposit(code, 1)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE stg_{code} SET import_status = 2, error_code = 1, error_message = 'x'")
    return made


def _altered(code):
    made = make_configuration(code)
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE stg_{code} DROP COLUMN import_outcome")
    return made


@pytest.mark.parametrize("needs", [_failed, _held, _late, _rejected, _altered])
def test_what_needs_a_person_is_found_and_stands_first(viewer, needs):
    _needs_nothing("alpha")
    needs("bravo")
    _needs_nothing("charlie")

    def names(choice: str) -> list[str]:
        return [one.entity.name for one in viewer.get(f"{LIST}?attention={choice}").context["cl"].result_list]

    assert names("yes") == ["Bravo"]
    assert names("first")[0] == "Bravo" and sorted(names("first")) == sorted(names("x")) == [
        "Alpha",
        "Bravo",
        "Charlie",
    ]


@pytest.mark.parametrize(("query", "kept"), [("", ""), ("?attention=first", "attention%3Dfirst"),
                                            ("?attention=first&o=-1.2", "attention%3Dfirst%26o%3D-1.2")])  # fmt: skip
def test_a_row_leads_to_its_form_with_the_filters_of_the_list(viewer, query, kept):
    one = make_configuration("healthy")
    address = reverse("admin:scheduling_schedulerconfiguration_change", args=[one.pk])
    expected = f"{address}?_changelist_filters={kept}" if kept else address
    assert f'<a href="{expected}">Healthy' in viewer.get(f"{LIST}{query}").content.decode()


def test_a_broken_entity_does_not_break_the_list(viewer):
    make_configuration("healthy")
    make_configuration("broken")
    deposit("healthy", 2)
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE stg_broken")
    page = viewer.get(LIST).content.decode()
    assert ">2 wait<" in page and "Table stg_broken is missing." in page


def test_an_altered_table_is_named_in_the_list(viewer):
    make_configuration("altered")
    deposit("altered", 2)
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE stg_altered DROP COLUMN import_outcome")
    page = viewer.get(LIST).content.decode()
    assert "stopped" in page and "Column stg_altered.import_outcome is missing." in page


@pytest.mark.parametrize(("query", "found"), [
    ("processing_mode__exact=triggered", {"Bravo"}), ("is_enabled__exact=0", {"Charlie"}),
    ("last_result=failed", {"Alpha"}), ("last_result=never", {"Bravo", "Charlie"}), ("q=alph", {"Alpha"}),
    ("last_result=nonsense", {"Alpha", "Bravo", "Charlie"}), ("is_running__exact=1", set()),
])  # fmt: skip
def test_filters_and_search(viewer, query, found):
    make_configuration("alpha", last_result="failed")
    make_configuration("bravo", processing_mode="triggered", trigger_row_threshold=5)
    make_configuration("charlie", is_enabled=False)
    page = viewer.get(f"{LIST}?{query}").content.decode()
    table = page.split('id="result_list"')[1] if 'id="result_list"' in page else ""
    assert {name for name in ("Alpha", "Bravo", "Charlie") if f">{name}<" in table} == found


def test_test_run_of_several_shows_each_and_writes_nothing(operator):
    both = [
        make_configuration("alpha"),
        make_configuration("bravo", processing_mode="triggered", trigger_row_threshold=2),
    ]
    deposit("bravo", 2)
    page = act(operator, "test_run_selected", both).content.decode()
    assert "Yes" in page and "No" in page and "Alpha" in page and "Bravo" in page
    assert not SchedulerLog.objects.exists() and not Run.objects.exists()


def test_process_selected_asks_first_then_starts_each_once(operator):
    both = [make_configuration("alpha"), make_configuration("bravo")]
    deposit("alpha", 2)
    asked = act(operator, "process_selected", both)
    assert "2 rows of 2 entities now." in asked.content.decode() and not Run.objects.exists()
    act(operator, "process_selected", both, confirmed="yes")
    assert Run.objects.filter(started_by="operator").count() == 2
    again = act(operator, "process_selected", both, confirmed="yes")
    assert "already running" in again.content.decode() and Run.objects.count() == 2


def test_enable_and_disable_write_the_history(steward):
    configuration = make_configuration("alpha", processing_mode="scheduled", schedule_type="daily", run_times="06:00")
    assert "Disable Alpha?" in act(steward, "disable_selected", [configuration]).content.decode()
    configuration.refresh_from_db()
    assert configuration.is_enabled
    act(steward, "disable_selected", [configuration], confirmed="yes")
    configuration.refresh_from_db()
    assert not configuration.is_enabled and configuration.next_scheduled_run is None
    act(steward, "enable_selected", [configuration], confirmed="yes")
    configuration.refresh_from_db()
    assert configuration.is_enabled and configuration.next_scheduled_run > clock.now()
    assert [entry.get_change_message() for entry in LogEntry.objects.order_by("id")] == ["Disabled.", "Enabled."]


def test_bulk_actions_work_on_hundreds_and_name_ten(superuser, monkeypatch):
    made = [make_configuration(f"e{number:03}") for number in range(12)]
    everything = [made[0]]
    asked = act(superuser, "disable_selected", everything, select_across="1").content.decode()
    assert "Disable 12 entities?" in asked and "E009 and 2 more" in asked
    page = act(superuser, "disable_selected", made, confirmed="yes").content.decode()
    assert not SchedulerConfiguration.objects.filter(is_enabled=True).exists()
    assert "E009 and 2 more." in page and "E010" not in page.split("messagelist")[1].split("</ul>")[0]


@pytest.mark.parametrize(
    "extra", [{}, {"select_across": "1"}, {"confirmed": "yes"}, {"confirmed": "yes", "select_across": "1"}]
)
@pytest.mark.parametrize(
    "action", ["test_run_selected", "process_selected", "enable_selected", "disable_selected", "delete_selected"]
)
def test_a_viewer_who_posts_an_action_changes_nothing(viewer, action, extra):
    on, off = make_configuration("alpha"), make_configuration("bravo", is_enabled=False)
    before = list(SchedulerConfiguration.objects.order_by("pk").values())
    page = act(viewer, action, [on, off], **extra).content.decode()
    assert list(SchedulerConfiguration.objects.order_by("pk").values()) == before
    assert not Run.objects.exists() and not Batch.objects.exists() and not LogEntry.objects.exists()
    assert "Would fire" not in page


@pytest.mark.parametrize("action", ["enable_selected", "disable_selected"])
def test_an_operator_does_not_switch_schedules(operator, action):
    on, off = make_configuration("alpha"), make_configuration("bravo", is_enabled=False)
    act(operator, action, [on, off], select_across="1", confirmed="yes")
    on.refresh_from_db(), off.refresh_from_db()
    assert on.is_enabled and not off.is_enabled


def test_process_now_asks_first_and_leads_to_the_run(operator):
    configuration = make_configuration("customer")
    deposit("customer", 3)
    url = reverse("admin:scheduling_schedulerconfiguration_process", args=[configuration.pk])
    assert "<strong>3 rows</strong>" in operator.get(url).content.decode()
    assert not Run.objects.exists()
    response = operator.post(url, {"tag": "morning"})
    run = Run.objects.get()
    assert response.headers["Location"] == reverse("admin:scheduling_run_change", args=[run.pk])
    assert (run.started_by, Batch.objects.get().tag) == ("operator", "morning")


def test_process_now_while_a_batch_runs_says_so_and_starts_nothing(operator):
    configuration = make_configuration("customer")
    url = reverse("admin:scheduling_schedulerconfiguration_process", args=[configuration.pk])
    operator.post(url)
    page = operator.post(url, follow=True).content.decode()
    assert "already running" in page and Run.objects.count() == 1


def test_a_tag_that_is_too_long_is_told_at_its_field(operator):
    configuration = make_configuration("customer")
    url = reverse("admin:scheduling_schedulerconfiguration_process", args=[configuration.pk])
    assert operator.post(url, {"tag": "x" * 201}).status_code == 200
    assert not Run.objects.exists()


def test_links_that_would_be_refused_are_not_offered(viewer, operator):
    make_configuration("customer")
    assert "Process now" not in viewer.get(LIST).content.decode()
    assert "Process now" in operator.get(LIST).content.decode()
