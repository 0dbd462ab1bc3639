"""Promise: the lines of a fieldset are those that Django's own template writes, but for indents."""

from pathlib import Path

import django
import pytest
from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import Fieldset
from django.template import Context, Engine
from django.utils.safestring import mark_safe

from scheduling.formatters import lean
from scheduling.models import Plan
from scheduling.templatetags.fieldset import lines

pytestmark = pytest.mark.django_db
THEIRS = Path(django.__file__).parent / "contrib/admin/templates/admin/includes/fieldset.html"
FIELDS = [
    "name",
    "is_enabled",
    ("description", "categories", "plan_name"),
    "seen",
    ("seen", "name"),
    "sentence",
    "name",
]


class LinesForm(forms.ModelForm):
    seen = forms.CharField(widget=forms.HiddenInput, required=False, help_text="Kept for later")
    is_enabled = forms.BooleanField(required=True, help_text=mark_safe("Off: <b>nothing</b> starts"))

    class Meta:
        model = Plan
        fields = ["name", "description", "categories", "is_enabled"]
        labels = {"name": "Name & more"}
        help_texts = {"description": "What it is for"}


def theirs(fieldset):
    template = Engine().from_string(THEIRS.read_text())
    html = template.render(Context({"fieldset": fieldset, "prefix": "fieldset", "id_prefix": 0, "id_suffix": 0}))
    html = html[html.index("\n", html.index("<fieldset")) : html.index("</fieldset>")]
    return lean(html)


@pytest.mark.parametrize("data", [None, {}, {"name": "x" * 200, "description": "<b>"}])
@pytest.mark.parametrize("shown", [(), ("name", "description", "plan_name", "sentence")])
def test_lines_are_those_of_django(data, shown):
    form = LinesForm(data, instance=Plan(name="Nightly <1>", description="It & that"))
    readonly = {*shown, "plan_name", "sentence"}
    fieldset = Fieldset(form, None, readonly, FIELDS, model_admin=admin.site._registry[Plan])
    ours, djangos = lean(lines(fieldset)), theirs(fieldset)
    assert ours.split() == djangos.split() and ours.count(">\n<") == djangos.count(">\n<")


def test_what_a_field_tells_is_escaped():
    form = LinesForm()
    form.fields["description"].help_text = "more than <5>"
    html = lines(Fieldset(form, None, (), ["description"]))
    assert "more than &lt;5&gt;" in html and html.__html__() is html
