"""Django's entry to the staging app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StagingConfig(AppConfig):
    """What lands, how it is checked and merged."""

    name = "staging"
    verbose_name = _("Staging")
    default_auto_field = "django.db.models.BigAutoField"

    def import_models(self) -> None:
        """Find the models, and let their names be translated before forms are made of them."""
        super().import_models()
        from staging.naming import translate_names

        translate_names(self)

    def ready(self) -> None:
        """Make the two databases known, and let one of them read instants quickly."""
        from staging.sql import instants  # noqa: F401
        from staging.sql.dialect import register
        from staging.sql.postgresql import PostgreSQL
        from staging.sql.sqlite import SQLite

        register("postgresql", PostgreSQL)
        register("sqlite", SQLite)
