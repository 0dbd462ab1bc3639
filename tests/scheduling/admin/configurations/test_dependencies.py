"""What an entity depends on: chosen on a page of its own, circles refused at the field, the lineage shown."""

import pytest
from django.urls import reverse

from scheduling.admin.configurations.dependencies import lineage
from scheduling.models import SchedulerConfiguration
from scheduling.plans.save import save_dependencies
from staging.models import Entity

pytestmark = pytest.mark.django_db


@pytest.fixture
def entities():
    return {code: Entity.objects.create(code=code, name=code.capitalize()) for code in ("region", "branch", "till")}


def page(code):
    configuration = SchedulerConfiguration.objects.get(entity__code=code)
    return reverse("admin:scheduling_schedulerconfiguration_dependencies", args=[configuration.pk])


def test_a_steward_chooses_what_comes_first_and_sees_the_lineage(entities, steward):
    save_dependencies(entities["till"], ["branch"])
    answer = steward.post(page("branch"), {"depends_on": ["region"]}, follow=True).content.decode()
    assert "region &gt;&gt;&gt; branch &gt;&gt;&gt; till" in answer and "Branch depends on region." in answer
    change = reverse("admin:scheduling_schedulerconfiguration_change", args=[entities["branch"].configuration.pk])
    assert "Depends on" in steward.get(change).content.decode()
    steward.post(page("branch"), {})
    assert not entities["branch"].dependencies.exists()


def test_a_circle_is_refused_at_the_field_and_nothing_is_stored(entities, steward):
    save_dependencies(entities["branch"], ["region"])
    answer = steward.post(page("region"), {"depends_on": ["branch"]}).content.decode()
    assert "branch &gt; region &gt; branch" in answer
    assert not entities["region"].dependencies.exists()


def test_a_viewer_sees_and_cannot_change(entities, viewer):
    assert "Save" not in viewer.get(page("branch")).content.decode()
    assert viewer.post(page("branch"), {"depends_on": ["region"]}).status_code == 403


def test_the_lineage_has_the_whole_lines_through_an_entity_only():
    hierarchy = {"b": {"a"}, "c": {"b"}, "d": {"b"}, "x": {"a"}}
    assert lineage("b", hierarchy) == ["a >>> b >>> c", "a >>> b >>> d"]
    assert lineage("lonely", hierarchy) == ["lonely"]
