"""The record of a preview that is kept for a while, so that people can page through a million changes."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from staging.wording import say


class KeptPreview(models.Model):
    """One classification of waiting rows; its changes lie in a table of its own, named by `token`, until it expires."""

    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, related_name="+")
    held_by = models.ForeignKey("staging.Batch", on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    tag = models.CharField(max_length=200, blank=True)
    token = models.CharField(max_length=20, unique=True)
    columns = models.JSONField(help_text=_("Names of the columns it can show."))
    counts = models.JSONField(help_text=_("Rows by outcome."))
    made_by = models.CharField(max_length=150, blank=True)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        default_permissions = ()
        indexes = [models.Index(fields=["made_at"], name="preview_by_age")]

    def __str__(self) -> str:
        return say("Preview {number}", number=self.pk)
