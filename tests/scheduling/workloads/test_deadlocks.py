"""Promise: a batch that lost a deadlock is taken up again as everything is by then."""

from types import SimpleNamespace

import pytest
from django.db import OperationalError

from scheduling import clock
from scheduling.workloads import batch as workload
from staging.models import Batch, Entity
from tests.staging.batches.bench import NOW, define

pytestmark = pytest.mark.django_db


def test_it_goes_on_by_what_whoever_won_made_of_its_entity(monkeypatch):
    entity, seen = define("branch"), []

    def process(batch, *, fence, now):
        seen.append(batch.entity.sentinel_text)
        if len(seen) > 1:
            return batch
        Entity.objects.filter(pk=entity.pk).update(sentinel_text="nothing")
        raise OperationalError("deadlock detected") from _Deadlock()

    monkeypatch.setattr(workload, "process", process)
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)
    batch = Batch.objects.create(entity=entity, created_at=NOW)
    workload._processed(batch, SimpleNamespace(), lambda: NOW)
    assert seen == [entity.sentinel_text, "nothing"]


class _Deadlock(Exception):
    sqlstate = "40P01"
