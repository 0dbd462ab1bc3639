"""The order in which changes of members were committed, so that whoever follows them misses none."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from staging.wording import say


class ChangeSet(models.Model):
    """The changes of one entity's members that one transaction made; rows of the history name it.

    Its number is given as the last thing its transaction does, from the entity's `ChangeFeed`, whose row is locked from
    then until the commit: a higher number was committed later, and no lower one can appear afterwards.
    """

    entity = models.ForeignKey("staging.Entity", on_delete=models.CASCADE, related_name="change_sets")
    number = models.BigIntegerField(null=True, help_text=_("Its place in the order of commits; empty: under way."))
    first_row = models.BigIntegerField(help_text=_("All its rows of the history have a higher id."))
    last_row = models.BigIntegerField(null=True, help_text=_("None of its rows of the history has a higher id."))

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["entity", "number"], name="change_set_number_once_per_entity")]

    def __str__(self) -> str:
        return say("Change set {number}", number=self.number)


class ChangeFeed(models.Model):
    """How far the changes of one entity's members are numbered, and from where on all of them are there."""

    entity = models.OneToOneField("staging.Entity", on_delete=models.CASCADE, related_name="change_feed")
    last_number = models.BigIntegerField(default=0)
    floor = models.BigIntegerField(
        default=0, help_text=_("Changes up to this number are not all there: retention, or a time without history.")
    )
    since = models.DateTimeField(
        null=True, help_text=_("From this instant on all changes are in the history; empty: from the first member on.")
    )
    is_kept = models.BooleanField(_("kept"), default=True, help_text=_("Whether changes are noted at present."))
    is_whole = models.BooleanField(
        _("whole"), default=False, help_text=_("Whether there was no member before the first change.")
    )

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return say("Changes of {entity}", entity=str(self.entity))
