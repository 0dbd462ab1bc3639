"""Members as production has them now, or had them at an instant: filtered by the names of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from staging.api.kit.doors import answer, door
from staging.api.kit.listing import cursor_of, page, page_example, page_schema
from staging.api.kit.parameters import PAGED, Parameter
from staging.api.kit.problems import invalid
from staging.api.kit.resource import Resource
from staging.api.rows import row_position
from staging.members.as_of import check_history
from staging.members.browse import MemberPage, MemberQuery, members_by_id
from staging.members.filters import BadFilter, Filter, filter_columns, parse_filter
from staging.members.plain import plain_values
from staging.model_files.shape import did_you_mean
from staging.models import Entity
from staging.states import Scope
from staging.wording import say

_ACTIVE = {"true": True, "false": False, "all": None}
_SECONDS = 20
_MOST_FILTERS = 20
MEMBER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "description": "Stays when the code changes."},
        "code": {"type": "string"},
        "name": {"type": ["string", "null"]},
        "is_active": {"type": "boolean"},
        "updated_at": {"type": ["string", "null"], "format": "date-time"},
        "updated_batch_id": {"type": ["integer", "null"]},
    },
    "required": ["id", "code", "name", "is_active", "updated_at", "updated_batch_id"],
    "additionalProperties": {"type": ["string", "integer", "boolean", "null"]},
    "description": "Besides each attribute: decimals as text with all digits, a reference as the code of its member.",
}
MEMBER_EXAMPLE: dict[str, Any] = {
    "id": 12,
    "code": "AMS",
    "name": "Amsterdam",
    "is_active": True,
    "updated_at": "2026-03-01T06:00:01+00:00",
    "updated_batch_id": 7,
    "region": "NL",
    "staff": 140,
}


class Members(Resource):
    """The members of an entity."""

    @door(
        Scope.READ,
        "staging.view_rows",
        summary="Read members",
        query=(
            Parameter("active", "text", "Active ones, inactive ones, or all.", "true", tuple(_ACTIVE), usual="true"),
            Parameter("as_of", "instant", "As they were then, where a history is kept.", "2026-03-01T06:00:00Z"),
            *PAGED,
        ),
        other_parameters=(
            "Every column filters by its name: `?region=NL&staff=140`; without a value it keeps members in which the"
            " column is empty."
        ),
        answers={200: answer(page_schema(MEMBER_SCHEMA), page_example(MEMBER_EXAMPLE), "A page of members, by id.")},
        problems=(409,),
    )
    def get(self, code: str) -> Any:
        """Return a page of them."""
        filters = _filters(self.entity, self.request.query_params)
        as_of = self.query["as_of"]
        if as_of is not None:
            check_history(self.entity, as_of)
        way, member_id = row_position(self.query["cursor"])
        found = members_by_id(
            self.entity,
            MemberQuery(active=_ACTIVE[self.query["active"]], filters=filters),
            as_of=as_of,
            after=member_id if way == "a" else None,
            before=member_id if way == "b" else None,
            size=self.query["limit"],
            seconds=_SECONDS,
        )
        self.takes_away(say("Members of {entity}", entity=self.entity.name))
        return page(self, [plain_values(row) for row in found.rows], *_neighbours(found))


def _neighbours(found: MemberPage) -> Iterator[str | None]:
    yield cursor_of("a", [found.rows[-1]["id"]]) if found.rows and found.has_later else None
    yield cursor_of("b", [found.rows[0]["id"]]) if found.rows and found.has_earlier else None


def _filters(entity: Entity, given: Any) -> Sequence[Filter]:
    """Return the filters of an address. Raises a problem for names that are no column, and values of another type."""
    own = {"active", "as_of", "limit", "cursor"}
    names = [name for name in given if name not in own]
    columns = [c.name for c in filter_columns(entity)] if names else []
    found, errors = [], {}
    for name in names:
        try:
            if name not in columns:
                near = did_you_mean(name, [*columns, *own])
                told = say(
                    "There is no parameter {name!r} here, and no column of {entity}.{near}",
                    name=name[:80],
                    entity=entity.name,
                    near=near,
                )
                raise BadFilter(told)
            if len(given.getlist(name)) > 1:
                raise BadFilter(say("Give this once."))
            value = given[name]
            found.append(parse_filter(entity, f"{name}:is:{value}" if value.strip() else f"{name}:empty:"))
        except BadFilter as error:
            errors[name] = [str(error)]
    if len(found) > _MOST_FILTERS:
        errors[""] = [say("At most {most} filters at once.", most=_MOST_FILTERS)]
    if errors:
        raise invalid(errors)
    return found
