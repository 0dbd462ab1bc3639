"""Errors to Sentry and spans to OpenTelemetry, for sites whose settings name where; their packages are extras.

Nothing here is imported, and nothing sent, unless SENTRY_DSN or OTEL_EXPORTER_OTLP_ENDPOINT is set.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from celery.signals import worker_process_shutdown
from django.core.exceptions import ImproperlyConfigured

from staging.phrases import phrase
from staging.tracing import bring_tracer, current_ids

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor

_SERVICE = "staging-scheduler"


def send_errors(dsn: str) -> None:
    """Send errors that are logged to Sentry, with the ids of their work; no rows, no variables, nothing of people."""
    with _extras("SENTRY_DSN"):
        import sentry_sdk
    sentry_sdk.init(
        dsn=dsn,
        before_send=_with_ids,
        send_default_pii=False,
        include_local_variables=False,  # they hold staged rows
        max_request_body_size="never",
        traces_sample_rate=None,
    )


def send_spans() -> None:
    """Send spans where the environment says (OTEL_EXPORTER_OTLP_ENDPOINT and its kin), in the background."""
    with _extras("OTEL_EXPORTER_OTLP_ENDPOINT"):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    trace_to(BatchSpanProcessor(OTLPSpanExporter(), schedule_delay_millis=1000))


def trace_to(processor: SpanProcessor) -> None:
    """Let this processor have every span."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    os.environ.setdefault("OTEL_SERVICE_NAME", _SERVICE)
    provider = TracerProvider(resource=Resource.create())
    provider.add_span_processor(processor)
    worker_process_shutdown.connect(lambda **_: provider.force_flush(), weak=False)  # a pool's child ends at once
    bring_tracer(_OpenTelemetry(provider.get_tracer(_SERVICE)))


class _OpenTelemetry:
    """Makes spans; what fails inside one is noted with it."""

    def __init__(self, tracer: Any):
        self._tracer = tracer

    @contextmanager
    def begin(self, name: str, parent: str, facts: Mapping[str, Any]) -> Iterator[None]:
        """Open a span; a parent that cannot be read is none."""
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        above = TraceContextTextMapPropagator().extract({"traceparent": parent}) if parent else None
        with self._tracer.start_as_current_span(name, context=above, attributes=dict(facts)):
            yield

    def context(self) -> str:
        """Return the span that is open."""
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(carrier)
        return carrier.get("traceparent", "")


def _with_ids(event: Any, hint: Any) -> Any:
    """Give an error the ids of the work it happened in."""
    event.setdefault("tags", {}).update({name: str(value) for name, value in current_ids().items()})
    return event


@contextmanager
def _extras(setting: str) -> Iterator[None]:
    """Say which file brings a package that is missing."""
    try:
        yield
    except ImportError as missing:
        text = phrase(
            "{setting} is set, but {package} is not installed: pip install -r requirements-observability.txt",
            setting=setting,
            package=missing.name,
        )
        raise ImproperlyConfigured(text) from missing
