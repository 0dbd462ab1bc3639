"""Promise: however deep a loop of a request stands, its calls take no memory of the system anew."""

import resource
import sys

import pytest
from django.test import Client

from scheduler_project.around import with_room

TURNS = 2_000


def taken(depth):
    """Return how often the system gave memory while a loop that stands so deep called something at each turn."""
    if depth:
        return taken(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for number in range(TURNS):
        called(number)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def called(a, b=0, c=0, d=0, e=0, f=0, g=0, h=0, i=0, j=0, k=0, m=0, n=0, o=0, p=0, q=0):
    return a + b + c + d + e + f + g + h + i + j + k + m + n + o + p + q


@pytest.mark.skipif(sys.implementation.name != "cpython" or sys.platform != "linux", reason="it is CPython's matter")
def test_no_loop_takes_memory_at_each_turn():
    assert max(with_room(taken, depth) for depth in range(250)) < TURNS / 10


def test_what_is_given_room_is_done_as_it_is():
    def told(*args, **kwargs):
        return args, kwargs

    assert with_room(told, 1, two=2) == ((1,), {"two": 2})
    with pytest.raises(ValueError, match="not so"):
        with_room(refuse)


def refuse():
    raise ValueError("not so")


def test_a_request_has_room(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "scheduler_project.around.with_room", lambda action, request: asked.append(request) or action(request)
    )
    assert Client().get("/healthz/").status_code and len(asked) == 1
