"""A consumer of the feed, as anybody would write one: it stores values by code and forgets what was deleted."""

from typing import Any

from staging.members.feed import changes_after
from staging.models import Entity
from tests.staging.batches.bench import members

_SEEN = ("id", "code", "name", "is_active", "updated_batch_id")


class Follower:
    """Follows the feed of one entity, page by page."""

    def __init__(self, entity: Entity, limit: int = 1000):
        self.entity, self.limit = entity, limit
        self.cursor = ""
        self.held: dict[str, dict[str, Any]] = {}
        self.told: list[tuple[str, str]] = []

    def catch_up(self) -> "Follower":
        """Read pages until one is empty."""
        while True:
            page = changes_after(self.entity, self.cursor, self.limit)
            assert len(page.changes) <= self.limit
            was, self.cursor = self.cursor, str(page.next)
            for change in page.changes:
                self.told.append((change.change, change.code))
                if change.change == "deleted":
                    self.held.pop(change.code, None)
                else:
                    self.held[change.code] = change.values
            if not page.changes and was == self.cursor:
                return self

    def assert_holds_production(self) -> None:
        """Check that what is held is the production table, value by value."""
        attributes = [a.name for a in self.entity.attributes.filter(is_cancelled=False)]
        names = (*_SEEN, *attributes)
        real = {code: {n: _plain(row[n]) for n in names} for code, row in members(self.entity).items()}
        held = {code: {n: _plain(row[n]) for n in names} for code, row in self.held.items()}
        assert held == real


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return value if value is None or isinstance(value, int) else str(value)
