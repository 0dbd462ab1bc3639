"""Promises of the ids in the process log: every line of an attempt has them, whoever writes it."""

import logging
from collections.abc import Iterator

import pytest

from scheduling.runs.by_hand import start_batch_now, start_job_now
from scheduling.workloads import batch as room
from staging.models import Batch
from tests.json_lines import Lines, json_lines
from tests.scheduling.conftest import NOW, work_off

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines() -> Iterator[Lines]:
    with json_lines() as found:
        yield found


def test_every_line_of_a_batch_that_fails_has_its_ids(lines, make_entity, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        logging.getLogger("a_library").warning("deep inside")
        raise RuntimeError("no disk")

    monkeypatch.setattr(room, "process", broken)
    configuration = make_entity()
    started = start_batch_now(configuration, started_by="ann", now=NOW)
    work_off(NOW)
    wanted = {
        "run_id": started.run.pk,
        "task_id": started.run.tasks.get().pk,
        "attempt": 1,
        "batch_id": Batch.objects.get().pk,
        "entity_id": configuration.entity_id,
    }
    for event in ("task_failed", "task_ended", "log"):
        (line,) = lines.of(event)
        assert {name: line.get(name) for name in wanted} == wanted


def test_what_a_job_says_has_its_ids_from_its_logger_and_from_any_other(lines, make_job):
    def body(context) -> None:
        context.logger.info("asking the bank")
        logging.getLogger("bank").warning("slow")

    job = make_job("Ask", body=body)
    run = start_job_now(job, started_by="ann", now=NOW)
    work_off(NOW)
    (said,) = lines.of("job_output")
    (other,) = [line for line in lines.of("log") if line["logger"] == "bank"]
    for line in (said, other):
        assert (line["run_id"], line["job_id"], line["attempt"]) == (run.pk, job.pk, 1)
