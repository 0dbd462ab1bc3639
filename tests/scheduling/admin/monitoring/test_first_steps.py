"""Promise: a new installation leads through its first steps, which tick themselves and then go."""

import pytest
from django.db import connection

from scheduling import clock
from scheduling.models import Run, SchedulerConfiguration
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import execute_task
from tests.scheduling.admin.conftest import make_configuration

pytestmark = pytest.mark.django_db


def done(client) -> list[bool]:
    page = client.get("/admin/").content.decode()
    if 'id="first-steps"' not in page:
        return []
    return ["done" in item.split(">")[0] for item in page.split("<ol>")[1].split("</ol>")[0].split("<li")[1:]]


def test_each_step_ticks_itself(administrator):
    assert done(administrator) == [False] * 5
    configuration = make_configuration("customer")
    assert done(administrator) == [True, False, False, False, False]
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO stg_customer (code) VALUES ('A')")
    assert done(administrator) == [True, True, False, False, False]
    SchedulerConfiguration.objects.update(processing_mode="triggered", trigger_on_new_rows=True)
    assert done(administrator) == [True, True, True, False, False]
    administrator.get(f"/admin/scheduling/schedulerconfiguration/{configuration.pk}/test-run/")
    assert done(administrator) == [True, True, True, True, False]
    started = start_batch_now(configuration, started_by="ann", now=clock.now())
    execute_task(started.task.pk, worker="work@host")
    assert done(administrator) == []


def test_a_run_of_a_job_of_ours_hides_no_step(administrator):
    """Retention and others run in the first hour of an installation, whoever has seen the steps by then."""
    Run.objects.create(kind="job", title="Retention", fire_key="a", created_at=clock.now())
    assert done(administrator) == [False] * 5


def test_who_has_many_entities_knows_the_way(administrator):
    for number in range(4):
        make_configuration(f"entity_{number}")
    assert done(administrator) == []


def test_every_step_leads_to_a_page(administrator):
    for code in ("", "customer"):
        if code:
            make_configuration(code)
        page = administrator.get("/admin/").content.decode()
        links = [part.split('"')[0] for part in page.split("<ol>")[1].split("</ol>")[0].split('href="')[1:]]
        assert links and all(administrator.get(link).status_code == 200 for link in links), links
