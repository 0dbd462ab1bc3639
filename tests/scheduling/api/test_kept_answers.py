"""Promise: an answer that is kept for its key is repeated only to a caller who might still ask for it."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from scheduling import clock
from scheduling.models import Queue, Run
from staging.models import Batch
from tests.scheduling.admin.conftest import client_of, make_limited
from tests.staging.api.conftest import Api
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db
KEY = {"Idempotency_Key": "k"}


@pytest.fixture
def both(make_entity: Any) -> tuple[Any, Any]:
    """Return two entities."""
    return make_entity("own").entity, make_entity("other").entity


@pytest.fixture
def person(both: Any) -> User:
    """Return somebody who is for both, and stays for one when a group is taken away."""
    user = make_limited("Administrator", "own", "other")
    user.groups.add(*make_limited("Steward", "own").groups.all())
    return user


def caller_of(person: User) -> Api:
    """Return the caller as the next request would find it."""
    return Api(client_of(User.objects.get(pk=person.pk)), None, "")


def queue() -> Queue:
    """Return the queue that every installation has."""
    return Queue.objects.get_or_create(name="default")[0]


def run_of_both(both: Any) -> str:
    """Return what cancels a run with the work of both."""
    run = Run.objects.create(kind="plan", fire_key="x", created_at=clock.now(), status="running")
    for each in both:
        run.tasks.create(key=each.code, workload="batch", entity=each, target_id=each.pk, status="queued",
                         queue=queue())  # fmt: skip
    return f"runs/{run.pk}/cancel"


def held_of_the_other(both: Any) -> str:
    """Return what discards a held batch of the other."""
    batch = Batch.objects.create(entity=both[1], status="held", hold_reason="Wait.", created_at=clock.now())
    return f"batches/{batch.pk}/discard"


@pytest.mark.parametrize("thing", [run_of_both, held_of_the_other])
def test_what_is_no_longer_of_the_callers_entities_is_refused(thing: Any, both: Any, person: User) -> None:
    address, body = thing(both), {"comment": "no"} if thing is held_of_the_other else {}
    first = caller_of(person).post(address, body, **KEY)
    assert first.status_code < 300, first.content
    again = caller_of(person).post(address, body, **KEY)
    assert again.json() == first.json() and again.headers["Idempotency-Replayed"] == "true"
    person.groups.remove(Group.objects.get(name="Administrator of own, other"))
    told = problem(caller_of(person).post(address, body, **KEY), 403)
    assert "other" not in str(told["errors"])


def test_what_is_of_all_entities_is_refused_to_who_is_limited_by_now(both: Any) -> None:
    user = make_limited("Administrator", "own")
    user.groups.add(Group.objects.get(name="Administrator"))
    address = f"queues/{queue().name}/pause"
    first = caller_of(user).post(address, {"reason": "x"}, **KEY)
    assert first.status_code < 300, first.content
    user.groups.remove(Group.objects.get(name="Administrator"))
    problem(caller_of(user).post(address, {"reason": "x"}, **KEY), 403)


def test_what_is_gone_is_repeated_to_whoever_is_for_all_and_to_nobody_else(both: Any, person: User) -> None:
    whole = User.objects.create_superuser("whole")
    for user, expected in ((whole, 200), (person, 403)):
        address = run_of_both(both)
        assert caller_of(user).post(address, {}, **KEY).status_code < 300
        Run.objects.all().delete()
        assert (caller_of(user).post(address, {}, **KEY).status_code < 300) is (expected == 200)
