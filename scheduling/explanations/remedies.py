"""Each reason for which a slot did not run, or ran badly, with the one line that says what to do about it."""

from enum import Enum


class Remedy(Enum):
    """One line for each reason; the docs list them in this order."""

    NOTHING = ""
    RUN_FAILED = "Open the run, mend what it names, then process now or wait for the next slot."
    RUN_CANCELLED = "Somebody cancelled the run: process now if it is wanted after all."
    RUN_WAITS = "It waits for a free worker: see the queues and workers in `status`."
    RAN_LATE = "Keep the scheduler running: see the last cycle in `status`."
    OVERLAP = (
        "The batch before had not ended: see that workers run (`status`), find out why it is slow, or run less often."
    )
    BACK_OFF = "Mend what made the runs before fail; the back-off ends by itself, and process now does not wait for it."
    OTHER_GATE = "Open the log event: it lists every condition with its value and limit."
    BLACKOUT = "Move the slot, or change the blackout calendar; process now is not held."
    NO_SCHEDULER = "Start the scheduler (beat and workers, or run_local); `status` shows its last cycle."
    WAS_DOWN = "Keep the scheduler running; with catch-up `last` or `all`, missed slots run late."
    CATCHES_UP = "Nothing to do: it runs late, one after the other."
    NOTHING_KNOWN = "Compare with the process log of that time; a longer log retention keeps more."
    ERROR = "Mend what the message names; it is tried again by itself after the back-off."
    PAUSED = "Resume it, or wait for the end of the pause; process now works meanwhile."
    WAS_PAUSED = "Nothing to do: what falls into a pause does not run later."
    JOB_PAUSED = "Resume the job, or wait for the end of its pause; run now works meanwhile."
    EVERYTHING_PAUSED = "Resume everything; single pauses stay."
    BEFORE_CHANGE = "Nothing to do: editing, switching on or resuming never fires slots of before."
    SWITCHED_OFF = "Switch the schedule on: it then starts from that moment."
    OTHER_MODE = "Choose the mode scheduled if these times are to run."
    AWAITS_END = "Nothing to do: it starts in the first cycle after that end."
    AWAITED = "Nothing to do: cycles run once a minute."
    TO_COME = "Nothing to do: its time has not come."

    def __str__(self) -> str:
        return self.value
