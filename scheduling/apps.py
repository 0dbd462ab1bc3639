"""Django's entry to the scheduling app, and to the admin, whose pages are found with the addresses."""

from typing import Any

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core.checks import CheckMessage, Tags, register
from django.utils.translation import gettext_lazy as _


class SchedulingConfig(AppConfig):
    """When, in which order and whether work runs."""

    default = True
    name = "scheduling"
    verbose_name = _("Scheduling")
    default_auto_field = "django.db.models.BigAutoField"

    def import_models(self) -> None:
        """Find the models, and let their names be translated before forms are made of them."""
        super().import_models()
        from staging.naming import translate_names

        translate_names(self)

    def ready(self) -> None:
        """Connect what must follow a migration, a new entity or a change."""
        from scheduling import checks, signals  # noqa: F401
        from scheduling.subjects.all import follow_all

        follow_all()


class PagesConfig(admin_apps.SimpleAdminConfig):
    """The admin, without looking for its pages at once: who shows none need not read their code."""

    default = False

    def ready(self) -> None:
        """Let `check` look at the pages as ever: it finds them first."""
        register(check_dependencies, Tags.admin)
        register(check_pages, Tags.admin)


def check_pages(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Return what Django finds wrong with the pages of the admin."""
    from django.contrib import admin

    admin.autodiscover()
    return check_admin_app(app_configs, **kwargs)
