"""Promise: every form that adds something opens with the defaults of its model; a browser chooses nothing by itself."""

import pytest
from django import forms
from django.contrib import admin
from django.urls import reverse

from scheduling.models import Plan
from staging.models import BusinessRule, Entity

pytestmark = pytest.mark.django_db

# A better start than the model's: a new calendar is read by the clocks of the site, in which people write its days.
BETTER = {("CalendarForm", "timezone")}
OURS = [model for model in admin.site._registry if model._meta.app_label in ("scheduling", "staging")]


def opened(client, model):
    """Return the forms of the page that adds one of these, its own and an empty one of each part; none without page."""
    # A business rule is added on the way from its entity.
    query = {"entity": Entity.objects.get_or_create(code="branch")[0].pk} if model is BusinessRule else {}
    response = client.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add", query=query))
    if response.status_code != 200 or "adminform" not in response.context:
        return []
    inlines = response.context["inline_admin_formsets"]
    return [response.context["adminform"].form, *(inline.formset.empty_form for inline in inlines)]


def as_shown(value):
    """Return what an input shows, with one kind of nothing."""
    return "" if value in (None, "", [], {}, False, "{}", "[]") else str(value)


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.model_name)
def test_every_add_form_opens_with_the_defaults_of_its_model(superuser, model):
    for form in opened(superuser, model):
        columns = {each.name: each for each in form._meta.model._meta.concrete_fields if each.has_default()}
        for name in form.fields.keys() & columns.keys():
            if (type(form).__name__, name) not in BETTER:
                shown, default = form[name].value(), columns[name].get_default()
                assert as_shown(shown) == as_shown(default), (type(form).__name__, name)


def test_the_forms_with_a_page_that_adds_are_all_looked_at(superuser):
    """So that a form whose page answers otherwise is not left out of the tests above without a word."""
    looked_at = {type(form)._meta.model.__name__ for model in OURS for form in opened(superuser, model)}
    assert looked_at == {
        "AlertChannel", "AlertRule", "ApiToken", "Attribute", "BlackoutCalendar", "BlackoutPeriod", "BusinessRule",
        "Entity", "Plan", "PlanStep", "Queue", "RuleLine", "SqlScript",
    }  # fmt: skip


@pytest.mark.parametrize("model", OURS, ids=lambda model: model._meta.model_name)
def test_no_add_form_leaves_a_choice_to_the_browser(superuser, model):
    """It takes the first of the list, as it took Africa/Abidjan for the time zone of a plan."""
    for form in opened(superuser, model):
        for name, field in form.fields.items():
            if isinstance(field.widget, forms.Select) and not field.widget.allow_multiple_selected:
                empty = not as_shown(field.choices and next(iter(field.choices))[0])
                assert empty or as_shown(form[name].value()), (type(form).__name__, name)


def test_a_new_plan_opens_in_utc_switched_on_and_by_its_numbers(steward):
    form = opened(steward, Plan)[0]
    shown = {name: form[name].value() for name in ("timezone", "is_enabled", "order", "overlap", "catch_up_limit")}
    assert shown == {"timezone": "UTC", "is_enabled": True, "order": "steps", "overlap": "skip", "catch_up_limit": 10}
