"""Django's entry to the scheduling app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SchedulingConfig(AppConfig):
    """When, in which order and whether work runs."""

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
