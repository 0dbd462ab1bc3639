"""Promise: what a page costs does not depend on how deep in its calls a loop stands."""

import resource

from django.conf import settings
from django.http import HttpResponse
from django.test import RequestFactory

from scheduler_project.around import RoomMiddleware

_CALLS = 1_000


def _nothing() -> None:
    """Be called."""


def _loop(depth: int) -> None:
    """Call something many times, so deep."""
    if depth:
        return _loop(depth - 1)
    for _ in range(_CALLS):
        _nothing()
    return None


def _most_pieces(answer) -> int:
    """Return how much memory a loop took anew, at the depth where it took most."""
    taken = []

    def get_response(request):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        _loop(request.depth)
        taken.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
        return HttpResponse()

    for depth in range(300):
        request = RequestFactory().get("/")
        request.depth = depth
        answer(get_response, request)
    return max(taken)


def test_no_loop_takes_memory_for_each_call_where_a_piece_of_it_ends() -> None:
    assert _most_pieces(lambda get_response, request: get_response(request)) >= _CALLS
    assert _most_pieces(lambda get_response, request: RoomMiddleware(get_response)(request)) < _CALLS / 4


def test_it_stands_around_all_others() -> None:
    assert settings.MIDDLEWARE[0] == "scheduler_project.around.RoomMiddleware"
