"""Promises of the extras: nothing is imported unless a setting asks, and what is sent has the ids of the work."""

import gzip
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from scheduler_project import observability
from staging.tracing import bring_tracer, span, trace_context
from tests.house.source import ROOT

SAYS = """
import logging, sys
import django
django.setup()
from staging.tracing import lines_of
from staging.tracing import span
with lines_of(run_id=4711), span("cycle", task="the-task"):
    logging.getLogger("shop").error("sold out")
# The client of Redis looks for metrics of OpenTelemetry by itself; nobody but us wants spans.
ours = ("sentry_sdk", "opentelemetry.sdk.trace", "opentelemetry.exporter", "scheduler_project.observability")
print([name for name in ours if name in sys.modules])
"""


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    observability.trace_to(SimpleSpanProcessor(exporter))
    yield exporter
    bring_tracer(None)


class Collector(BaseHTTPRequestHandler):
    """Takes whatever is posted."""

    taken: dict[str, bytes] = {}

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.taken[self.path] = gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Collector)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def process(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a process of ours that logs an error inside a span."""
    environment = {
        "PATH": os.environ["PATH"],
        "SECRET_KEY": "0123456789" * 6,
        "DATABASE_URL": f"sqlite:///{folder / 'own.sqlite3'}",
        "DJANGO_SETTINGS_MODULE": "scheduler_project.settings",
        **settings,
    }
    return subprocess.run([sys.executable, "-c", SAYS], cwd=ROOT, env=environment, capture_output=True, text=True)


def test_without_the_settings_nothing_is_imported(tmp_path: Path):
    ended = process(tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "[]\n"), ended.stderr


def test_with_them_a_process_sends_the_error_and_the_span_with_their_ids(tmp_path: Path, collector: str):
    ended = process(tmp_path, SENTRY_DSN=f"http://key@{collector}/1", OTEL_EXPORTER_OTLP_ENDPOINT=f"http://{collector}")
    assert ended.returncode == 0, ended.stderr
    error, trace = Collector.taken["/api/1/envelope/"], Collector.taken["/v1/traces"]
    assert b"sold out" in error and b'"run_id":"4711"' in error and b'"trace_id"' in error
    assert b"cycle" in trace and b"the-task" in trace and b"staging-scheduler" in trace


@pytest.mark.parametrize(
    ("begin", "package"),
    [
        (lambda: observability.send_errors("http://key@127.0.0.1:9/1"), "sentry_sdk"),
        (observability.send_spans, "opentelemetry.exporter.otlp.proto.http.trace_exporter"),
    ],
)
def test_a_missing_package_is_told_with_its_file(monkeypatch, begin, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImproperlyConfigured, match=r"pip install -r requirements-observability\.txt"):
        begin()


def test_a_span_takes_its_parent_from_text_and_survives_one_that_is_none(spans: InMemorySpanExporter):
    with span("cycle"):
        context = trace_context()
    with span("task", parent=context):
        pass
    with span("task", parent="nonsense"):
        pass
    cycle, task, stray = spans.get_finished_spans()
    assert task.context.trace_id == cycle.context.trace_id
    assert task.parent is not None and task.parent.span_id == cycle.context.span_id
    assert stray.parent is None


def test_what_fails_inside_a_span_is_noted_with_it(spans: InMemorySpanExporter):
    with pytest.raises(ValueError, match="no disk"), span("batch"):
        raise ValueError("no disk")
    found: ReadableSpan = spans.get_finished_spans()[0]
    assert not found.status.is_ok and "no disk" in str(found.status.description)


def test_without_a_tracer_a_span_is_nothing():
    with span("cycle"):
        assert trace_context() == ""
