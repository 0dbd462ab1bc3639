"""Records that are written once: no code changes one, and only retention takes old ones away."""

from __future__ import annotations

from typing import Any

from django.db import models


class Unchangeable(RuntimeError):
    """Code tried to change or delete a record that is only ever added: a fault of the program."""


class AppendOnlyQuerySet(models.QuerySet[Any]):
    """Rows that are added and read; `forget` is for retention alone."""

    def update(self, **_: Any) -> int:
        """Refuse."""
        raise Unchangeable(self.model.__name__)

    def bulk_update(self, *_: Any, **__: Any) -> int:
        """Refuse."""
        raise Unchangeable(self.model.__name__)

    def delete(self) -> tuple[int, dict[str, int]]:
        """Refuse."""
        raise Unchangeable(self.model.__name__)

    def forget(self) -> int:
        """Delete these rows, which are older than the retention policy keeps them; return how many."""
        return int(self._raw_delete(self.db) or 0)


class AppendOnly(models.Model):
    """A record that is added and read."""

    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add it; refuse to store it again."""
        if not self._state.adding:
            raise Unchangeable(type(self).__name__)
        super().save(*args, **kwargs)

    def delete(self, *_: Any, **__: Any) -> tuple[int, dict[str, int]]:
        """Refuse."""
        raise Unchangeable(type(self).__name__)
