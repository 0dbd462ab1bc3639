"""The retention policy as versions: who let the log, the audit or these versions be kept for how long."""

from __future__ import annotations

from scheduling.models import RetentionPolicy
from scheduling.subjects.telling import check_columns, in_words
from staging.versions.subjects import Content, Tracked
from staging.versions.words import Words

_COLUMNS = ("log_days", "processed_rows_days", "history_days", "runs_days", "audit_days", "changes_days")


def _read(policy: RetentionPolicy) -> Content:
    return {column: getattr(policy, column) for column in _COLUMNS}


@in_words
def _go_back(policy: RetentionPolicy, content: Content) -> None:
    """Make the policy what the content says; raises InvalidSchedule for a number of days that no form takes."""
    check_columns(policy, content)
    for column, value in content.items():
        setattr(policy, column, value)
    policy.save(update_fields=list(content))


RETENTION = Tracked(
    RetentionPolicy,
    columns=_COLUMNS,
    read=_read,
    words=Words(RetentionPolicy, keys=_COLUMNS),
    go_back=_go_back,
)
