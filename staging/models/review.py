"""What people decided about held rows: who, when, what and why; written once, never changed."""

from django.db import models

from staging.states import ReviewVerb
from staging.wording import say


class BatchReview(models.Model):
    """One decision about rows of a held batch; `rows` grows while a long one is carried out."""

    batch = models.ForeignKey("staging.Batch", on_delete=models.CASCADE, related_name="reviews")
    verb = models.CharField(max_length=10, choices=ReviewVerb)
    decided_by = models.CharField(max_length=150)
    decided_at = models.DateTimeField()
    comment = models.TextField(blank=True)
    rows = models.BigIntegerField(default=0)
    merged_by = models.ForeignKey(
        "staging.Batch", on_delete=models.SET_NULL, null=True, blank=True, related_name="approved_by"
    )

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return say("{verb} by {by}", verb=ReviewVerb(self.verb).label, by=self.decided_by)
