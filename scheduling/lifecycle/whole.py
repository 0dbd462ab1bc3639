"""Whether all of its plans is done with a run: only then does what runs after them begin, and is their slot done."""

from scheduling.models import Run, Task
from scheduling.states import TaskStatus

_ENDED_WELL = (TaskStatus.COMPLETED, TaskStatus.SKIPPED)


def is_whole(run: Run) -> bool:
    """Return whether a run that completed is no part: neither itself, nor what it repeats, unless the rest is done.

    A run that repeats nothing, as nearly all do, needs no statement; else a few for each run that it repeats. Of a
    part whose run retention has taken away nobody knows the rest.
    """
    if run.is_partial:
        return False
    while (before := run.restart_of) is not None:
        if before.is_partial and (before.restart_of is None or _is_something_left(before.restart_of)):
            return False
        run = before
    return True


def _is_something_left(run: Run) -> bool:
    """Return whether a step of a run has ended well neither in it nor in a restart of it."""
    done = Task.objects.filter(run__in=Run.objects.repeating(run.pk), status__in=_ENDED_WELL)
    return run.tasks.steps().exclude(key__in=done.values("key")).exists()
