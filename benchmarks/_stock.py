"""The admin as Django ships it, over the same models: what our pages are measured beside."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import admin
from django.urls import path

from scheduler_project.urls import urlpatterns as ours

site = admin.AdminSite(name="stock")
for model in admin.site._registry:
    site.register(model, type("Stock", (admin.ModelAdmin,), {"search_fields": ()}))
urlpatterns = [*ours, path("stock/", site.urls)]


@contextmanager
def stock_pages() -> Iterator[None]:
    """Let the stock admin answer below /stock/, with Django's own templates and context, behind our middleware."""
    from django.conf import settings
    from django.test import override_settings

    engine = settings.TEMPLATES[0]
    options = engine["OPTIONS"]["context_processors"]
    kept = [processor for processor in options if processor.startswith("django.")]
    stock = {**engine, "DIRS": [], "OPTIONS": {"context_processors": kept}}
    with override_settings(TEMPLATES=[stock], ROOT_URLCONF=__name__):
        yield
