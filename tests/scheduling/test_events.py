"""Promises of the log writer: odd text is stored, and what cannot be stored poisons nothing."""

import gettext

import pytest
from django.db import transaction
from django.utils import translation
from django.utils.translation import trans_real

from scheduling.lifecycle import events
from scheduling.models import SchedulerLog
from staging import wording
from staging.wording import counted, said_again, say
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


def test_the_log_keeps_what_a_message_was_made_from():
    text = say("Queue {queue} resumed by {by}, {rows} wait.", queue="q\x00", by="ann", rows=counted(2, "row", "rows"))
    assert events.record("resumed", now=NOW, message=text, details={"of": "queue"})
    row = SchedulerLog.objects.get()
    assert row.message == "Queue q resumed by ann, 2 rows wait."
    assert row.details["of"] == "queue" and said_again(row.details["said"]) == row.message


def test_the_log_is_written_in_the_language_of_the_site(monkeypatch):
    class Catalogue(gettext.NullTranslations):
        def gettext(self, message):
            return {"Run {run} ended.": "Run {run} is klaar."}.get(message, message)

        def to_language(self):
            return "nl"

    wording._in_language.cache_clear()
    monkeypatch.setitem(trans_real._translations, "nl", Catalogue())
    with translation.override("nl"):
        text = say("Run {run} ended.", run=7)
        assert text == "Run 7 is klaar."
        assert events.record("completed", now=NOW, message=text)
        row = SchedulerLog.objects.get()
        assert row.message == "Run 7 ended." and said_again(row.details["said"]) == text
