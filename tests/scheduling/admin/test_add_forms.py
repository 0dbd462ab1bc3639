"""Promise: every form that adds something opens with the defaults of its model; a browser chooses nothing by itself."""

from urllib.parse import urlencode

import pytest
from django import forms
from django.contrib import admin
from django.urls import reverse

from scheduling.models import Plan
from staging.models import BusinessRule, Entity
from tests.scheduling.payloads.reading import Page

pytestmark = pytest.mark.django_db

# A better start than the model's: a new calendar is read by the clocks of the site, in which people write its days, and
# a new step says nothing of its own, so that it is tried as its plan says, or its job.
BETTER = {("CalendarForm", "timezone"), ("PlanStepForm", "attempts"), ("PlanStepForm", "retry_interval_seconds")}
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


# What each form asks for in addition, with an asterisk or in words: the least that makes it a thing.
LEAST = {
    "alertchannel": {"name": "Night", "addresses": "night@example.com"},
    "alertrule": {"name": "Failures", "condition": "failed"},
    "blackoutcalendar": {"name": "Holidays", "periods-0-kind": "weekly", "periods-0-run_days": "sat"},
    "businessrule": {"name": "Named", "lines-0-attribute": "name", "lines-0-comparison": "not_empty"},
    "entity": {"code": "supplier", "name": "Supplier"},
    "plan": {"name": "Nightly"},
    "queue": {"name": "night"},
    "sqlscript": {"name": "Refresh", "sql": "SELECT 1"},
}
_ABOUT_THE_FORM = ("csrfmiddlewaretoken", "_save", "_addanother", "_continue", "change_reason", "seen")


def shown(client, address):
    """Return what the form of a page would send as it stands, without what is about the form itself."""
    form = max(Page(client.get(address).content.decode()).forms, key=lambda form: len(form.fields))
    told = {name: values for name, values in form.sent().items() if name not in _ABOUT_THE_FORM}
    return {name: values for name, values in told.items() if not name.endswith("_FORMS")}, form


@pytest.mark.parametrize("kind", LEAST)
def test_what_is_saved_as_it_opens_is_what_was_shown(superuser, kind):
    """Nothing that nobody typed is stored: the form that changes it shows what the form that added it did."""
    model = next(each for each in OURS if each._meta.model_name == kind)
    name = f"admin:{model._meta.app_label}_{kind}"
    query = {"entity": Entity.objects.get_or_create(code="branch")[0].pk} if model is BusinessRule else {}
    add = reverse(f"{name}_add", query=query)
    before, form = shown(superuser, add)
    known = set(model._default_manager.values_list("pk", flat=True))
    body = urlencode({**form.sent(**LEAST[kind]), "_save": "Save"}, doseq=True)
    response = superuser.post(add, body, content_type="application/x-www-form-urlencoded")
    assert response.status_code == 302, response.context and response.context["errors"]
    (made,) = set(model._default_manager.values_list("pk", flat=True)) - known
    after, _ = shown(superuser, reverse(f"{name}_change", args=[made]))
    expected = {**before, **{each: [value] for each, value in LEAST[kind].items()}}
    both = expected.keys() & after.keys()
    assert {each: after[each] for each in both if "-" not in each} == {
        each: expected[each] for each in both if "-" not in each
    }
    assert both - LEAST[kind].keys(), "there is nothing to compare: the form that changes it has other fields"


def test_every_form_that_adds_and_can_be_opened_again_is_saved_as_it_opens(superuser):
    """A token is not among them: its secret is shown once, and no form changes it."""
    added = {model._meta.model_name for model in OURS if opened(superuser, model)}
    assert added - {"apitoken"} == set(LEAST)
