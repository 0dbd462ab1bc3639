"""Lets the names that Django makes of models and fields be read in every language; each app lists them, marked."""

from django.apps import AppConfig
from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy


def translate_names(app: AppConfig) -> None:
    """Say these names in the language of who reads. Migrations do not see it: no model declares anything else."""
    for model in _of(app):
        meta = model._meta
        if "verbose_name_plural" not in meta.original_attrs:
            several = str(meta.verbose_name_raw) + "s"  # as Django does
            meta.verbose_name_plural = gettext_lazy(several)
        if not isinstance(meta.verbose_name, Promise):
            meta.verbose_name = gettext_lazy(str(meta.verbose_name))
        for field in (*meta.local_fields, *meta.local_many_to_many):
            if not isinstance(field.verbose_name, Promise):
                field.verbose_name = gettext_lazy(field.verbose_name)


def _of(app: AppConfig) -> list[type[Model]]:
    """Return the app's models; while applications are loaded Django itself does not tell yet."""
    return [model for model in (app.models or {}).values() if not model._meta.auto_created]
