"""Promise: inputs, labels and lists of faults are written to the letter as Django's templates write them."""

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.forms.renderers import DjangoTemplates, get_default_renderer
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _

from scheduling.admin.written import _WRITTEN, Written

CHOICES = [
    ("", _("choose …")),
    ("a&b", 'A "quoted" <name>'),
    (7, mark_safe("<b>safe</b>")),
    (2026, 2026),
    ("Group <1>", [("x", "X"), ("y", "Y")]),
]
ONE = [None, "", 0, 7, "a&b", "x", "unknown", "\"<&>'", mark_safe("&amp;"), " \n", True]
SEVERAL = [None, [], ["a&b", "y"], ["7"]]
ATTRS = [
    {},
    {"id": "id_<1>", "class": "wide", "size": 3, "data-x": '"', "required": True, "disabled": False, "title": _("job")},
]
OF_ONE = [
    forms.TextInput, forms.NumberInput, forms.EmailInput, forms.URLInput, forms.PasswordInput, forms.HiddenInput,
    forms.DateInput, forms.DateTimeInput, forms.TimeInput, forms.CheckboxInput, forms.Textarea,
]  # fmt: skip


def alike(widget, value, attrs):
    told = (widget.render("a<name>", value, attrs, renderer) for renderer in (Written(), DjangoTemplates()))
    return len({*told}) == 1


def test_it_is_what_forms_are_written_with():
    assert type(get_default_renderer()) is Written


@pytest.mark.parametrize("attrs", ATTRS)
@pytest.mark.parametrize("value", ONE)
def test_an_input_is_that_of_django(value, attrs):
    assert [one for one in OF_ONE if not alike(one(), value, attrs)] == []


@pytest.mark.parametrize("attrs", ATTRS)
@pytest.mark.parametrize("value", ONE)
def test_a_list_of_one_choice_is_that_of_django(value, attrs):
    assert [one for one in (forms.Select, forms.RadioSelect) if not alike(one(choices=CHOICES), value, attrs)] == []


@pytest.mark.parametrize("attrs", ATTRS)
@pytest.mark.parametrize("value", SEVERAL)
def test_a_list_of_several_choices_is_that_of_django(value, attrs):
    kinds = (forms.SelectMultiple, forms.CheckboxSelectMultiple)
    assert [one for one in kinds if not alike(one(choices=CHOICES), value, attrs)] == []


@pytest.mark.parametrize("data", [None, {}, {"first": "x" * 4, "second": "no number"}])
def test_labels_and_faults_are_those_of_django(data):
    class Asked(forms.Form):
        first = forms.CharField(max_length=3, label='<"First">', label_suffix="?")
        second = forms.IntegerField(help_text=_("job"))

        def clean(self):
            raise ValidationError(["<one>", mark_safe("<b>two</b>")])

    def written(renderer):
        form = Asked(data, renderer=renderer)
        shown = [(str(each), each.label_tag(), each.legend_tag()) for each in form]
        faults = [(str(each.errors), each.errors.as_ul()) for each in form]
        return shown, faults, str(form.non_field_errors()), str(form)

    assert written(Written()) == written(DjangoTemplates())


def test_every_template_that_it_replaces_is_one_of_django():
    assert [name for name in _WRITTEN if not DjangoTemplates().get_template(name)] == []
