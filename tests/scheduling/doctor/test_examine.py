"""Promise: what is broken in one part of the examination is a finding of its own, and hides nothing of the others."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import BooleanField
from django.db.models.expressions import RawSQL

from scheduling import clock
from scheduling.doctor import sizes
from scheduling.doctor.examine import examined
from scheduling.doctor.patient import Look, Patient
from scheduling.lifecycle import events
from scheduling.models import Run

pytestmark = pytest.mark.django_db


def _hole(*_: object) -> Iterator[Any]:
    raise RuntimeError("a hole")
    yield


def _asks_what_is_not_there(_: Patient) -> Iterator[Look]:
    yield Look(_hole, Run.objects.filter(RawSQL("no_such_column > 0", [], BooleanField())))


def _cannot_tell(_: Patient) -> Iterator[Look]:
    yield Look(_hole)


@pytest.mark.parametrize("broken", [_hole, _asks_what_is_not_there, _cannot_tell])
@pytest.mark.parametrize("is_last", [False, True])
def test_a_part_that_breaks_hides_no_other(
    monkeypatch: pytest.MonkeyPatch, broken: Callable[[Patient], Iterator[Look]], is_last: bool
) -> None:
    monkeypatch.setattr(broken, "__module__", "scheduling.doctor.life")
    events.record("fired", now=clock.now() - timedelta(days=33))
    parts = [sizes.looks, broken] if is_last else [broken, sizes.looks]
    assert {one.id for one in examined(Patient(clock.now()), parts)} == {"doctor.life", "retention.log"}
