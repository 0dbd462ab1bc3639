"""Promise: a row that is made of values is the one that Django makes of them."""

import pytest

from scheduling.models import PlanStep
from scheduling.statements import row_of
from staging.models import Entity

pytestmark = pytest.mark.django_db


def made_both_ways(model, names, values):
    ours, theirs = row_of(model, "default", names, values), model.from_db("default", names, values)
    assert type(ours) is type(theirs) and ours == theirs
    assert ours.get_deferred_fields() == theirs.get_deferred_fields()
    told = [{name: value for name, value in vars(one).items() if name != "_state"} for one in (ours, theirs)]
    assert told[0] == told[1] and (ours._state.adding, ours._state.db) == (False, "default")
    assert ours._state.fields_cache == theirs._state.fields_cache == {}
    return ours


def test_a_row_with_all_its_columns_is_that_of_django():
    names = [each.attname for each in PlanStep._meta.concrete_fields]
    values = [each.get_default() for each in PlanStep._meta.concrete_fields]
    made = made_both_ways(PlanStep, names, [7, *values[1:]])
    assert made.pk == 7 and made.entity is None and made.key == "job "


def test_what_is_not_known_of_a_row_is_read_when_it_is_asked_for(django_assert_num_queries):
    stored = Entity.objects.create(code="branch", name="Branches")
    made = made_both_ways(Entity, ["id", "code"], [stored.pk, "branch"])
    with django_assert_num_queries(0):
        assert (made.pk, made.code) == (stored.pk, "branch")
    with django_assert_num_queries(1):
        assert made.name == "Branches"
    made.name = "Offices"
    made.save()
    assert Entity.objects.get().name == "Offices"
