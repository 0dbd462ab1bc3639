"""Limits of the database: a full disk, a file that is locked, no connection left; what waits goes on when they end."""

import sqlite3
import time
from contextlib import closing, suppress
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.db import OperationalError, connection
from django.test import Client

from scheduler_project import settings as settings_of_the_product
from scheduling.dispatch.cycle import run_cycle
from scheduling.models import SchedulerConfiguration, SchedulerLog, Task
from scheduling.queues import claim, claim_next
from scheduling.runs import execute
from scheduling.runs.execute import run_attempt
from staging.members import browse
from staging.members.browse import MemberQuery, stream_members
from staging.models import Batch, Entity
from tests.scheduling.conftest import NOW, work_off
from tests.scheduling.faults.conftest import somebody_else, sql, works
from tests.scheduling.runs.pieces import item, start

pytestmark = pytest.mark.django_db(transaction=True)
postgresql = pytest.mark.postgresql


@pytest.fixture
def full():
    """Return a function that fills the disk, for `stg_branch` and `mdm_branch` on PostgreSQL, and one that frees it.

    A file of SQLite may really grow no more; a server that others use answers as it does then.
    """
    if connection.vendor == "postgresql":
        body = (
            "$$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$"
        )

        def fill():
            sql(f"CREATE FUNCTION fault_full() RETURNS trigger LANGUAGE plpgsql AS {body}")
            for table in ("stg_branch", "mdm_branch"):
                sql(f"CREATE TRIGGER fault_full BEFORE INSERT OR UPDATE ON {table} EXECUTE FUNCTION fault_full()")

        def free():
            sql("DROP FUNCTION fault_full CASCADE")
    else:

        def fill():
            sql("CREATE TABLE fault_ballast (text text)")
            sql(f"PRAGMA max_page_count = {sql('PRAGMA page_count')[0][0]}")
            for size in (100_000, 1000):
                with suppress(OperationalError):
                    while True:
                        sql("INSERT INTO fault_ballast SELECT hex(zeroblob(%s))", size)

        def free():
            sql("PRAGMA max_page_count = 1073741823")
            sql("DROP TABLE fault_ballast")

    return fill, free


@pytest.mark.postgresql
def test_a_full_disk_under_one_entity_fails_it_in_words_and_no_other(two, full, staged):
    fill, free = full
    run_cycle(NOW)
    fill()
    work_off(NOW)
    assert Batch.objects.get(entity__code="other").status == "completed"
    assert "No space left on device" in SchedulerLog.objects.filter(event_type="error").latest("id").message
    held = SchedulerConfiguration.objects.get(entity__code="branch")
    assert not held.is_running and held.consecutive_failures == 1 and staged() == {0: 1}
    free()
    later = NOW + timedelta(hours=1)
    assert run_cycle(later).fired == ["branch"]
    work_off(later)
    assert staged() == {1: 1}


def test_a_full_disk_is_told_to_programs_and_nothing_of_what_they_bring_stays(two, full, api):
    fill, free = full
    caller = api()
    rows = [{"code": f"x{number}", "name": "x" * 4000} for number in range(200)]
    caller.get("entities")
    fill()
    try:
        answer = caller.post("entities/branch/rows", rows)
        assert answer.status_code == 503 and answer.headers["Retry-After"], answer.content
    finally:
        free()
    assert sql("SELECT count(*) FROM stg_branch") == [(1,)]
    assert caller.post("entities/branch/rows", rows).status_code == 200


@pytest.mark.skipif(django_settings.DATABASES["default"]["ENGINE"].endswith("postgresql"), reason="a fault of a file")
class TestAFile:
    """Faults of a file of SQLite."""

    def test_that_is_full_keeps_what_it_has_and_goes_on_later(self, two, full, staged, monkeypatch, caplog):
        fill, free = full
        monkeypatch.setattr(execute.clock, "sleep", lambda seconds: None)
        sql("UPDATE stg_branch SET name = hex(zeroblob(20000))")
        run_cycle(NOW)
        attempt = claim(Task.objects.get(entity__code="branch").pk, worker="w", now=NOW)
        fill()
        with suppress(OperationalError):  # where not even the outcome has room
            run_attempt(attempt, time=lambda: NOW)
        assert staged() == {0: 1} and "is full" in caplog.text
        free()
        for hour in range(1, 4):
            run_cycle(NOW + timedelta(hours=hour))
            work_off(NOW + timedelta(hours=hour))
        assert staged("other") == staged() == {1: 1}

    def test_that_is_locked_for_longer_than_we_wait_delays_an_outcome_and_loses_none(self, impatient, monkeypatch):
        start(item("a"), now=NOW)
        attempt = claim_next(worker="w", now=NOW)
        waited = []
        with somebody_else() as other:

            def piece_locks(*_, **__):
                other.execute("BEGIN IMMEDIATE")
                return real(*_, **__)

            def let_go(seconds):
                waited.append(seconds)
                other.execute("ROLLBACK")

            real = execute._finish
            monkeypatch.setattr(execute, "_finish", piece_locks)
            monkeypatch.setattr(execute.clock, "sleep", let_go)
            run_attempt(attempt, time=lambda: NOW)
        assert waited == [0.2]
        assert list(Task.objects.values_list("status", "attempts_made")) == [("completed", 1)]

    def test_whose_log_waits_for_a_reader_can_be_cut_while_an_export_is_under_way(self, two, monkeypatch):
        monkeypatch.setattr(browse, "_STREAMED", 1)
        sql("INSERT INTO stg_branch (code, name) VALUES ('b2', 'B2'), ('b3', 'B3')")
        assert works("branch")
        rows = stream_members(Entity.objects.get(code="branch"), MemberQuery())
        next(rows)
        with somebody_else() as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            assert other.fetchone()[0] == 0, "an export keeps a snapshot for as long as its reader takes"
        assert len(list(rows)) == 2


def test_what_a_file_has_committed_is_on_the_disk(tmp_path):
    """Whoever was told that rows landed, and then the power fails, finds them: with less the last moments are lost."""
    with closing(sqlite3.connect(tmp_path / "file")) as file:
        for command in settings_of_the_product._SQLITE_OPTIONS["init_command"].split(";"):
            file.execute(command)
        assert file.execute("PRAGMA synchronous").fetchone() == (2,)


@pytest.fixture
def one_connection():
    """An account that may have one connection; this thread uses it."""
    sql("DROP ROLE IF EXISTS fault_web")
    sql("CREATE ROLE fault_web LOGIN CONNECTION LIMIT 1 IN ROLE CURRENT_USER")
    before = connection.settings_dict["USER"]
    connection.close()
    connection.settings_dict["USER"] = "fault_web"
    yield
    connection.close()
    connection.settings_dict["USER"] = before
    for _ in range(20):
        try:
            return sql("DROP ROLE fault_web") and None
        except OperationalError:
            time.sleep(0.05)


@postgresql
def test_with_no_connection_left_people_programs_and_probes_are_told_and_cycles_go_on_later(two, one_connection, api):
    browser = Client(raise_request_exception=False)
    with somebody_else() as last:
        last.execute("SELECT 1")
        page = browser.post("/admin/login/", {"username": "ann", "password": "wrong"})
        assert page.status_code == 503 and b"cannot answer now" in page.content
        assert browser.get("/readyz").status_code == 503
        assert browser.get("/api/v1/batches", headers={"Authorization": "Bearer x"}).status_code == 503
        with pytest.raises(OperationalError, match="too many connections"):
            run_cycle(NOW)
    connection.settings_dict["USER"] = "postgres"
    connection.close()
    assert works("branch")
