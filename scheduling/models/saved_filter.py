"""A filter of the log that somebody gave a name: their own, or shared with everybody who sees the log."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class SavedFilter(models.Model):
    """The query string of a filter. It opens what its reader may see, whoever saved it."""

    LONGEST = 1000

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=LONGEST, blank=True)
    is_shared = models.BooleanField(default=False, help_text=_("With everybody who sees the log."))

    class Meta:
        ordering = ["name", "pk"]
        default_permissions = ()
        permissions = [("share_filters", "Can share saved filters, and delete those that others share")]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="saved_filter_once")]

    def __str__(self) -> str:
        return self.name
