"""Promise: a long list to choose from is written to the letter as Django's templates write it."""

import pytest
from django import forms
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _

from scheduling.admin.inputs import OneOfMany, SomeOfMany

CHOICES = [
    ("", _("choose …")),
    ("a&b", 'A "quoted" <name>'),
    (7, mark_safe("<b>safe</b>")),
    ("Group <1>", [("x", "X"), ("y", "Y")]),
]


@pytest.mark.parametrize("value", [None, "", "a&b", 7, "x", "unknown"])
@pytest.mark.parametrize("attrs", [{}, {"size": 3, "data-x": '"', "required": True, "disabled": False}])
def test_a_list_of_one_choice_is_that_of_django(value, attrs):
    written = OneOfMany(choices=CHOICES).render("name", value, attrs)
    assert written == forms.Select(choices=CHOICES).render("name", value, attrs)


@pytest.mark.parametrize("value", [None, [], ["a&b", "y"], ["7"]])
def test_a_list_of_several_choices_is_that_of_django(value):
    written = SomeOfMany(choices=CHOICES, attrs={"size": 2}).render("name", value, {"id": "id_name"})
    assert written == forms.SelectMultiple(choices=CHOICES, attrs={"size": 2}).render("name", value, {"id": "id_name"})
