"""What one person has chosen: how pages look to them, filters by name, and in a list, to do something to all of it."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from scheduling.states import TimesShown
from staging.wording import figure


class PersonalChoices(models.Model):
    """The choices of one person; somebody without a row has chosen nothing."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    timezone = models.CharField(max_length=64, blank=True, help_text=_("Empty: not known yet."))
    times_shown = models.CharField(max_length=10, choices=TimesShown, default=TimesShown.MINE)
    language = models.CharField(
        max_length=10, blank=True, default="", db_default="", help_text=_("Empty: what the browser asks for.")
    )
    has_dismissed_first_steps = models.BooleanField(_("first steps dismissed"), default=False)
    # The database has the default, too: processes of the version before store choices beside us during an upgrade.
    has_shortcuts = models.BooleanField(
        _("shortcuts"), default=True, db_default=True, help_text=_("Single keys lead to pages.")
    )

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.person)


class BulkAction(models.Model):
    """One action on many things: which, how far it is, and what became of them. Only who began it sees it."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    model = models.CharField(max_length=100)
    verb = models.CharField(max_length=50)
    keys = models.JSONField(default=list, help_text=_("The keys of what was chosen, in the order of the list."))
    values = models.JSONField(default=dict, blank=True, help_text=_("What was asked for on the page that confirms it."))
    created_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    position = models.PositiveIntegerField(default=0, help_text=_("How many of the keys have had their turn."))
    done = models.PositiveIntegerField(default=0)
    idle = models.PositiveIntegerField(default=0, help_text=_("Nothing had to be done to them."))
    refused = models.PositiveIntegerField(default=0)
    told = models.JSONField(default=dict, blank=True, help_text=_("The first names of each outcome."))

    class Meta:
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=Q(finished_at__isnull=True) | Q(confirmed_at__isnull=False), name="bulk_action_asked_first"
            ),
            models.CheckConstraint(
                condition=Q(position=F("done") + F("idle") + F("refused")), name="bulk_action_counts_each_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.verb}: {figure(len(self.keys))}"

    @property
    def left(self) -> int:
        """Return how many have not had their turn."""
        return len(self.keys) - self.position


class SavedFilter(models.Model):
    """The query string of a filter. It opens what its reader may see, whoever saved it."""

    LONGEST = 1000

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=LONGEST, blank=True)
    is_shared = models.BooleanField(_("shared"), default=False, help_text=_("With everybody who sees the log."))

    class Meta:
        ordering = ["name", "pk"]
        default_permissions = ()
        permissions = [("share_filters", "Can share saved filters, and delete those that others share")]
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="saved_filter_once")]

    def __str__(self) -> str:
        return self.name
