"""Settings and signs of life of the installation: queues, retention, workers."""

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.safestring import SafeString

from scheduling import clock
from scheduling.admin.read_only import ReadOnlyAdmin
from scheduling.models import Heartbeat, Queue, RetentionPolicy, Task
from scheduling.states import TaskStatus
from scheduling.templatetags.look import moment, since


@admin.register(Queue)
class QueueAdmin(admin.ModelAdmin):
    """Queues: how many of their tasks may run at once."""

    list_display = ("name", "max_running", "running", "waiting")
    readonly_fields = ("name",)
    fields = ("name", "max_running")
    actions = None
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Queue]:
        """Count what runs and waits in the same query; both counts have a partial index."""
        queues = super().get_queryset(request)
        return queues.annotate(running_now=_tasks(TaskStatus.RUNNING), waiting_now=_tasks(TaskStatus.QUEUED))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Name the page for what it shows."""
        return super().changelist_view(request, {"title": "Queues", **(extra_context or {})})

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Queues are declared in model files."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A queue that tasks name must stay."""
        return False

    @admin.display(description="running")
    def running(self, queue: Any) -> int:
        """Return how many of its tasks run."""
        return int(queue.running_now)

    @admin.display(description="waiting")
    def waiting(self, queue: Any) -> int:
        """Return how many of its tasks wait for a worker."""
        return int(queue.waiting_now)


@admin.register(RetentionPolicy)
class RetentionAdmin(admin.ModelAdmin):
    """The one retention policy: the list leads straight to its form."""

    actions = None

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Send to the form; there is only one row."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return HttpResponseRedirect(reverse("admin:scheduling_retentionpolicy_change", args=[1]))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> RetentionPolicy | None:
        """Return the stored policy, or the defaults that hold while none was saved."""
        return RetentionPolicy.current() if object_id == "1" else None

    def has_add_permission(self, request: HttpRequest) -> bool:
        """There is always exactly one."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """There is always exactly one."""
        return False


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    """Who gave a sign of life, and when: the dispatcher and the workers."""

    list_display = ("name", "kind", "started", "seen", "age")
    list_display_links = None
    sortable_by = ()

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Name the page for what it shows."""
        return super().changelist_view(
            request, {"title": "Heartbeats of scheduler and workers", **(extra_context or {})}
        )

    @admin.display(description="started")
    def started(self, heartbeat: Heartbeat) -> SafeString | str:
        """Return when it started."""
        return moment(heartbeat.started_at)

    @admin.display(description="last sign of life")
    def seen(self, heartbeat: Heartbeat) -> SafeString | str:
        """Return when it was last seen."""
        return moment(heartbeat.seen_at)

    @admin.display(description="age")
    def age(self, heartbeat: Heartbeat) -> str:
        """Return how long ago that is."""
        return since(heartbeat.seen_at, clock.now())


def _tasks(status: TaskStatus) -> Coalesce:
    """Return the number of a queue's tasks in this status, as an expression."""
    found = Task.objects.filter(queue=OuterRef("pk"), status=status).order_by().values("queue")
    return Coalesce(Subquery(found.annotate(number=Count("pk")).values("number")), 0)
