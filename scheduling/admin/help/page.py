"""The page of help: a document of docs/, or the list of them; pictures come from the same address."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import ModelAdmin
from django.http import FileResponse, Http404, HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase

from scheduling.admin.help.documents import FOLDER, address_of, document, images, names, title_of
from scheduling.admin.help.topics import topic_of
from scheduling.models import SchedulerConfiguration
from staging.pages import page, shown
from staging.wording import say


@page("view")
def help_page(model_admin: ModelAdmin[SchedulerConfiguration], request: HttpRequest) -> HttpResponseBase:
    """Show a document (?page=plans), a picture of one (?image=…), or the list of all documents.

    A page names only itself (?about=…): it is led to the document that tells about it, and to the list without one.
    """
    if about := request.GET.get("about"):
        return HttpResponseRedirect(address_of(topic_of(about)))
    if picture := request.GET.get("image"):
        if picture not in images():
            raise Http404(say("There is no such picture."))
        return FileResponse((FOLDER / "images" / picture).open("rb"), content_type="image/png")
    context: dict[str, Any] = {"others": [(address_of(name), title_of(name)) for name in names()]}
    name = request.GET.get("page", "")
    if not name:
        return shown(model_admin, request, "scheduling/help.html", title=say("Help"), **context)
    if name not in names():
        raise Http404(say("There is no such page of help."))
    found = document(name)
    return shown(model_admin, request, "scheduling/help.html", title=found.title, document=found, **context)
