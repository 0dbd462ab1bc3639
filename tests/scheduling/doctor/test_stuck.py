"""Promise of the doctor: a step that waits is told when it may wait for ever, and its mend lets the run go on."""

import shlex
from datetime import timedelta

import pytest
from django.core.management import call_command

from scheduling import clock
from scheduling.dag.manifest import ManifestTask
from scheduling.doctor import stuck
from scheduling.doctor.examine import examined
from scheduling.doctor.patient import Patient
from scheduling.models import Task
from scheduling.states import RunKind
from tests.scheduling.runs.pieces import start, status, work

pytestmark = pytest.mark.django_db(transaction=True)


def found(now):
    return {finding.id: finding for finding in examined(Patient(now), [stuck.looks])}


def test_a_wait_of_days_without_a_time_out_is_told_and_can_be_skipped(make_entity):
    now = clock.now()
    asked = {"rows": 1, "entity": make_entity().entity.pk}
    run = start(ManifestTask("wait for rows of branch", RunKind.WAIT, None, arguments=asked, attempts=5), now=now)
    work(now)
    assert not {"queue.slow", "stuck.runs", "stuck.awaiting"} & found(now + timedelta(minutes=59)).keys()
    later = now + timedelta(days=3)
    finding = found(later)["stuck.awaiting"]
    assert f"wait for rows of branch of run {run.pk} has waited for 3 d" in finding.text
    Task.objects.update(timeout_seconds=10**6)
    assert "stuck.awaiting" not in found(later), "its time-out ends it"
    call_command(*shlex.split(finding.mend.partition("manage.py ")[2]))
    assert status(run) == "completed"
