"""The form of an alert rule: what is watched for, of what, and who is told."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count, Q, QuerySet, Value
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from scheduling.alerts.rules import LIMITS, rule_errors
from scheduling.models import Alert, AlertChannel, AlertRule, Job, Plan
from scheduling.plans.categories import categories_of
from staging.models import Entity
from staging.pages import PagesAdmin
from staging.version_pages import Versioned
from staging.wording import say

# The fields in which things are chosen, and what they choose from.
_CHOSEN = {"entities": "entities", "plans": "plans", "jobs": "jobs", "channels": "channels", "escalate_to": "channels"}


def _offered() -> dict[str, list[tuple[Any, str]]]:
    """Return all that a rule may name, by kind, in its order; one statement."""
    parts: list[QuerySet[Any, Any]] = [
        Entity.objects.values_list(Value("entities"), "pk", "name", "code"),
        Plan.objects.values_list(Value("plans"), "pk", "name", "categories"),
        Job.objects.values_list(Value("jobs"), "pk", "name", "category"),
        AlertChannel.objects.values_list(Value("channels"), "pk", "name", Value("")),
    ]
    first, *others = (part.order_by() for part in parts)
    found: dict[str, list[tuple[Any, str]]] = {kind: [] for kind in (*_CHOSEN.values(), "categories")}
    categories = set[str]()
    for kind, pk, name, besides in sorted(first.union(*others, all=True), key=lambda row: (row[0], row[2])):
        found[kind].append((pk, name))
        categories |= {*categories_of(besides)} if kind == "plans" else {besides} if kind == "jobs" else set()
    found["categories"] = [(name, name) for name in sorted(categories - {""}, key=str.casefold)]
    return found


class AlertRuleForm(forms.ModelForm):
    """One rule; each fault stands at its field."""

    categories = forms.MultipleChoiceField(
        required=False, label=_("Categories of jobs and plans"), widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = AlertRule
        fields = [
            "name", "condition", *LIMITS, "entities", "plans", "jobs", "categories", "channels",
            "remind_every_minutes", "tells_each", "tells_end", "escalate_after_minutes", "escalate_to", "is_enabled",
        ]  # fmt: skip
        labels = {
            "condition": _("What is wrong"), "number": _("How many"), "minutes": _("For how many minutes"),
            "percent": _("Per cent of the rows"), "at": _("By this time of day"), "channels": _("Tell"),
            "remind_every_minutes": _("Remind every so many minutes"), "is_enabled": _("Enabled"),
            "escalate_after_minutes": _("After so many minutes without an answer"), "escalate_to": _("Tell then"),
        }  # fmt: skip
        help_texts = {
            "number": _("Failures in a row, warnings, or more rejected rows than this. Empty: one is too many."),
            "percent": _("Of rejected rows."),
            "minutes": _("Late, waiting, running, held or quiet for so long. Empty, for runs: three times the usual."),
            "at": _("By the clocks of each entity’s schedule, on days that its calendar leaves free."),
            "tells_each": _("Of what failed already and fails again; else only the first failure is told."),
            "channels": _("Nobody is told by none of them; the alert still stands on the page of what is wrong."),
            "remind_every_minutes": _("Empty: once is enough."),
            "escalate_after_minutes": _("Empty: nobody else is told."),
        }  # fmt: skip
        widgets = {"at": forms.TimeInput(attrs={"type": "time"}, format="%H:%M")}

    def __init__(self, *args: Any, **kwargs: Any):
        """Offer what there is, the categories of jobs and plans, and those that the rule names still."""
        super().__init__(*args, **kwargs)
        choosing = {name: field for name, field in self.fields.items() if name in _CHOSEN or name == "categories"}
        offered = _offered() if choosing else {}
        for name, field in choosing.items():
            kind = _CHOSEN.get(name, name)
            more = self.instance.categories or () if kind == "categories" else ()
            assert isinstance(field, forms.MultipleChoiceField | forms.ModelMultipleChoiceField)
            field.choices = offered[kind] + [(each, each) for each in more if (each, each) not in offered[kind]]

    def clean(self) -> dict[str, Any]:
        """Ask for what the condition needs, refuse what it has no use of."""
        data = super().clean() or {}
        if data.get("condition"):
            for name, text in rule_errors(data).items():
                if name not in self.errors:
                    self.add_error(name, text)
        return data


@admin.register(AlertRule)
class AlertRuleAdmin(Versioned, PagesAdmin):
    """The rules, and the form of one."""

    form = AlertRuleForm
    list_title = _("Alert rules")
    list_display = ("name", "condition", "told", "wrong_now", "is_enabled")
    list_filter = ("condition", "is_enabled")
    search_fields = ("name",)
    search_help_text = _("Search by name.")
    filter_horizontal = ("entities", "plans", "jobs")
    fieldsets = (
        (None, {"fields": ("name", "is_enabled", "condition", *LIMITS)}),
        (_("Of what: everything, unless you choose"), {
            "fields": ("entities", "plans", "jobs", "categories"), "classes": ["collapse"],
        }),
        (_("Who is told"), {"fields": ("channels", "tells_each", "tells_end", "remind_every_minutes")}),
        (_("When nobody answers"), {"fields": ("escalate_after_minutes", "escalate_to")}),
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[AlertRule]:
        """Bring what the list shows of each in few statements."""
        number = Count("alerts", filter=Q(alerts__ended_at__isnull=True), distinct=True)
        return super().get_queryset(request).annotate(open_alerts=number).prefetch_related("channels")

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return what a deletion takes along: the alerts by these rules, which nobody deletes by themselves."""
        rules = list(objs)
        alerts = Alert.objects.filter(rule__in=rules).count()
        counts = {self.opts.verbose_name_plural: len(rules), Alert._meta.verbose_name_plural: alerts}
        return [str(rule) for rule in rules], counts, set(), []

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """Let channels be ticked."""
        if db_field.name in ("channels", "escalate_to"):
            kwargs["widget"] = forms.CheckboxSelectMultiple()
        field = super().formfield_for_manytomany(db_field, request, **kwargs)
        if field is not None and hasattr(field.widget, "can_add_related"):
            field.widget.can_add_related = False  # nobody makes an entity on the way
        return field

    @admin.display(description=_("who is told"))
    def told(self, rule: AlertRule) -> str:
        """Return the channels."""
        return ", ".join(channel.name for channel in rule.channels.all()) or say("nobody")

    @admin.display(description=_("wrong now"), ordering="open_alerts")
    def wrong_now(self, rule: Any) -> int:
        """Return how many alerts are open."""
        return int(rule.open_alerts)
