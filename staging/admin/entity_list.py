"""The list of entities: figures of all rows on the page in a few statements."""

from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest

from staging.admin.access import SEE
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
        for entity in self.result_list:
            entity.pending_rows = pending.get(entity.pk)
            entity.rejected_rows = rejected.get(entity.pk)
            entity.may_see_rows = request.user.has_perm(SEE)
            entity.may_see_configuration = request.user.has_perm("scheduling.view_schedulerconfiguration")
