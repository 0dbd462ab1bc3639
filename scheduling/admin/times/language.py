"""The language of who reads: their own choice, else what the browser asks for; one click changes it.

The API answers in the language of the site: its texts are read by programs and kept by them.
"""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib.admin import ModelAdmin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language, get_language_from_request, get_language_info, override

from scheduling.admin.times.choices import LANGUAGE, choose
from scheduling.admin.times.page import next_page
from scheduling.models import SchedulerConfiguration
from staging.pages import DO, page, warned
from staging.wording import say


def is_language(code: str) -> bool:
    """Return whether pages can be read in this language."""
    return code in dict(settings.LANGUAGES)


def others() -> list[tuple[str, str]]:
    """Return the languages in which this page can be read as well, each with its own name for itself."""
    active = get_language()
    return [(code, get_language_info(code)["name_local"]) for code, _ in settings.LANGUAGES if code != active]


@page("view", methods=DO)
def switch_language_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponse:
    """Show pages in the language of the button, beginning with the one on which it was pressed."""
    asked = request.POST.get("language", "")
    if not is_language(asked):
        return warned(request, say("“{asked}” is no language of these pages.", asked=asked[:20]), next_page(request))
    choose(request, language=asked)
    return HttpResponseRedirect(next_page(request))


class LanguageMiddleware:
    """Stands behind the sessions."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        """Stand before `get_response`."""
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer in the language of who asks."""
        if request.path.startswith("/api/"):
            return self._get_response(request)
        chosen = getattr(request, "session", {}).get(LANGUAGE, "")
        language = chosen if is_language(chosen) else get_language_from_request(request)
        with override(language):
            response = self._get_response(request)
        response.headers.setdefault("Content-Language", language)
        patch_vary_headers(response, ["Accept-Language"])
        return response
