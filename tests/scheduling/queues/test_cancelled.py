"""Promise: a queue is added on a page and goes by `is_cancelled`; what is in it ends, and one in use stays."""

import pytest
from django.urls import reverse

from scheduling.errors import InvalidManifest
from scheduling.model_files.dump import dump
from scheduling.model_files.load import load
from scheduling.models import Plan, Queue
from scheduling.plans.draft import PlanDraft
from scheduling.plans.save import save_plan
from staging.errors import InvalidDefinition
from tests.scheduling.admin.conftest import client_for
from tests.scheduling.conftest import NOW
from tests.scheduling.plans.conftest import step
from tests.scheduling.runs.pieces import item, start, status, work

pytestmark = pytest.mark.django_db


def loaded(**sections):
    return load({"version": 1, **sections}, now=NOW)


def cancelled(**more):
    with pytest.raises(InvalidDefinition) as refused:
        loaded(queues=[{"name": "night", "is_cancelled": True}], **more)
    return refused.value.errors


@pytest.fixture
def night():
    return Queue.objects.create(name="night")


def test_what_is_in_a_cancelled_queue_ends_and_nothing_new_goes_into_it(night):
    run = start(item("a", queue="night"))
    loaded(queues=[{"name": "night", "is_cancelled": True}])
    assert work() == ["a"] and status(run) == "completed"
    with pytest.raises(InvalidManifest, match="'night' is cancelled"):
        start(item("a", queue="night"), key="again")


def test_it_is_written_and_read_again_and_can_come_back(night):
    loaded(queues=[{"name": "night", "is_cancelled": True}])
    (written,) = (queue for queue in dump()["queues"] if queue["name"] == "night")
    assert written == {"name": "night", "max_running": 4, "is_cancelled": True}
    loaded(queues=[{"name": "night"}])
    assert not Queue.objects.get(name="night").is_cancelled


def test_a_queue_that_something_names_stays(night, make_entity, make_job):
    entity = make_entity().entity
    save_plan(PlanDraft(Plan(name="Nightly"), {}, [step(entity, queue=night)]), now=NOW)
    assert cancelled() == {"queues[0].is_cancelled": ["It is used by plan Nightly; give that another queue first."]}
    moved = {"name": "Nightly", "steps": [{"entity": "branch"}]}
    assert "queues[0].is_cancelled" in cancelled(
        plans=[{"name": "New", "steps": [{"entity": "branch", "queue": "night"}]}]
    )
    loaded(queues=[{"name": "night", "is_cancelled": True}], plans=[moved])
    loaded(queues=[{"name": "night"}])
    make_job("Report", queue="night")
    assert "used by job Report" in cancelled()["queues[0].is_cancelled"][0]


def test_the_default_queue_stays():
    start(item("a"))
    with pytest.raises(InvalidDefinition, match="it stays"):
        loaded(queues=[{"name": "default", "is_cancelled": True}])


def test_an_administrator_adds_a_queue_on_its_page_and_cancels_it(night):
    administrator, add = client_for("Administrator"), reverse("admin:scheduling_queue_add")
    assert add in administrator.get(reverse("admin:scheduling_queue_changelist")).content.decode()
    assert administrator.post(add, {"name": "reports", "max_running": "2"}).status_code == 302
    queue = Queue.objects.get(name="reports")
    assert (queue.max_running, queue.is_cancelled) == (2, False)
    page = reverse("admin:scheduling_queue_change", args=[queue.pk])
    administrator.post(page, {"max_running": "2", "is_cancelled": "on", "name": "other"})
    queue.refresh_from_db()
    assert (queue.name, queue.is_cancelled) == ("reports", True)


@pytest.mark.parametrize("wrong", [{"name": "NIGHT"}, {"name": "night"}, {"name": " "}, {"max_running": "0"}])
def test_a_wrong_queue_is_told_at_its_field(night, wrong):
    sent = {"name": "reports", "max_running": "2", **wrong}
    response = client_for("Administrator").post(reverse("admin:scheduling_queue_add"), sent)
    assert list(response.context["adminform"].form.errors) == list(wrong)
    assert Queue.objects.count() == 1
