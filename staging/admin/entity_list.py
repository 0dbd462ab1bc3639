"""The list of entities: figures of all rows on the page in a few statements."""

from collections.abc import Sequence

from django.contrib.admin.views.main import ChangeList
from django.db.models import Count
from django.http import HttpRequest

from staging.admin.access import SEE
from staging.models import Batch, Entity
from staging.states import BatchStatus
from staging.tables.rejected import rejected_counts
from staging.tables.statistics import pending_statistics


class EntityChangeList(ChangeList):
    """Adds to each entity of the page how many of its rows wait and how many were rejected."""

    def get_results(self, request: HttpRequest) -> None:
        """Fetch the page, then the figures of the whole page at once: never a statement per entity."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        pending = pending_statistics(self.result_list)
        rejected = rejected_counts(self.result_list)
        held = _held_batches(self.result_list)
        for entity in self.result_list:
            entity.held_batches = held.get(entity.pk, 0)
            entity.pending_rows = pending.get(entity.pk)
            entity.rejected_rows = rejected.get(entity.pk)
            entity.may_see_rows = request.user.has_perm(SEE)
            entity.may_see_configuration = request.user.has_perm("scheduling.view_schedulerconfiguration")


def _held_batches(entities: Sequence[Entity]) -> dict[int, int]:
    """Return how many batches of each entity wait for a person's decision; entities without any are left out."""
    held = Batch.objects.filter(status=BatchStatus.HELD, entity__in=entities).order_by()
    return dict(held.values_list("entity_id").annotate(Count("pk")))
