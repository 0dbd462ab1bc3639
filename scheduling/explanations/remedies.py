"""Each reason for which a slot did not run, or ran badly, with the one line that says what to do about it."""

from enum import Enum

from django.utils.translation import gettext_noop

from staging.wording import say


class Remedy(Enum):
    """One line for each reason; the docs list them in this order."""

    NOTHING = ""
    RUN_FAILED = gettext_noop("Open the run, mend what it names, then process now or wait for the next slot.")
    RUN_CANCELLED = gettext_noop("Somebody cancelled the run: process now if it is wanted after all.")
    RUN_WAITS = gettext_noop("It waits for a free worker: see the queues and workers in `status`.")
    RAN_LATE = gettext_noop("Keep the scheduler running: see the last cycle in `status`.")
    OVERLAP = gettext_noop(
        "The batch before had not ended: see that workers run (`status`), find out why it is slow, or run less often."
    )
    BACK_OFF = gettext_noop(
        "Mend what made the runs before fail; the back-off ends by itself, and process now does not wait for it."
    )
    OTHER_GATE = gettext_noop("Open the log event: it lists every condition with its value and limit.")
    BLACKOUT = gettext_noop("Move the slot, or change the blackout calendar; process now is not held.")
    NO_SCHEDULER = gettext_noop("Start the scheduler (beat and workers, or run_local); `status` shows its last cycle.")
    WAS_DOWN = gettext_noop("Keep the scheduler running; with catch-up `last` or `all`, missed slots run late.")
    CATCHES_UP = gettext_noop("Nothing to do: it runs late, one after the other.")
    NOTHING_KNOWN = gettext_noop("Compare with the process log of that time; a longer log retention keeps more.")
    ERROR = gettext_noop("Mend what the message names; it is tried again by itself after the back-off.")
    PAUSED = gettext_noop("Resume it, or wait for the end of the pause; process now works meanwhile.")
    WAS_PAUSED = gettext_noop("Nothing to do: what falls into a pause does not run later.")
    JOB_PAUSED = gettext_noop("Resume the job, or wait for the end of its pause; run now works meanwhile.")
    EVERYTHING_PAUSED = gettext_noop("Resume everything; single pauses stay.")
    BEFORE_CHANGE = gettext_noop("Nothing to do: editing, switching on or resuming never fires slots of before.")
    SWITCHED_OFF = gettext_noop("Switch the schedule on: it then starts from that moment.")
    OTHER_MODE = gettext_noop("Choose the mode scheduled if these times are to run.")
    AWAITS_END = gettext_noop("Nothing to do: it starts in the first cycle after that end.")
    AWAITED = gettext_noop("Nothing to do: cycles run once a minute.")
    TO_COME = gettext_noop("Nothing to do: its time has not come.")

    def __str__(self) -> str:
        return say(self.value)
