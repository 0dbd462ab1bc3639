"""What one person has chosen for pages: language, time zone, whose times are shown, what is not shown again."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from scheduling.states import TimesShown


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
    has_dismissed_first_steps = models.BooleanField(default=False)
    # The database has the default, too: processes of the version before store choices beside us during an upgrade.
    has_shortcuts = models.BooleanField(default=True, db_default=True, help_text=_("Single keys lead to pages."))

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.person)
