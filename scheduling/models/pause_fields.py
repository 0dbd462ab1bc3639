"""The four facts of a pause, as columns of whatever people can pause: a schedule of any kind, and a job as a whole."""

from django.db import models


class PauseFields(models.Model):
    """Since when it is paused (None: it is not), by whom, why, and until when (None: until somebody resumes it)."""

    paused_at = models.DateTimeField(null=True, blank=True, editable=False)
    paused_by = models.CharField(max_length=150, blank=True, editable=False)
    pause_reason = models.CharField(max_length=200, blank=True, editable=False)
    paused_until = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True

    def forget_pauses(self) -> None:
        """Take the pause off in memory, for copies to think with; nothing is stored."""
        self.paused_at, self.paused_by, self.pause_reason, self.paused_until = None, "", "", None
