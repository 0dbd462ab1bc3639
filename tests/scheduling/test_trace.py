"""Promise: one trace leads from the cycle that fired to the batch that merged, by way of the run's row."""

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from scheduler_project.observability import trace_to
from scheduling.dispatch.cycle import run_cycle
from scheduling.models import Run
from scheduling.runs.by_hand import start_batch_now
from staging.models import Batch
from staging.tracing import bring_tracer
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    trace_to(SimpleSpanProcessor(exporter))
    yield exporter
    bring_tracer(None)


def test_one_trace_from_cycle_to_batch(spans, make_entity, deposit):
    make_entity(processing_mode="triggered", trigger_row_threshold=1)
    deposit()
    run_cycle(NOW)
    work_off(NOW)
    by_name = {span.name: span for span in spans.get_finished_spans()}
    assert set(by_name) == {"cycle", "task", "batch"}
    cycle, task, batch = by_name["cycle"], by_name["task"], by_name["batch"]
    assert cycle.parent is None
    assert task.parent.span_id == cycle.context.span_id
    assert batch.parent.span_id == task.context.span_id
    assert len({span.context.trace_id for span in by_name.values()}) == 1
    assert task.attributes["run_id"] == Run.objects.get().pk
    assert batch.attributes["batch_id"] == Batch.objects.get().pk


def test_what_a_person_starts_is_a_trace_of_its_own(spans, make_entity):
    start_batch_now(make_entity(), started_by="ann", now=NOW)
    work_off(NOW)
    by_name = {span.name: span for span in spans.get_finished_spans()}
    assert by_name["task"].parent is None
    assert Run.objects.get().trace == ""


def test_without_a_tracer_a_run_keeps_no_trace(make_entity, deposit):
    make_entity(processing_mode="triggered", trigger_row_threshold=1)
    deposit()
    run_cycle(NOW)
    assert Run.objects.get().trace == ""
