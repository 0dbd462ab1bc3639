"""Django's entry to the staging app."""

from django.apps import AppConfig


class StagingConfig(AppConfig):
    """What lands, how it is checked and merged."""

    name = "staging"
    verbose_name = "Staging"
    default_auto_field = "django.db.models.BigAutoField"
