"""Members as they were at an instant, from what is there now and what the history holds of later changes."""

from collections.abc import Sequence
from datetime import datetime

from staging.errors import StagingError
from staging.identifiers import before_column, history_table, production_table
from staging.members.columns import MemberColumn
from staging.models import ChangeFeed, Entity
from staging.sql.compose import Sql, column, join, name, sql
from staging.sql.dialect import to_database
from staging.states import HistoryAction
from staging.tables.history import has_history
from staging.wording import say


class HistoryOff(StagingError):
    """What was asked needs a history, and the entity keeps none, or it does not reach so far back."""


def check_history(entity: Entity, as_of: datetime | None = None) -> None:
    """Raise HistoryOff unless the entity keeps a history, and all changes since an instant are in it."""
    if not entity.keep_history or not has_history(entity):
        raise HistoryOff(
            say("{entity} keeps no history. Switch “keep history” on; it is kept from then on.", entity=entity.name)
        )
    feed = ChangeFeed.objects.filter(entity=entity).first()
    if as_of and feed and feed.since and as_of < feed.since:
        raise HistoryOff(say("The history of {entity} goes back to {since}.", entity=entity.name, since=feed.since))


def states_at(entity: Entity, columns: Sequence[MemberColumn], at: datetime) -> Sql:
    """Return, as a table with the columns of production, what members were at an instant.

    The first later change of a member holds what it was; one without any is as it was. References are ids.
    """
    wanted = [c.name for c in columns]
    return sql(
        "(SELECT {now} FROM {production} m WHERE NOT EXISTS"
        " (SELECT 1 FROM {history} o WHERE o.member_id = m.id AND o.changed_at > {at})"
        " UNION ALL SELECT {was} FROM {history} h WHERE h.changed_at > {at} AND h.action <> {inserted} AND NOT EXISTS"
        " (SELECT 1 FROM {history} o WHERE o.member_id = h.member_id AND o.changed_at > {at} AND o.id < h.id))",
        now=join(", ", (column("m", each) for each in wanted)),
        was=join(", ", (_was(each) for each in wanted)),
        production=name(production_table(entity.code)),
        history=name(history_table(entity.code)),
        at=to_database(at),
        inserted=HistoryAction.INSERTED.value,
    )


def _was(label: str) -> Sql:
    if label == "id":
        return Sql("h.member_id AS id")
    return sql("{was} AS {label}", was=column("h", before_column(label)), label=name(label))
