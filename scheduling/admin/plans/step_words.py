"""The words beside the inputs of a step."""

from django.utils.translation import gettext_lazy as _

LABELS = {
    "step_index": _("Number"),
    "run_if": _("Runs"),
    "continue_on_failure": _("Go on all the same"),
    "attempts": _("Tries in all"),
    "retry_interval_seconds": _("Between tries (seconds)"),
    "retry_backoff": _("Longer and longer between tries"),
    "retry_on": _("Try again only after"),
    "timeout_seconds": _("May take (seconds)"),
    "expected_minutes": _("Usually takes (minutes)"),
    "due_by": _("Done by"),
    "due_after_minutes": _("Done so many minutes after its slot"),
    "is_cancelled": _("Cancelled"),
    "side_by_side": _("Side by side"),
    "wait_days": _("Days later"),
    "wait_minutes": _("Wait so many minutes"),
    "wait_rows": _("Wait for so many rows"),
    "wait_query": _("Wait until its query is true"),
    "wait_name": _("Name of the wait"),
}
HELP = {
    "side_by_side": _("So many items at a time at most. Empty: as many as the queue takes."),
    "wait_days": _("Empty: on the day of the run."),
    "wait_minutes": _("What: Wait for a time. From when it is the step's turn."),
    "wait_rows": _("What: an entity. It is not processed; the step waits until so many rows wait in it."),
    "wait_query": _("What: a SQL script. It is asked once a minute until it answers true."),
    "wait_name": _("Two alike in one run need a name each."),
    "attempts": _("Empty: as the plan says."),
    "retry_interval_seconds": _("Empty: as the plan says."),
    "timeout_seconds": _("Empty: as the plan says."),
}
