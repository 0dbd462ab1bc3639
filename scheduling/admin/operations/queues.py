"""Queues: how many of their tasks may run at once, what runs and waits in each, and the pause."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.core.exceptions import ValidationError
from django.db.models import Count, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.forms.models import construct_instance
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from scheduling import clock
from scheduling.admin.schedules.pausing import PausableAdmin, ReasonForm
from scheduling.models import Attempt, Queue, Task
from scheduling.queues import claimable, pause_queue, queue_errors, resume_queue, wake_lines_after_commit
from scheduling.states import AttemptOutcome, TaskStatus
from staging.pages import ASK, DO, number_in, page, row_or_404, shown, told, warned
from staging.wording import say

_SHOWN = 50  # running tasks, and the first in line


class QueueForm(forms.ModelForm):
    """One queue, judged by the rules of `queues.save`."""

    class Meta:
        model = Queue
        fields = ["name", "max_running", "celery_queue", "is_cancelled"]
        labels = {
            "max_running": _("At most so many at once"),
            "celery_queue": _("Celery queue"),
            "is_cancelled": _("Cancelled"),
        }
        help_texts = {
            "name": _("Steps of plans and jobs say this name to get into the queue. It stays as it is once saved."),
            "max_running": _("So many tasks of this queue run at the same time, on all workers together; more wait."),
        }

    def _post_clean(self) -> None:
        """Put the queue together and show each fault at its field."""
        if self.errors:
            return
        self.instance = construct_instance(self, self.instance, list(self.fields), None)
        for name, texts in queue_errors(self.instance).items():
            self.add_error(name if name in self.fields else None, [ValidationError(text) for text in texts])


@page("pause", methods=ASK)
def pause_page(model_admin: ModelAdmin[Queue], request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for the reason (GET), then start nothing more of this queue (POST)."""
    queue = row_or_404(Queue.objects.all(), pk, say("There is no such queue."))
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        title = say("Pause queue {queue}?", queue=queue.name)
        return shown(model_admin, request, "scheduling/queue_pause.html", title=title, queue=queue, form=form)
    reason = form.cleaned_data["pause_reason"]
    if not pause_queue(queue, by=request.user.get_username(), reason=reason, now=clock.now()):
        return warned(
            request, say("Queue {queue} was paused already; nothing was changed.", queue=queue.name), _page(queue)
        )
    model_admin.log_change(request, queue, [{"changed": {"fields": [say("Paused: {reason}", reason=reason)]}}])
    return told(request, say("Queue {queue} is paused.", queue=queue.name), _page(queue))


@page("pause", methods=DO)
def resume_page(model_admin: ModelAdmin[Queue], request: HttpRequest, pk: int) -> HttpResponse:
    """Let the queue's tasks start again."""
    queue = row_or_404(Queue.objects.all(), pk, say("There is no such queue."))
    if not resume_queue(queue, by=request.user.get_username(), now=clock.now()):
        return warned(request, say("Queue {queue} was not paused.", queue=queue.name), _page(queue))
    model_admin.log_change(request, queue, [{"changed": {"fields": [say("Resumed")]}}])
    return told(request, say("Queue {queue} goes on.", queue=queue.name), _page(queue))


@admin.register(Queue)
class QueueAdmin(PausableAdmin):
    """The list of queues, the page of one, and its pause."""

    never = ("delete",)  # a queue that tasks name must stay
    form = QueueForm
    fields = ("name", "max_running", "celery_queue", "is_cancelled")
    actions = None
    pages = (
        ("<int:pk>/pause/", pause_page, "scheduling_queue_pause"),
        ("<int:pk>/resume/", resume_page, "scheduling_queue_resume"),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Keep the name, which plans and runs know a queue by, and its Celery queue; a new one is not cancelled."""
        return ("name", "celery_queue") if obj else ()

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave out of a new queue what only an old one can be."""
        return [name for name in self.fields or () if obj or name != "is_cancelled"]

    @page("view")
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show every queue with what runs and waits in it, by one query."""
        return shown(
            self,
            request,
            "scheduling/queue_list.html",
            title=say("Queues"),
            may_add=self.has_add_permission(request),
            queues=_with_figures(Queue.objects.order_by("name")),
            now=clock.now(),
        )

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form with what runs, what is first in line, and whether it is paused."""
        context = {**self._beside(request, object_id), **(extra_context or {})}
        return super().change_view(request, object_id, form_url, context)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Store what people say alone, for workers move the rest on all the time; wake workers for the new places."""
        if not change:
            obj.save()
            return
        before = Queue.objects.values_list("max_running", flat=True).get(pk=obj.pk)
        obj.save(update_fields=["max_running", "is_cancelled"])
        if obj.max_running > before:
            wake_lines_after_commit({obj.pk: obj.max_running - before}, clock.now())

    def _beside(self, request: HttpRequest, object_id: str) -> dict[str, Any]:
        """Return what the page shows beside the form; nothing for an unknown queue."""
        number = number_in(object_id)
        queue = Queue.objects.filter(pk=number).first() if number is not None else None
        if queue is None:
            return {}
        now, queued = clock.now(), Task.objects.filter(queue=queue, status=TaskStatus.QUEUED)
        put_off = Q(next_attempt_at__gt=now)
        counts = queued.aggregate(
            in_line=Count("pk", filter=~put_off | Q(next_attempt_at__isnull=True)),
            put_off=Count("pk", filter=put_off),
            oldest=Min("queued_at", filter=Q(next_attempt_at__isnull=True)),
        )
        attempts = Attempt.objects.filter(outcome=AttemptOutcome.RUNNING, task__queue=queue)
        return {
            "title": say("Queue {queue}", queue=queue.name),
            "subtitle": None,
            "queue": queue,
            "counts": counts,
            "running_now": Task.objects.filter(queue=queue, status=TaskStatus.RUNNING).count(),
            "attempts": attempts.select_related("task__run", "task__entity").order_by("claimed_at")[:_SHOWN],
            "line": claimable(now).filter(queue=queue).select_related("run", "entity")[:_SHOWN],
            "may_pause": self.has_pause_permission(request),
            "now": now,
        }


def _with_figures(queues: QuerySet[Queue]) -> QuerySet[Queue, Any]:
    """Return the queues with what runs and waits, and since when the oldest of those that could start does."""
    in_line = Task.objects.filter(queue=OuterRef("pk"), status=TaskStatus.QUEUED, next_attempt_at__isnull=True)
    oldest = in_line.order_by().values("queue").annotate(first=Min("queued_at")).values("first")
    return queues.annotate(
        running_now=_tasks(TaskStatus.RUNNING), waiting_now=_tasks(TaskStatus.QUEUED), oldest=Subquery(oldest)
    )


def _tasks(status: TaskStatus) -> Coalesce:
    """Return the number of a queue's tasks in this status, as an expression."""
    found = Task.objects.filter(queue=OuterRef("pk"), status=status).order_by().values("queue")
    return Coalesce(Subquery(found.annotate(number=Count("pk")).values("number")), 0)


def _page(queue: Queue) -> str:
    return reverse("admin:scheduling_queue_change", args=[queue.pk])
