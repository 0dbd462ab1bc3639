"""Who may see rows and who may mend them, and the entity the page is about; asked by every page of rows."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from staging.models import Entity

SEE = "staging.view_rows"
MEND = "staging.mend_rows"
UPLOAD = "staging.upload_rows"


def entity_for(request: HttpRequest, entity_id: int, *permissions: str) -> Entity:
    """Return the entity when the user has all these permissions; raises PermissionDenied or Http404.

    Permission first: whoever may not look shall not learn which entities exist.
    """
    if not all(request.user.has_perm(permission) for permission in permissions):
        raise PermissionDenied
    return get_object_or_404(Entity, pk=entity_id)
