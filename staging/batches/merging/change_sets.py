"""Numbers what is committed together in the order of commits, so that a feed of changes can be followed.

A transaction opens a change set for each entity of which it notes a change, and numbers it last of all, under the lock
of the entity's feed: from there to the commit nobody else of this entity can come between. So numbers are commits in
their order, and once a number is seen no lower one can appear.
"""

from dataclasses import dataclass

from django.db.models import F

from staging.models import ChangeFeed, ChangeSet, Entity
from staging.sql.compose import Sql, run, statement
from staging.tables.change_feed import highest_row
from staging.transactions import Unprotected, in_transaction, kept_in_transaction

_KEPT = "change sets"


@dataclass(frozen=True)
class _Open:
    """A change set that has no number yet; its rows of the history come after the first one."""

    id: int
    first_row: int
    history: Sql


@in_transaction
def change_set(entity: Entity, history: Sql) -> int:
    """Return the id of this transaction's change set for an entity; opened when it is asked for first."""
    found = kept_in_transaction(_KEPT)
    if entity.pk not in found:
        highest = highest_row(history)
        found[entity.pk] = _Open(_create(entity, highest), highest, history)
    return int(found[entity.pk].id)


def number_change_sets() -> None:
    """Give the change sets of this transaction their numbers: the last thing before its commit.

    Entities come in one order, so two transactions that changed the same two never wait for each other.
    """
    found = kept_in_transaction(_KEPT)
    for entity_id in sorted(found):
        noted = found.pop(entity_id)
        last = highest_row(noted.history)
        number = _next_number(entity_id)
        if not ChangeSet.objects.filter(pk=noted.id).update(number=number, last_row=last):
            raise Unprotected(f"Change set {noted.id} was opened in a savepoint that is gone.")


def note_new_codes(entity: Entity, history: Sql, production: Sql) -> None:
    """Keep, with the changes that this transaction noted of an entity, the codes that members got by them."""
    noted = kept_in_transaction(_KEPT).get(entity.pk)
    if noted:
        parts = {"history": history, "production": production, "first": noted.first_row}
        run(statement("note_new_codes", change_set=noted.id, **parts))


def _create(entity: Entity, highest: int) -> int:
    return int(ChangeSet.objects.create(entity=entity, first_row=highest).pk)


def _next_number(entity_id: int) -> int:
    feed = ChangeFeed.objects.filter(entity_id=entity_id)
    if not feed.update(last_number=F("last_number") + 1):
        ChangeFeed.objects.bulk_create([ChangeFeed(entity_id=entity_id)], ignore_conflicts=True)
        feed.update(last_number=F("last_number") + 1)
    return int(feed.values_list("last_number", flat=True)[0])
