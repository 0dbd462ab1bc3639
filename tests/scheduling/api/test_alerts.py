"""Scripts see what is wrong, as the page does, and answer it once."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from scheduling import clock
from scheduling.alerts.message import place_of_alert
from scheduling.models import Alert
from tests.scheduling.admin.conftest import failure_rule
from tests.staging.api.test_resource import problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def alert(make_entity: Any) -> Alert:
    """Something of an entity that is wrong."""
    entity = make_entity("own").entity
    make_entity("other")
    return Alert.objects.create(rule=failure_rule(), subject="x", entity=entity,
                                said={"say": "It failed."}, opened_at=clock.now())  # fmt: skip


def test_what_is_wrong_is_listed_until_it_is_over(api, alert):
    caller = api("Viewer")
    (listed,) = caller.get("alerts").json()["results"]
    assert (listed["text"], listed["entity"], listed["condition"]) == ("It failed.", "own", "failed")
    assert listed["url"].startswith("http") and listed["url"].endswith(place_of_alert(alert))
    assert caller.get(f"alerts/{alert.pk}").json() == listed
    assert caller.get("alerts?entity=other").json()["results"] == []
    Alert.objects.update(ended_at=clock.now())
    assert caller.get("alerts").json()["results"] == []
    assert (
        len(caller.get("alerts?state=over").json()["results"])
        == 1
        == len(caller.get("alerts?state=all").json()["results"])
    )


def test_an_alert_is_answered_once(api, alert):
    caller = api("Operator")
    taken = caller.post(f"alerts/{alert.pk}/acknowledge", {"comment": "the disk"}).json()
    assert (taken["acknowledged_by"], taken["comment"]) == ("operator (token loader)", "the disk")
    problem(caller.post(f"alerts/{alert.pk}/acknowledge"), 409)
    assert caller.post(f"alerts/{alert.pk}/hand-back").json()["acknowledged_by"] == ""
    problem(caller.post(f"alerts/{alert.pk}/hand-back"), 409)
    assert caller.post(f"alerts/{alert.pk}/snooze", {"minutes": 60}).json()["snoozed_until"] is not None
    assert caller.post(f"alerts/{alert.pk}/snooze", {"minutes": 0}).json()["snoozed_until"] is None
    problem(caller.post(f"alerts/{alert.pk}/snooze", {"minutes": 10**9}), 400)
    until = (clock.now() + timedelta(days=9)).replace(microsecond=0)
    rests = caller.post(f"alerts/{alert.pk}/snooze", {"until": until.isoformat()}).json()["snoozed_until"]
    assert datetime.fromisoformat(rests) == until
    for wrong in (
        {}, {"minutes": 5, "until": until.isoformat()}, {"until": clock.now().isoformat()}, {"until": "soon"},
        {"until": (clock.now() + timedelta(days=32)).isoformat()}, {"minutes": -1},
    ):  # fmt: skip
        problem(caller.post(f"alerts/{alert.pk}/snooze", wrong), 400)
    problem(caller.post(f"alerts/{alert.pk}/acknowledge", {"comment": "x" * 501}), 400)
    problem(api("Viewer").post(f"alerts/{alert.pk}/hand-back"), 403)
