"""Django's signals of saved and deleted rows, by which every door is seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.db.models.signals import m2m_changed, post_delete, post_save, pre_delete, pre_save

from staging.versions.subjects import Tracked, concerned, in_set, is_renamed, linked, mentioning, mentions, register
from staging.versions.units import Unit, open_unit

_UNIT = "_unit_of_versions"


def follow(subject: Tracked) -> None:
    """Give a kind of thing versions. A listener makes Django delete row by row: its tables, and those it names."""
    register(subject)
    for model in (subject.model, *subject.parts, *(mention.to for mention in mentions(subject))):
        for signal, heard in (
            (pre_save, _about_to_save),
            (post_save, _saved),
            (pre_delete, _about_to_delete),
            (post_delete, _deleted),
        ):
            signal.connect(heard, sender=model, dispatch_uid=f"versions.{heard.__name__}.{model._meta.label}")
    for through in subject.links:
        m2m_changed.connect(_set_changes, sender=through, dispatch_uid=f"versions.{through._meta.label}")


def _about_to_save(instance: Model, raw: bool = False, update_fields: Any = None, **_: Any) -> None:
    if not raw:
        _note(instance, concerned(instance, update_fields))
        if is_renamed(instance, update_fields):
            _note(instance, mentioning(instance))


def _saved(instance: Model, created: bool, raw: bool = False, update_fields: Any = None, **_: Any) -> None:
    if raw:
        return
    _note(instance, concerned(instance, update_fields), new=instance if created else None)
    _end(instance)


def _about_to_delete(instance: Model, **_: Any) -> None:
    _note(instance, [*concerned(instance, None), *mentioning(instance)])


def _deleted(instance: Model, **_: Any) -> None:
    _end(instance)


def _set_changes(sender: Any, instance: Any, action: str, reverse: bool, model: Any, pk_set: Any, **_: Any) -> None:
    if action.startswith("pre_"):
        rows: Iterable[Model] = [instance]
        if reverse:  # a set that is cleared does not say of what
            rows = in_set(sender, model, instance) if pk_set is None else model._base_manager.filter(pk__in=pk_set)
        for row in rows:
            _note(instance, linked(sender, row))
    else:
        _end(instance)


def _note(row: Any, found: Iterable[tuple[Tracked, int]], new: Model | None = None) -> None:
    """Note the things in the unit; without a transaction the row carries the unit until it is saved."""
    for subject, pk in found:
        unit = vars(row).get(_UNIT) or open_unit()
        if not transaction.get_connection().in_atomic_block:
            vars(row)[_UNIT] = unit
        unit.touch(subject, pk, is_new=new is not None and subject.model is type(new) and pk == new.pk)


def _end(row: Any) -> None:
    """Write what a row saved without a transaction has changed."""
    unit = vars(row).pop(_UNIT, None)
    if isinstance(unit, Unit):
        with transaction.atomic():
            unit.write()
