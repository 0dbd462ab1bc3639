"""Which document, and which part of it, tells about a page of the admin: what its link *Help* leads to."""

from __future__ import annotations

import re

# By the name of the address, the first that fits; what is not named leads to the first page of the documents.
TOPICS = (
    (r"index", "pages#the-start-page"),
    (r"scheduling_schedulerconfiguration_(overdue|paused|rejected|home)", "pages#the-start-page"),
    (r"scheduling_schedulerconfiguration_times", "pages#time"),
    (r"scheduling_schedulerconfiguration_unsent", "pages#when-the-session-ends"),
    (r"scheduling_schedulerconfiguration_forecast", "forecast-and-simulation#forecast-what-will-run"),
    (r"scheduling_\w+_why_not", "explanations"),
    (r"scheduling_\w+_backfill\w*", "plans#backfill"),
    (r"scheduling_schedulerconfiguration_undo", "history#undo"),
    (r"scheduling_schedulerconfiguration_dependencies", "plans#order"),
    (r"scheduling_schedulerconfiguration_rows_preview", "preview"),
    (r"scheduling_schedulerconfiguration_(held|decide)", "review#what-a-person-decides"),
    (r"\w+_history", "change-history"),
    (r"scheduling_schedulerconfiguration_\w+", "configuration"),
    (r"scheduling_schedulerlog_\w+", "pages#the-scheduler-log"),
    (r"scheduling_plan_\w+", "plans#steps"),
    (r"scheduling_sqlscript_\w+", "plans#sql-scripts"),
    (r"scheduling_run_\w+", "runs#watching-a-run"),
    (r"scheduling_queue_\w+", "runs#queues"),
    (r"scheduling_heartbeat_\w+", "operations#queues-and-workers"),
    (r"scheduling_retentionpolicy_\w+", "operations#retention"),
    (r"scheduling_job\w*", "jobs#pages"),
    (r"scheduling_blackoutcalendar_import", "calendars#holidays-from-a-file"),
    (r"scheduling_blackoutcalendar_\w+", "calendars"),
    (r"scheduling_alert\w+", "alerts"),
    (r"staging_version_\w+", "change-history"),
    (r"staging_auditentry_\w+", "change-history#the-audit"),
    (r"scheduling_batch_\w+", "review#what-a-person-decides"),
    (r"staging_batch_\w+", "merging"),
    (r"staging_businessrule_\w+", "business-rules#in-the-admin"),
    (r"staging_apitoken_\w+", "api#sign-in"),
    (r"staging_contract", "delivery-contract"),
    (r"staging_rows_upload\w*", "uploads"),
    (r"staging_rows?(_\w+)?", "mending"),
    (r"staging_members?(_\w+)?", "history#looking-at-production"),
    (r"staging_(entity|attribute)\w*", "pages#a-new-entity"),
    (r"auth_\w+", "roles"),
)


def topic_of(address: str) -> str:
    """Return the document that tells about the page with this name, with its part: "plans#steps"; empty for none."""
    return next((topic for pattern, topic in TOPICS if re.fullmatch(pattern, address)), "")
