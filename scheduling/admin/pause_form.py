"""The form of a pause: why, and until when; the same for one schedule, for several and for everything."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django import forms

from scheduling.admin.local_moment import LocalMoment
from scheduling.errors import InvalidSchedule


class ReasonForm(forms.Form):
    """Why something is paused; it is asked of everybody who pauses."""

    pause_reason = forms.CharField(
        max_length=200,
        label="Reason",
        help_text="Everybody who sees that it is paused reads this.",
        error_messages={"required": "Say why, so that others know."},
        widget=forms.TextInput(attrs={"size": 60, "autocomplete": "off"}),
    )


class PauseForm(ReasonForm):
    """A reason is required, the end is not. The verbs of `schedules.pause` judge; `refused` shows their words here."""

    def __init__(self, data: Any = None, *, zone: ZoneInfo):
        """Read the end in `zone`."""
        super().__init__(data)
        self.fields["paused_until"] = LocalMoment(
            zone=zone,
            required=False,
            label=f"Until ({zone.key})",
            help_text="It resumes by itself then. Empty: until somebody resumes it.",
        )

    def facts(self) -> dict[str, Any]:
        """Return the reason and the end as the verbs take them; only for a valid form."""
        return {"reason": self.cleaned_data["pause_reason"], "until": self.cleaned_data["paused_until"]}

    def refused(self, error: InvalidSchedule) -> None:
        """Show each message of a verb at its field."""
        for field, texts in error.errors.items():
            for text in texts:
                self.add_error(field if field in self.fields else None, text)
