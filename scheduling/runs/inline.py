"""Works a run off in the process that started it, for commands that wait for the end."""

from scheduling import clock
from scheduling.models import Run
from scheduling.runs.execute import execute
from scheduling.states import RunStatus, TaskStatus

_PAUSE_SECONDS = 0.2


def work_off_run(run: Run, *, worker: str = "command", time: clock.TimeSource = clock.now) -> RunStatus:
    """Execute the tasks of a run as they become ready and return how the run ended.

    Other workers may take some of them; while none is free here (a full queue, an attempt to come, a batch of the same
    entity) it waits.
    """
    while True:
        status = Run.objects.values_list("status", flat=True).get(pk=run.pk)
        if status in RunStatus.final():
            return RunStatus(status)
        ready = (
            run.tasks.filter(status=TaskStatus.QUEUED).order_by("-priority", "turn", "id").values_list("id", flat=True)
        )
        if not any(execute(task_id, worker=worker, time=time) for task_id in ready[:10]):
            clock.pause(_PAUSE_SECONDS)
