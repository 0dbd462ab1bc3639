"""Who is alive: the cycle, the workers, hosts that take no work, and what people paused."""

from collections.abc import Iterator

from django.db.models import Exists, OuterRef, QuerySet

from scheduling import conf
from scheduling.doctor.finding import DoctorFinding, command, error, warning
from scheduling.doctor.patient import Look, Patient
from scheduling.models import Heartbeat, Queue, SchedulerState, Task
from scheduling.states import TaskStatus
from staging.wording import Said, say


def looks(patient: Patient) -> Iterator[Look]:
    """Look at who should give signs of life and does not, and at what stands still because somebody wanted it."""
    seen_since = patient.now - max(conf.cycle_silence(), conf.worker_silence())
    waiting = Task.objects.filter(queue=OuterRef("pk"), status=TaskStatus.QUEUED)
    queues = Queue.objects.filter(Exists(waiting), paused_at__isnull=False)
    workers = Heartbeat.objects.filter(kind=Heartbeat.WORKER, seen_at__gte=patient.now - conf.worker_silence())
    yield Look(lambda _: _cycle(patient))
    yield Look(_no_worker, workers, is_of_none=True)
    yield Look(_troubled, Heartbeat.troubles(seen_since))
    yield Look(lambda _: _all_paused(patient.facts.state))
    yield Look(_paused, queues.order_by("name"))


def how_to_start() -> Said:
    """Return what starts the scheduler and its workers in this profile."""
    if conf.is_embedded():
        return say("Start it with “make run” or “manage.py run_local”, or ask your administrator.")
    return say("Start Celery beat and the worker of the dispatch queue, or ask your administrator.")


def _cycle(patient: Patient) -> Iterator[DoctorFinding]:
    """Find a dispatcher that is silent."""
    seen, now = patient.facts.last_cycle, patient.now
    if seen is None:
        yield error("cycle.never", say("No cycle has ever run here: nothing starts by itself."), how_to_start())
    elif now - seen > conf.cycle_silence():
        text = say("The last cycle was {silence} ago: nothing starts by itself.", silence=now - seen)
        yield error("cycle.silent", text, how_to_start())


def _no_worker(_: QuerySet[Heartbeat]) -> Iterator[DoctorFinding]:
    """Find that no worker works."""
    yield error("workers.none", say("No worker gives signs of life: nothing that is queued starts."), how_to_start())


def _troubled(troubles: QuerySet[Heartbeat, str]) -> Iterator[DoctorFinding]:
    """Find hosts that take no work."""
    for trouble in troubles:
        yield error("clock.skew", trouble, say("Keep all hosts on NTP."))


def _all_paused(state: SchedulerState) -> Iterator[DoctorFinding]:
    """Find a pause of everything."""
    if state.paused_at is not None:
        text = say("Everything is paused, by {by}: {reason}", by=state.paused_by, reason=state.pause_reason)
        yield warning("paused.everything", text, command("resume all"))


def _paused(queues: QuerySet[Queue]) -> Iterator[DoctorFinding]:
    """Find queues that are paused while something waits in them."""
    for queue in queues:
        text = say("The queue {queue} is paused, by {by}, and tasks wait in it.", queue=queue.name, by=queue.paused_by)
        yield warning("queue.paused", text, command(f"resume queue {queue.name}"))
