"""The form of an alert channel, its test, and its last messages with what was answered."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.timezone import get_current_timezone
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.inputs import ZoneSelect, zones
from scheduling.admin.keyset import link, read_page
from scheduling.alerts.addresses import naming_people
from scheduling.alerts.broken import broken_channels
from scheduling.alerts.channels import channel_errors
from scheduling.alerts.message import told_by
from scheduling.alerts.outbox import put_test_message
from scheduling.formatters import badge
from scheduling.models import AlertChannel, AlertDelivery, AlertRule
from scheduling.models.alert import shown_url
from staging.pages import DO, PagesAdmin, page, row_or_404, told, warned
from staging.states import Role
from staging.version_pages import Versioned
from staging.wording import counted, say

_LAST = 20


class ChannelForm(forms.ModelForm):
    """One channel; each fault stands at its field."""

    timezone = forms.ChoiceField(
        label=_("Time zone"), choices=zones, widget=ZoneSelect, initial=lambda: str(get_current_timezone())
    )

    roles = forms.MultipleChoiceField(
        label=_("Roles"), choices=Role.choices, required=False, widget=forms.CheckboxSelectMultiple,
        help_text=_("Everybody with one of these, by whatever group."),
    )  # fmt: skip

    unsigned = forms.BooleanField(
        label=_("Sign no more"), required=False, help_text=_("Takes the secret that is stored away.")
    )

    class Meta:
        model = AlertChannel
        fields = [
            "name", "kind", "people", "groups", "roles", "to_responsible", "addresses", "url", "secret",
            "digest", "digest_at", "quiet_from", "quiet_until", "timezone", "is_enabled",
        ]  # fmt: skip
        labels = {
            "kind": _("How"), "digest": _("Tell"), "digest_at": _("At"), "quiet_from": _("Quiet from"),
            "quiet_until": _("Quiet until"), "is_enabled": _("Enabled"),
        }  # fmt: skip
        help_texts = {
            "url": _("Of a webhook: https://…; of a service as apprise writes it, for example slack://… or msteams://…."),
            "secret": _("Signs what the webhook gets. It is shown nowhere; leave this empty to keep what is stored."),
            "people": _("Those who have an e-mail address. Each is told only of what he may see."),
        }  # fmt: skip
        widgets = {
            name: forms.TimeInput(attrs={"type": "time"}, format="%H:%M")
            for name in ("digest_at", "quiet_from", "quiet_until")
        } | {
            "addresses": forms.Textarea(attrs={"rows": 3}),
            "groups": forms.CheckboxSelectMultiple(),
            "people": forms.CheckboxSelectMultiple(),
            "secret": forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        }

    def __init__(self, *args: Any, **kwargs: Any):
        """Offer the people who can be reached, and those who are chosen already; show no secret that is stored."""
        super().__init__(*args, **kwargs)
        self.kept = {name: getattr(self.instance, name) for name in ("kind", "url", "secret")}
        self.initial["secret"] = ""
        if self._hides_url():
            self.initial["url"] = ""
            self.fields["url"].widget.attrs["placeholder"] = shown_url(self.kept["url"])
            self.fields["url"].help_text = _("It is stored, and shown nowhere; leave this empty to keep it.")
        people = self.fields.get("people")
        if isinstance(people, forms.ModelMultipleChoiceField):
            chosen = self.instance.people.all() if self.instance.pk else User.objects.none()
            people.queryset = User.objects.filter(~Q(email="") | Q(pk__in=chosen), is_active=True).order_by("username")

    def _hides_url(self) -> bool:
        """Return whether the stored URL is as good as a password: that of a service, which has its token in it."""
        return shown_url(self.kept["url"]) != self.kept["url"]

    def clean_url(self) -> str:
        """Return what was written, or what is stored and not shown while this is a channel of the same kind."""
        written: str = self.cleaned_data["url"]
        is_kept = not written and self._hides_url() and self.cleaned_data.get("kind") == self.kept["kind"]
        return str(self.kept["url"]) if is_kept else written

    def clean_addresses(self) -> str:
        """Return the addresses, one on a line."""
        found = self.cleaned_data["addresses"].replace(",", " ").split()
        for each in found:
            try:
                validate_email(each)
            except ValidationError as error:
                raise ValidationError(say("{address} is no e-mail address.", address=each)) from error
        return "\n".join(found)

    def clean(self) -> dict[str, Any]:
        """Ask for what the kind needs."""
        data = super().clean() or {}
        if not data.get("secret"):
            data["secret"] = "" if data.get("unsigned") else self.kept["secret"]
        for name, text in channel_errors(data).items():
            if name not in self.errors:
                self.add_error(name, text)
        return data


@page("change", methods=DO)
def test_page(model_admin: ModelAdmin[AlertChannel], request: HttpRequest, pk: int) -> HttpResponse:
    """Put a test message into the outbox; it leaves with the next round, and its answer is shown here."""
    channel = row_or_404(AlertChannel.objects.all(), pk, say("There is no such channel."))
    number = put_test_message(channel, now=clock.now())
    back = reverse("admin:scheduling_alertchannel_change", args=[pk])
    if not number:
        return warned(request, _nobody(channel), back)
    messages = counted(number, "test message leaves", "test messages leave")
    return told(request, say("{messages} within a minute; what was answered is shown below.", messages=messages), back)


def _nobody(channel: AlertChannel) -> str:
    if channel.to_responsible:
        return say("A test is about nothing, so nobody is responsible; of alerts this channel tells whoever is.")
    return say("This channel reaches nobody: no one of these people has an e-mail address and may see alerts.")


class FailingFilter(admin.SimpleListFilter):
    """Whether messages get through."""

    title = _("messages")
    parameter_name = "messages"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[Any]) -> list[tuple[str, str]]:
        """Offer those that fail."""
        return [("fail", say("fail"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Bring with each channel whether it fails, and keep what is asked for."""
        failing = broken_channels(clock.now(), naming_people()).order_by()
        told = queryset.annotate(fails=Exists(failing.filter(pk=OuterRef("pk"))))
        return told.filter(fails=True) if self.value() == "fail" else told


@admin.register(AlertChannel)
class AlertChannelAdmin(Versioned, PagesAdmin):
    """The channels, and the form of one with its last messages."""

    form = ChannelForm
    list_title = _("Alert channels")
    list_display = ("name", "how", "tell", "works", "is_enabled")
    list_filter = (FailingFilter,)
    search_fields = ("name",)
    search_help_text = _("Search by name.")
    change_form_template = "scheduling/alert_channel.html"
    pages = (("<int:pk>/test/", test_page, "scheduling_alertchannel_test"),)
    fieldsets = (
        (None, {"fields": ("name", "is_enabled", "kind")}),
        (_("E-mail"), {"fields": ("people", "groups", "roles", "to_responsible", "addresses")}),
        (_("Webhook or service"), {"fields": ("url", "secret")}),
        (_("When"), {"fields": ("digest", "digest_at", "quiet_from", "quiet_until", "timezone")}),
    )

    @admin.display(description=_("How"), ordering="kind")
    def how(self, channel: AlertChannel) -> str:
        """Return the kind of the channel, under the name that its form has for it."""
        return channel.get_kind_display()

    @admin.display(description=_("Tell"), ordering="digest")
    def tell(self, channel: AlertChannel) -> str:
        """Return when it tells, under the name that its form has for it."""
        return channel.get_digest_display()

    @admin.display(description=_("Messages"), empty_value="")
    def works(self, channel: Any) -> str:
        """Return whether messages get through, as the start page counts it."""
        return badge("failed") if channel.fails else ""

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Return what a deletion takes along: the messages; and which rules lose a way to people by it."""
        channels = list(objs)
        messages = AlertDelivery.objects.filter(channel__in=channels).count()
        counts = {self.opts.verbose_name_plural: len(channels), AlertDelivery._meta.verbose_name_plural: messages}
        named: list[Any] = []
        for channel in channels:
            losing = AlertRule.objects.filter(Q(channels=channel) | Q(escalate_to=channel)).distinct()
            lines = [say("The alert rule “{rule}” tells nobody by it any more.", rule=rule.name) for rule in losing]
            named += [str(channel), lines] if lines else [str(channel)]
        return named, counts, set(), []

    def get_fieldsets(self, request: HttpRequest, obj: AlertChannel | None = None) -> Any:
        """Offer to take a secret away where there is one."""
        found = [(title, dict(options)) for title, options in super().get_fieldsets(request, obj)]
        if obj is not None and obj.secret:
            found[2][1]["fields"] = ("url", "secret", "unsigned")
        return found

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the last messages with the form, or those before them."""
        channel = kwargs.get("obj")
        if channel is not None:
            log = read_page(channel.deliveries.all(), request.GET.dict(), size=_LAST)
            said = told_by(log.rows, cast(User, request.user))
            context |= {
                "channel": channel,
                "deliveries": [(one, said.get(one.pk, "")) for one in log.rows],
                "newer_url": link({}, newer=log.newer) + "#messages" if log.newer else "",
                "older_url": link({}, older=log.older) + "#messages" if log.older else "",
            }
        return super().render_change_form(request, context, *args, **kwargs)
