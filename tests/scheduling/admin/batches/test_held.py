"""Promises of the review pages: a steward sees what a held batch would do and decides; everybody else may only look."""

import re

import pytest

from scheduling import clock
from scheduling.models import SchedulerLog
from scheduling.runs.by_hand import start_batch_now
from staging.models import Batch, BatchReview, Entity, KeptPreview
from staging.states import BatchStatus
from tests.scheduling.conftest import work_off


@pytest.fixture
def held(make_entity, deposit) -> Batch:
    """A batch of three rows that is held, started by somebody else."""
    configuration = make_entity()
    Entity.objects.update(review="hold")
    deposit(rows=2)
    deposit(rows=1, staff="many", prefix="bad")
    started = start_batch_now(configuration, started_by="anna", now=clock.now())
    work_off(clock.now())
    return Batch.objects.get(pk=started.batch.pk)


def _url(held: Batch, page: str = "held") -> str:
    return f"/admin/scheduling/schedulerconfiguration/{held.entity.configuration.pk}/{page}/"


def _decide(client, held: Batch, verb: str, *rows: int, **data):
    scope = {"scope": "ticked", "row": [str(row) for row in rows]} if rows else {"scope": "all"}
    return client.post(_url(held, "decide"), {"batch": held.pk, "verb": verb, **scope, **data}, follow=True)


def _text(response) -> str:
    return " ".join(response.content.decode().split())


@pytest.mark.django_db
def test_held_batches_are_found_where_people_look(held, steward):
    assert re.search(r'id="card-held">.{0,80}<p class="figure">1</p>', _text(steward.get("/admin/")))
    assert "Every batch of Branch waits for approval." in _text(steward.get(_url(held)))
    assert "Held batches (1)" in _text(steward.get(f"/admin/staging/entity/{held.entity_id}/change/"))
    assert "Held batches (1)" in _text(steward.get("/admin/staging/entity/"))
    assert "Review it" in _text(steward.get(f"/admin/staging/batch/{held.pk}/change/"))
    form = _text(steward.get(f"/admin/scheduling/schedulerconfiguration/{held.entity.configuration.pk}/change/"))
    assert "1 waits for a decision" in form
    assert 'badge-warn"><span class="sign" aria-hidden="true">‖</span> held' in _text(
        steward.get("/admin/staging/batch/?status=held")
    )


@pytest.mark.django_db
def test_the_page_says_why_and_what_it_would_do(held, viewer):
    page = _text(viewer.get(_url(held), {"batch": held.pk}))
    assert "Nothing of this batch was merged." in page
    assert "2 inserted, 1 rejected" in page
    assert "Approve …" not in page
    assert not KeptPreview.objects.exists()
    page = _text(viewer.post(_url(held), {"batch": held.pk}, follow=True))
    assert "staff: &#x27;many&#x27; is not a whole number." in page
    assert "Rejected (1)" in page


@pytest.mark.django_db
def test_a_steward_is_asked_and_then_approves(held, steward, staged):
    page = _text(_decide(steward, held, "approve"))
    assert "<strong>Approve 3 rows</strong> that batch" in page
    assert not BatchReview.objects.exists()
    page = _text(_decide(steward, held, "approve", confirmed="yes", comment="Fine."))
    assert "merges the approved rows." in page
    work_off(clock.now())
    assert staged() == {1: 2, 2: 1}
    page = _text(steward.get(_url(held), {"batch": held.pk}))
    assert "This batch is reviewed" in page
    assert "Fine." in page


@pytest.mark.django_db
def test_ticked_rows_alone_are_decided_about(held, steward, staged):
    steward.post(_url(held), {"batch": held.pk})
    page = _text(_decide(steward, held, "discard", 1, 2, confirmed="yes", comment="Twice."))
    assert "2 rows discarded." in page
    assert staged() == {2: 2, 3: 1}
    assert "Show every change" in page  # what was shown is not true any more
    log = SchedulerLog.objects.filter(event_type="review").order_by("-id")[0]
    assert log.message == f"Held batch {held.pk}: 2 rows discarded by steward: Twice."


@pytest.mark.django_db
def test_sending_back_needs_a_comment(held, steward, staged):
    page = _text(_decide(steward, held, "send_back", confirmed="yes", comment=" "))
    assert "Say what is to be mended." in page
    assert staged() == {3: 3}
    _decide(steward, held, "send_back", confirmed="yes", comment="Which town?")
    assert staged() == {2: 3}


@pytest.mark.django_db
def test_nothing_ticked_is_a_message(held, steward, staged):
    response = steward.post(_url(held, "decide"), {"batch": held.pk, "verb": "approve", "scope": "ticked"}, follow=True)
    assert "Tick the rows first" in _text(response)
    for data in ({}, {"verb": "x", "scope": "all"}, {"verb": "approve", "scope": "all", "row": ["x"]}):
        assert steward.post(_url(held, "decide"), {"batch": held.pk, **data}).status_code in (200, 302)
    assert staged() == {3: 3}


@pytest.mark.django_db
def test_two_people_where_the_rule_says_so(held, steward, staged):
    Entity.objects.update(two_person_rule=True)
    Batch.objects.filter(pk=held.pk).update(started_by="steward")
    page = _text(_decide(steward, held, "approve", confirmed="yes"))
    assert "two-person rule" in page
    assert Batch.objects.get(pk=held.pk).status == BatchStatus.HELD
    Batch.objects.filter(pk=held.pk).update(started_by="anna")
    _decide(steward, held, "approve", confirmed="yes")
    work_off(clock.now())
    assert staged() == {1: 2, 2: 1}


@pytest.mark.django_db
def test_a_decision_that_comes_late_is_a_warning(held, steward):
    _decide(steward, held, "discard", confirmed="yes")
    assert "is not held any more" in _text(_decide(steward, held, "approve", confirmed="yes"))


@pytest.mark.django_db
@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_only_stewards_decide(held, role, request, staged):
    client = request.getfixturevalue(role)
    assert _decide(client, held, "approve", confirmed="yes").status_code == 403
    assert staged() == {3: 3}


@pytest.mark.django_db
def test_a_batch_of_another_entity_or_one_never_held_is_not_found(held, make_entity, steward):
    other = make_entity("other")
    url = f"/admin/scheduling/schedulerconfiguration/{other.pk}/held/"
    assert steward.get(url, {"batch": held.pk}).status_code == 404
    assert steward.get(_url(held), {"batch": "x"}).status_code == 404
    assert "No batch of Other waits" in _text(steward.get(url))


@pytest.mark.django_db
def test_ticked_rows_are_what_is_decided_about_whatever_else_the_form_says(held, steward, staged):
    steward.post(_url(held), {"batch": held.pk})
    said = {"batch": held.pk, "verb": "approve", "scope": "all", "row": ["1"]}
    page = _text(steward.post(_url(held, "decide"), said))
    assert "<strong>Approve 1 row</strong>" in page and "the one you ticked" in page
    steward.post(_url(held, "decide"), {**said, "verb": "discard", "confirmed": "yes", "comment": "Twice."})
    assert staged() == {2: 1, 3: 2}
