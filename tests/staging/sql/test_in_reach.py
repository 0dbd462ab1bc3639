"""Promise: a key that no column can hold is found nowhere, alone and among others, and is no error."""

import pytest
from django.core.exceptions import ValidationError
from django.forms import ModelMultipleChoiceField

from staging.models import Entity

pytestmark = pytest.mark.django_db
BEYOND = [2**63, -(2**63) - 1, int("9" * 400)]


@pytest.mark.parametrize("beyond", BEYOND)
def test_what_is_beyond_a_column_is_found_nowhere(beyond):
    entity = Entity.objects.create(code="branch", name="Branch")
    assert list(Entity.objects.filter(pk__in=[beyond, entity.pk])) == [entity]
    assert list(Entity.objects.filter(pk__in={beyond})) == [] == list(Entity.objects.filter(pk__in=()))
    assert list(Entity.objects.exclude(pk__in=[beyond])) == [entity]
    assert list(Entity.objects.filter(pk__in=Entity.objects.values("pk"))) == [entity]


@pytest.mark.parametrize("beyond", BEYOND)
def test_a_form_says_that_it_is_no_choice(beyond):
    field = ModelMultipleChoiceField(Entity.objects.all())
    with pytest.raises(ValidationError, match="is not one of the available choices"):
        field.clean([str(beyond)])
