"""The pages of the site that a person may open by name: lists, forms for a new thing, and what stands beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext_noop

from staging.wording import say

_CONFIGURATIONS = "scheduling.view_schedulerconfiguration"
# Address, name, and the permission that opens it; empty: whoever may enter.
_BESIDE = (
    ("index", gettext_noop("Start page"), ""),
    ("password_change", gettext_noop("Change your password"), ""),
    ("scheduling_schedulerconfiguration_forecast", gettext_noop("Forecast: what starts next"), _CONFIGURATIONS),
    ("scheduling_schedulerconfiguration_overdue", gettext_noop("Overdue"), _CONFIGURATIONS),
    ("scheduling_schedulerconfiguration_paused", gettext_noop("Paused"), _CONFIGURATIONS),
    ("scheduling_schedulerconfiguration_rejected", gettext_noop("Rejected rows"), _CONFIGURATIONS),
    ("scheduling_schedulerconfiguration_times", gettext_noop("Your time zone"), _CONFIGURATIONS),
    ("scheduling_schedulerconfiguration_keys", gettext_noop("Keys of the keyboard"), _CONFIGURATIONS),
    ("scheduling_schedulerconfiguration_search", gettext_noop("Search"), _CONFIGURATIONS),
    ("scheduling_schedulerlog_filters", gettext_noop("Saved filters of the log"), "scheduling.view_schedulerlog"),
    ("scheduling_heartbeat_doctor", gettext_noop("Doctor: what is not as it should be"), "scheduling.oversee"),
)  # fmt: skip


@dataclass(frozen=True)
class SitePlace:
    """A page, by its name."""

    name: str
    url: str
    also: str = ""  # another name that people know it by


def places(site: AdminSite, request: HttpRequest) -> Iterator[SitePlace]:
    """Yield the pages that this person may open; asks the database nothing that the page has not asked before."""
    for address, name, permission in _BESIDE:
        if not permission or request.user.has_perm(permission):
            yield SitePlace(say(name), reverse(f"admin:{address}"))
    for app in site.get_app_list(request):
        for one in app["models"]:
            yield from _of_model(site, one)


def _of_model(site: AdminSite, one: dict) -> Iterator[SitePlace]:
    """Yield the list of a kind, and the form for a new one, as far as the site offers them to this person."""
    title = str(getattr(site._registry.get(one["model"]), "list_title", "") or one["name"])
    if one["admin_url"]:
        yield SitePlace(title, one["admin_url"], str(one["name"]))
    if one["add_url"]:
        kind = str(one["model"]._meta.verbose_name)
        yield SitePlace(capfirst(say("add {kind}", kind=kind)), one["add_url"])
