"""Keeps an entity quiet while its columns change: no batch runs, and none starts until the change is stored."""

from staging.errors import TablesInUse
from staging.models import Batch, Entity
from staging.states import BatchStatus
from staging.transactions import in_transaction
from staging.wording import say


def running_batch(entity: Entity) -> str:
    """Return the sentence that refuses a change while a batch of the entity is under way; empty when none is."""
    under_way = (BatchStatus.PENDING, BatchStatus.RUNNING)
    batch = Batch.objects.filter(entity_id=entity.pk, status__in=under_way).order_by("pk").first()
    return (
        say("Batch {batch} of this entity is under way. Try again when it has ended.", batch=batch.pk) if batch else ""
    )


@in_transaction
def quiet(entity: Entity) -> None:
    """Keep batches of the entity from being opened until this transaction ends; raises TablesInUse while one runs.

    A batch reads the attributes after it was opened, and opening one needs the entity's row: a batch therefore sees
    the attributes either all as before or all as after.
    """
    Entity.objects.select_for_update().get(pk=entity.pk)
    if batch := running_batch(entity):
        raise TablesInUse(batch)
