"""Who put or changed which staged rows by hand, so that nobody approves work of his own."""

from django.db import models
from django.db.models.functions import Now

from staging.wording import say


class Handling(models.Model):
    """Staged rows, from one id to another, that a person uploaded or mended; the two-person rule asks for them."""

    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, related_name="+")
    handled_by = models.CharField(max_length=150)
    first_id = models.BigIntegerField()
    last_id = models.BigIntegerField()
    handled_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["id"]
        default_permissions = ()
        indexes = [models.Index(fields=["entity", "handled_by"], name="handling_by_person")]

    def __str__(self) -> str:
        return say("Rows {first} to {last} by {by}", first=self.first_id, last=self.last_id, by=self.handled_by)
