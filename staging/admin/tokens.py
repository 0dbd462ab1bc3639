"""The tokens of the REST API: handed out, shown once, listed with their use, and revoked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from staging import tokens
from staging.models import ApiToken, Entity
from staging.pages import PagesAdmin, confirming, is_confirmed, shown
from staging.states import Scope
from staging.wording import counted, instant, say

MANAGE = "staging.manage_tokens"


class ApiTokenForm(forms.ModelForm):
    """A token to be made; the rules are those of `tokens`."""

    scopes = forms.MultipleChoiceField(
        label=_("Scopes"),
        choices=[
            (Scope.READ, _("read: look, and judge without changing anything")),
            (Scope.DEPOSIT, _("deposit: bring rows into staging")),
            (Scope.OPERATE, _("operate: start, stop, decide, mend")),
            (Scope.CONFIGURE, _("configure: change definitions and schedules")),
        ],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None implies another."),
    )

    entities = forms.ModelMultipleChoiceField(
        Entity.objects.all(),
        label=_("Entities"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Only these; not beside “All entities”."),
    )
    expires_at = forms.DateTimeField(
        required=False,
        label=_("Ends at (UTC)"),
        help_text=_("Empty: until it is revoked."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )

    class Meta:
        model = ApiToken
        fields = ["name", "person", "scopes", "all_entities", "entities", "expires_at"]
        labels = {"person": _("Account"), "all_entities": _("All entities")}
        help_texts = {
            "person": _("Your own, or that of a service: an account without a password that may do no more than you."),
        }

    hand: User  # who fills the form in

    def clean(self) -> dict[str, Any]:
        """Show each fault at its field."""
        data = self.cleaned_data
        person, everything = data.get("person"), bool(data.get("all_entities"))
        chosen = list(data.get("entities") or [])
        if everything and chosen:
            self.add_error("entities", say("Choose these entities or all of them, not both."))
        if person is not None and not tokens.may_have_one(person, from_hand=self.hand):
            self.add_error("person", say("Only your own account, or that of a service that may do no more than you."))
        elif person is not None:
            entities = None if everything else chosen
            for field, texts in tokens.token_errors(
                person, data.get("name", ""), data.get("scopes", []), entities
            ).items():
                if field not in self.errors:
                    self.add_error(field, texts)
        return data


@admin.action(description=_("Revoke"), permissions=["revoke"])
def revoke_selected(
    model_admin: ModelAdmin[ApiToken], request: HttpRequest, queryset: QuerySet[ApiToken]
) -> HttpResponse | None:
    """Ask, then let the selected tokens sign in no more."""
    chosen = list(queryset)
    if not is_confirmed(request):
        return shown(
            model_admin,
            request,
            "admin/staging/token/revoke.html",
            title=say("Revoke these tokens?"),
            lines=_foreseen(chosen),
            hidden=confirming("revoke_selected", chosen),
        )
    revoked = [token for token in chosen if tokens.revoke(token, by=request.user.get_username())]
    for token in revoked:
        model_admin.log_change(request, token, say("Revoked."))
    text = say("{tokens} revoked.", tokens=counted(len(revoked), "token", "tokens"))
    model_admin.message_user(request, text, messages.SUCCESS if revoked else messages.WARNING)
    return None


def _foreseen(chosen: Sequence[ApiToken]) -> list[tuple[str, str, str]]:
    """Return what would happen, to how many tokens, and to which."""
    works = [each for each in chosen if each.revoked_at is None]
    rest = [each for each in chosen if each.revoked_at is not None]
    return [
        (words, counted(len(those), "token", "tokens"), ", ".join(f"{each.name} ({each.hint}…)" for each in those))
        for words, those in (
            (say("Revoke"), works),
            (say("Nothing happens: {why}", why=say("it is revoked already")), rest),
        )
        if those
    ]


@admin.register(ApiToken)
class ApiTokenAdmin(PagesAdmin):
    """The door to `staging.tokens`; only whoever may manage tokens sees any."""

    only_with = MANAGE
    never = ("change", "delete")  # a token is revoked, so that it stays known who had it
    form = ApiTokenForm
    list_title = _("API tokens")
    list_display = ["name", "person", "begins", "scope_words", "entity_words", "state_word", "used", "expires_at"]
    list_display_links = None
    list_select_related = ["person"]
    search_fields = ["name", "person__username"]
    actions = [revoke_selected]

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Whoever may manage tokens revokes them; otherwise a token stays as it was made."""
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiToken]:
        """Bring what the list tells of each in few statements."""
        return ApiToken.objects.with_now().prefetch_related("entities")

    def get_fields(self, request: HttpRequest, obj: ApiToken | None = None) -> Any:
        """Ask for what makes a token; tell of a made one what the list tells."""
        return super().get_fields(request) if obj is None else self.list_display

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Tell the form who fills it in."""
        form = super().get_form(request, obj, change=change, **kwargs)
        form.hand = request.user
        if "person" in form.base_fields:
            own = Q(pk=request.user.pk) | Q(password__startswith=UNUSABLE_PASSWORD_PREFIX)
            accounts = User.objects.filter(own, is_active=True).order_by("username")
            form.base_fields["person"].queryset = accounts
            form.base_fields["person"].widget.can_add_related = False
            form.base_fields["person"].widget.can_change_related = False
            form.base_fields["person"].widget.can_view_related = False
        return form

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Offer one button: the answer shows the secret, and nothing leads past it."""
        one_button = {"show_save_and_continue": False, "show_save_and_add_another": False}
        title = {"title": say("Make an API token")}
        return super().add_view(request, form_url, {**one_button, **title, **(extra_context or {})})

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        """Make the token; its secret goes into the answer to this request and nowhere else."""
        data = form.cleaned_data
        made, request.token_secret = tokens.issue(  # type: ignore[attr-defined]
            data["person"],
            name=data["name"],
            scopes=data["scopes"],
            entities=None if data["all_entities"] else data["entities"],
            expires_at=data["expires_at"],
            by=request.user.get_username(),
        )
        obj.pk = made.pk

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Nothing is left to store."""

    def response_add(self, request: HttpRequest, obj: ApiToken, post_url_continue: str | None = None) -> HttpResponse:
        """Show the secret, this once."""
        response = shown(
            self,
            request,
            "admin/staging/token/made.html",
            title=say("Token {name}", name=obj.name),
            token=obj,
            secret=request.token_secret,  # type: ignore[attr-defined]
            back=reverse("admin:staging_apitoken_changelist"),
        )
        response.headers["Cache-Control"] = "no-store"
        return response

    @admin.display(description=_("Begins with"))
    def begins(self, token: ApiToken) -> str:
        """How the secret begins."""
        return format_html("<code>{}…</code>", token.hint)

    @admin.display(description=_("Scopes"))
    def scope_words(self, token: ApiToken) -> str:
        """What it may be used for."""
        return ", ".join(token.scopes)

    @admin.display(description=_("Entities"))
    def entity_words(self, token: ApiToken) -> str:
        """Which entities it is for."""
        if token.all_entities:
            return say("all")
        return ", ".join(sorted(entity.code for entity in token.entities.all())) or say("none")

    @admin.display(description=_("State"))
    def state_word(self, token: ApiToken) -> str:
        """Whether it works."""
        return str(token.state.label)

    @admin.display(description=_("Last used"), ordering="last_used_at")
    def used(self, token: ApiToken) -> str:
        """When it was used, to the minute."""
        return instant(token.last_used_at) if token.last_used_at else say("never")
