"""What is remembered of uploads: which column of a file goes into which staged column, for each entity."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from staging.wording import say


class UploadMapping(models.Model):
    """The last choice of columns for an entity's files; the next file starts from it."""

    entity = models.OneToOneField("staging.Entity", on_delete=models.CASCADE, related_name="upload_mapping")
    columns = models.JSONField(default=dict, help_text=_("Column of the file to staged column; empty: left out."))

    def __str__(self) -> str:
        return say("Columns of {entity}", entity=str(self.entity))
