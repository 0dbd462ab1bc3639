"""Promises of the metrics: the names of the contract, each with what the database knows, in few statements."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from scheduling.lifecycle import events
from scheduling.metrics.families import Metrics
from scheduling.metrics.tallies import settle_tallies, tally_cycle
from scheduling.models import Heartbeat
from scheduling.queues import claim_next
from scheduling.runs.by_hand import start_batch_now
from scheduling.runs.execute import run_attempt
from staging.identifiers import quote, staging_table
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db

PREFIX = "staging_scheduler_"


def samples(now=NOW) -> dict[tuple[str, ...], float]:
    """Return every sample as a Prometheus server reads it, by its short name and its labels, sorted."""
    text = generate_latest(Metrics(now)).decode()
    return {
        (sample.name.removeprefix(PREFIX), *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_names_and_labels_are_those_of_the_contract(make_entity):
    families = {family.name: family for family in Metrics(NOW).collect()}
    assert {
        name.removeprefix(PREFIX): (family.type, tuple(family._labelnames)) for name, family in families.items()
    } == {
        "cycle_seconds": ("histogram", ()),
        "batch_seconds": ("histogram", ()),
        "fires": ("counter", ("kind",)),
        "skips": ("counter", ("kind", "gate")),
        "errors": ("counter", ("kind",)),
        "rows": ("counter", ("entity", "outcome")),
        "queue_tasks": ("gauge", ("queue", "status")),
        "queue_oldest_seconds": ("gauge", ("queue",)),
        "pending_rows": ("gauge", ("entity",)),
        "rejected_rows": ("gauge", ("entity",)),
        "heartbeat_age_seconds": ("gauge", ("kind",)),
    }


def test_counters_of_kinds_begin_with_zero(db):
    found = samples()
    assert {kind: found["fires_total", kind] for kind in ("batch", "job", "plan")} == {"batch": 0, "job": 0, "plan": 0}
    assert found["errors_total", "scheduler"] == 0


def test_a_batch_is_told_from_its_waiting_to_its_end(make_entity, deposit):
    settle_tallies(NOW - timedelta(days=1))
    configuration = make_entity()
    deposit(rows=2)
    deposit(rows=1, staff="bad", prefix="bad")
    assert (samples()["pending_rows", "branch"], samples()["rejected_rows", "branch"]) == (3, 0)
    start_batch_now(configuration, started_by="ann", now=NOW)
    waiting = samples(NOW + timedelta(seconds=40))
    assert waiting["queue_tasks", "default", "queued"] == 1
    assert waiting["queue_oldest_seconds", "default"] == 40
    attempt = claim_next(worker="w", now=NOW)
    running = samples(NOW + timedelta(seconds=7))
    assert (running["queue_tasks", "default", "queued"], running["queue_tasks", "default", "running"]) == (0, 1)
    assert running["queue_oldest_seconds", "default"] == 0
    assert running["heartbeat_age_seconds", "attempt"] == 7
    run_attempt(attempt, time=lambda: NOW)
    ended = samples()
    assert (ended["rows_total", "branch", "inserted"], ended["rows_total", "branch", "rejected"]) == (2, 1)
    assert (ended["pending_rows", "branch"], ended["rejected_rows", "branch"]) == (0, 1)
    assert ended["fires_total", "batch"] == 1
    assert ended["batch_seconds_count",] == 1
    assert ended["queue_tasks", "default", "running"] == 0


def test_histograms_are_cumulative_and_have_their_sum(db):
    for seconds in (0.04, 0.3, 700.0):
        tally_cycle(seconds)
    found = samples()
    assert [found["cycle_seconds_bucket", edge] for edge in ("0.05", "0.25", "0.5", "60.0", "+Inf")] == [1, 1, 2, 2, 3]
    assert found["cycle_seconds_sum",] == pytest.approx(700.34)


def test_the_age_of_the_workers_is_that_of_the_one_seen_last(db):
    Heartbeat.note("celery@a:1", Heartbeat.WORKER, NOW - timedelta(hours=3))
    Heartbeat.note("celery@b:2", Heartbeat.WORKER, NOW - timedelta(seconds=4))
    Heartbeat.note(Heartbeat.DISPATCHER, Heartbeat.DISPATCHER, NOW - timedelta(seconds=50))
    found = samples()
    assert found["heartbeat_age_seconds", "worker"] == 4
    assert found["heartbeat_age_seconds", "dispatcher"] == 50
    assert ("heartbeat_age_seconds", "attempt") not in found


def test_an_entity_whose_table_is_gone_costs_the_others_nothing(make_entity, deposit):
    make_entity("apple")
    make_entity("cheese")
    deposit("cheese")
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {quote(staging_table('apple'))}")
    found = samples()
    assert found["pending_rows", "cheese"] == 1
    assert ("pending_rows", "apple") not in found and ("rejected_rows", "apple") not in found


def test_a_name_in_a_skip_cannot_break_the_text(db):
    settle_tallies(NOW - timedelta(days=1))
    events.record("skipped", now=NOW, details={"gate": 'a"b\\c'})
    assert samples()["skips_total", 'a"b\\c', "scheduler"] == 1


def test_more_entities_and_more_work_ask_no_more(make_entity, deposit):
    def statements() -> int:
        with CaptureQueriesContext(connection) as queries:
            samples()
        return len(queries)

    start_batch_now(make_entity("one"), started_by="ann", now=NOW)
    few = statements()
    for number in range(4):
        start_batch_now(make_entity(f"more_{number}"), started_by="ann", now=NOW)
    work_off(NOW)
    assert statements() == few
