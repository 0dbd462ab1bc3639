"""The addresses of scheduling in the API."""

from django.urls import path

from scheduling.api.alerts import AcknowledgeAlert, Alerts, HandBackAlert, OneAlert, SnoozeAlert
from scheduling.api.backfills import BackfillJob, BackfillPlan, Backfills, CancelBackfill, OneBackfill
from scheduling.api.calendars import Calendars, OneCalendar
from scheduling.api.jobs import Jobs, OneJob, RunJob
from scheduling.api.log import Log
from scheduling.api.model import Model
from scheduling.api.outlook import CancelEverything, ForecastOfAll, Simulate, Status
from scheduling.api.plans import CheckPlan, OnePlan, Plans, RunPlan
from scheduling.api.processing import PreviewOfEntity, Process, TestRunOfEntity, WhyNot
from scheduling.api.queues import OneQueue, PauseQueue, Queues, ResumeQueue
from scheduling.api.reviews import Approve, Discard, SendBack, Undo
from scheduling.api.runs import (
    CancelRun,
    CompleteStep,
    HoldStep,
    ItemsOfRun,
    OneRun,
    RestartRun,
    ResumeStep,
    RetryStep,
    RunFromStep,
    RunOnlyStep,
    Runs,
    SkipStep,
)
from scheduling.api.schedules import EntitySchedule

# A name may hold a slash: what follows it stands before the name alone.
urlpatterns = [
    path("entities/<str:code>/schedule", EntitySchedule.as_view()),
    path("entities/<str:code>/test-run", TestRunOfEntity.as_view()),
    path("entities/<str:code>/why-not", WhyNot.as_view()),
    path("entities/<str:code>/preview", PreviewOfEntity.as_view()),
    path("entities/<str:code>/process", Process.as_view()),
    path("batches/<int:id>/undo", Undo.as_view()),
    path("batches/<int:id>/approve", Approve.as_view()),
    path("batches/<int:id>/discard", Discard.as_view()),
    path("batches/<int:id>/send-back", SendBack.as_view()),
    path("runs", Runs.as_view()),
    path("runs/cancel", CancelEverything.as_view()),
    path("runs/<int:id>", OneRun.as_view()),
    path("runs/<int:id>/items", ItemsOfRun.as_view()),
    path("runs/<int:id>/cancel", CancelRun.as_view()),
    path("runs/<int:id>/restart", RestartRun.as_view()),
    path("runs/<int:id>/retry", RetryStep.as_view()),
    path("runs/<int:id>/skip", SkipStep.as_view()),
    path("runs/<int:id>/complete", CompleteStep.as_view()),
    path("runs/<int:id>/hold", HoldStep.as_view()),
    path("runs/<int:id>/resume", ResumeStep.as_view()),
    path("runs/<int:id>/run-only", RunOnlyStep.as_view()),
    path("runs/<int:id>/run-from", RunFromStep.as_view()),
    path("log", Log.as_view()),
    path("plans", Plans.as_view()),
    path("plans/<path:name>/backfill", BackfillPlan.as_view()),
    path("plans/<path:name>/run", RunPlan.as_view()),
    path("plans/<path:name>/check", CheckPlan.as_view()),
    path("plans/<path:name>", OnePlan.as_view()),
    path("jobs", Jobs.as_view()),
    path("jobs/<path:name>/backfill", BackfillJob.as_view()),
    path("jobs/<path:name>/run", RunJob.as_view()),
    path("jobs/<path:name>", OneJob.as_view()),
    path("backfills", Backfills.as_view()),
    path("backfills/<int:id>", OneBackfill.as_view()),
    path("backfills/<int:id>/cancel", CancelBackfill.as_view()),
    path("queues", Queues.as_view()),
    path("queues/<path:name>/pause", PauseQueue.as_view()),
    path("queues/<path:name>/resume", ResumeQueue.as_view()),
    path("queues/<path:name>", OneQueue.as_view()),
    path("calendars", Calendars.as_view()),
    path("calendars/<path:name>", OneCalendar.as_view()),
    path("alerts", Alerts.as_view()),
    path("alerts/<int:id>", OneAlert.as_view()),
    path("alerts/<int:id>/acknowledge", AcknowledgeAlert.as_view()),
    path("alerts/<int:id>/hand-back", HandBackAlert.as_view()),
    path("alerts/<int:id>/snooze", SnoozeAlert.as_view()),
    path("forecast", ForecastOfAll.as_view()),
    path("simulate", Simulate.as_view()),
    path("status", Status.as_view()),
    path("model", Model.as_view()),
]
