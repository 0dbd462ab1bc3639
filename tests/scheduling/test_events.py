"""Promises of the log writer: odd text is stored, and what cannot be stored poisons nothing."""

import pytest
from django.db import transaction

from scheduling import events
from scheduling.models import SchedulerLog
from tests.scheduling.conftest import NOW

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("text", ["a\x00b", "\ud800", "x" * 5000, "<script>", "per%cent %s", "line\nbreak"])
def test_any_text_can_be_logged(text):
    assert events.record("error", now=NOW, message=text)
    assert len(SchedulerLog.objects.get().message) <= 1000


def test_a_failed_insert_leaves_the_transaction_usable(caplog):
    with transaction.atomic():
        assert not events.record("error", now=NOW, duration_ms=10**30)
        assert events.record("fired", now=NOW)
    assert SchedulerLog.objects.get().event_type == "fired"
    assert "scheduler log not written: error" in caplog.text
