"""What the run pages show: the filter of the list, and one run with its tasks, attempts, batches and progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from scheduling.admin.entity_filter import entity_named
from scheduling.models import Attempt, Run, Task
from scheduling.states import RunStatus
from staging.models import Batch

LIVE = "live"


class RunFilter(forms.Form):
    """The filter bar of the run list; what is not valid does not filter."""

    entity = forms.CharField(
        required=False, max_length=100, widget=forms.TextInput(attrs={"placeholder": "code or name"})
    )
    status = forms.ChoiceField(
        required=False, choices=[("", "all states"), (LIVE, "not ended yet"), *RunStatus.choices]
    )

    def __init__(self, params: QueryDict):
        """Read `params`."""
        super().__init__({name: params.get(name, "") for name in self.base_fields})
        self.full_clean()

    @property
    def asked(self) -> dict[str, str]:
        """Return the valid, non-empty choices, for links that keep them."""
        return {name: value for name, value in self.cleaned_data.items() if value}

    def apply(self, queryset: QuerySet[Run]) -> QuerySet[Run]:
        """Return the runs asked for."""
        if entity := self.cleaned_data.get("entity"):
            queryset = queryset.filter(entity_id=entity_named(entity))
        status = self.cleaned_data.get("status")
        if status == LIVE:
            return queryset.exclude(status__in=RunStatus.final())
        return queryset.filter(status=status) if status else queryset


@dataclass(frozen=True)
class TaskState:
    """One task with its tries and the batch it works on."""

    task: Task
    attempts: list[Attempt]
    batch: Batch | None


@dataclass(frozen=True)
class RunState:
    """One run as its page shows it."""

    run: Run
    tasks: list[TaskState]

    @property
    def title(self) -> str:
        """Return the page's title: state first, then entity and run, so that a browser tab tells the outcome."""
        return f"{self.run.status.capitalize()}: {self.run.entity or self.run.kind}, run {self.run.pk}"

    @property
    def is_final(self) -> bool:
        """Return whether nothing will change any more."""
        return self.run.status in RunStatus.final()

    @property
    def cancel_requested(self) -> bool:
        """Return whether a person asked to cancel and a task still runs."""
        return not self.is_final and any(state.task.cancel_requested for state in self.tasks)


def run_state(run: Run) -> RunState:
    """Return a run with everything its page shows, in three queries."""
    tasks = list(run.tasks.select_related("entity", "queue").prefetch_related("attempts").order_by("step_index", "id"))
    batches: dict[Any, Batch] = {
        batch.task_id: batch for batch in Batch.objects.filter(task_id__in=[task.pk for task in tasks])
    }
    return RunState(run, [TaskState(task, list(task.attempts.all()), batches.get(task.pk)) for task in tasks])
