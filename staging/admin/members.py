"""The members of one entity: a page at a time, searched and filtered, the same as a file; and one, with its story."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_noop

from staging.admin.access import SEE, get_entity, get_with_attributes
from staging.admin.rows.list import number_of
from staging.errors import StagingError
from staging.exports import csv, xlsx
from staging.members.browse import MemberPage, MemberQuery, member_page, stream_members
from staging.members.columns import MemberColumn, attribute_columns
from staging.members.filters import COMPARISONS, BadFilter, Filter, filter_columns, parse_filter
from staging.members.member import ReferringCount, get_member, referrers
from staging.members.story import member_changes
from staging.models import Batch, Entity
from staging.pages import page, shown, told
from staging.rights import Entities, reach
from staging.tables.columns import table_problems
from staging.versions.audit import note_export
from staging.wording import say

_ACTIVE = {"": None, "yes": True, "no": False}
_MOST_FILTERS = 10
_LONGEST = 200
# A workbook is made whole before its first byte goes out, so that its size is bounded by patience.
WORKBOOK_ROWS = 100_000
_SLOW = gettext_noop("That took too long. Add a filter, or search for a code.")


@dataclass
class Asked:
    """What the address asks for; what cannot be carried out is a problem to show, and does not filter."""

    entity: Entity
    search: str = ""
    active: str = ""
    filters: list[Filter] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def wanted(self) -> MemberQuery:
        """Return the same as the reading side takes it."""
        return MemberQuery(self.search, _ACTIVE[self.active], tuple(self.filters))

    @property
    def narrows(self) -> bool:
        """Return whether anything filters."""
        return bool(self.search or self.active or self.filters)

    def query(self, *, without: Filter | None = None, **more: str) -> str:
        """Return the query string of this, without one filter or with more parts."""
        pairs = [("q", self.search), ("active", self.active)]
        pairs += [("f", str(each)) for each in self.filters if each is not without]
        return urlencode([pair for pair in (*pairs, *more.items()) if pair[1]])


def asked_for(entity: Entity, params: Any) -> Asked:
    """Read the address; a filter that was just made with the form stands in three parts of their own."""
    active = params.get("active", "")
    asked = Asked(
        entity, params.get("q", "").replace("\x00", "").strip()[:_LONGEST], active if active in _ACTIVE else ""
    )
    texts = [text for text in params.getlist("f") if text][:_MOST_FILTERS]
    if params.get("column"):
        texts.append(f"{params['column']}:{params.get('comparison', '')}:{params.get('value', '')}")
    for text in dict.fromkeys(texts):
        try:
            asked.filters.append(parse_filter(entity, text))
        except BadFilter as error:
            asked.problems.append(str(error))
    return asked


@page(SEE)
def members_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponse:
    """Show a page of an entity's members."""
    entity = get_with_attributes(entity_id)
    asked = asked_for(entity, request.GET)
    if "column" in request.GET and not asked.problems:  # the form's parts become one filter of the address
        return HttpResponseRedirect(f"{request.path}?{asked.query()}")
    columns = attribute_columns(entity)
    context: dict[str, Any] = {
        "entity": entity,
        "asked": asked,
        "given": request.GET,
        "chips": [(each.words, asked.query(without=each)) for each in asked.filters],
        "columns": columns,
        "filter_columns": filter_columns(entity),
        "comparisons": COMPARISONS,
        "export_query": asked.query(),
    }
    try:
        members = member_page(entity, asked.wanted, after=_code(request, "after"), before=_code(request, "before"))
        context |= _on_page(asked, members, columns)
    except StagingError as error:
        context["problem"] = str(error)
    except DatabaseError:
        context["problem"] = say(_SLOW)
    title = say("Members of {entity}", entity=entity.name)
    return shown(model_admin, request, "admin/staging/members/list.html", title=title, **context)


@page(SEE)
def members_export_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int) -> HttpResponseBase:
    """Send the members that the page shows, all pages of them, as CSV or as a workbook."""
    entity = get_entity(entity_id)
    asked = asked_for(entity, request.GET)
    back = f"{reverse('admin:staging_members', args=[entity.pk])}?{asked.query()}"
    if problems := asked.problems or table_problems(entity):
        for problem in problems:
            messages.error(request, problem)
        return HttpResponseRedirect(back)
    columns = attribute_columns(entity)
    head = ["code", "name", *(column.name for column in columns), "is_active", "updated_at"]
    rows = ([row[label] for label in head] for row in stream_members(entity, asked.wanted))
    note_export(request, say("Members of {entity}", entity=entity.name))
    if request.GET.get("format") != "xlsx":
        return _file(csv.write_csv(_as_text(rows), head), csv.CONTENT_TYPE, f"{entity.code}.csv")
    few = list(islice(rows, WORKBOOK_ROWS + 1))
    if len(few) > WORKBOOK_ROWS:
        text = say("A workbook holds at most {most:,} members here. Filter, or take CSV.", most=WORKBOOK_ROWS)
        return told(request, text, back, messages.ERROR)
    return _file(xlsx.write_xlsx(_as_text(few), head), xlsx.CONTENT_TYPE, f"{entity.code}.xlsx")


def _on_page(asked: Asked, page: MemberPage, columns: list[MemberColumn]) -> dict[str, Any]:
    return {
        "rows": [(row, [(column, row[column.name]) for column in columns]) for row in page.rows],
        "earlier": asked.query(before=page.rows[0]["code"]) if page.rows and page.has_earlier else "",
        "later": asked.query(after=page.rows[-1]["code"]) if page.rows and page.has_later else "",
    }


def _as_text(rows: Iterable[list[Any]]) -> Iterator[list[Any]]:
    """Yield the rows with the codes of what they refer to."""
    for row in rows:
        yield [value.code if hasattr(value, "code") else value for value in row]


def _file(pieces: Iterator[bytes], content_type: str, file_name: str) -> StreamingHttpResponse:
    headers: Mapping[str, str] = {"Content-Disposition": f'attachment; filename="{file_name}"'}
    return StreamingHttpResponse(pieces, content_type=content_type, headers=headers)


def _code(request: HttpRequest, part: str) -> str:
    return request.GET.get(part, "").replace("\x00", "")


_CHANGES = 20
_UNREADABLE = gettext_noop("The database could not read this in time.")


@page(SEE)
def member_view(model_admin: ModelAdmin[Entity], request: HttpRequest, entity_id: int, member_id: int) -> HttpResponse:
    """Show a member, or what is left of one that was deleted: its history."""
    entity = get_entity(entity_id)
    if member_id >= 2**63:
        raise Http404(say("There is no such member."))
    before = number_of(request, "before")
    context: dict[str, Any] = {"entity": entity, "before": before}
    try:
        context |= _content(entity, member_id, before, reach(request.user, SEE))
    except (StagingError, DatabaseError) as error:
        why = str(error) if isinstance(error, StagingError) else say(_UNREADABLE)
        context |= {"title": say("Member of {entity}", entity=entity.name), "problem": why}
    return shown(model_admin, request, "admin/staging/members/member.html", **context)


def _content(entity: Entity, member_id: int, before: int | None, seen: Entities) -> dict[str, Any]:
    member = get_member(entity, member_id)
    changes = member_changes(entity, member_id, before_id=before, size=_CHANGES + 1)
    if member is None and not changes:
        raise Http404(say("There is no such member, and no history of one."))
    page = changes[:_CHANGES]
    batches = set(Batch.objects.filter(pk__in={change.batch_id for change in page}).values_list("pk", flat=True))
    named = member["code"] if member else _last_code(page)
    return {
        "title": say("{member} of {entity}", member=named, entity=entity.name),
        "subtitle": None if member is None or member["is_active"] else say("Inactive"),
        "member": member,
        "values": [(c.name, member[c.name]) for c in attribute_columns(entity)] if member else [],
        "referring": [(each, _list_of(each, member)) for each in referrers(entity, member_id, seen)] if member else [],
        "changes": page,
        "batches": batches,
        "older": page[-1].id if len(changes) > _CHANGES else None,
    }


def _list_of(each: ReferringCount, member: dict[str, Any]) -> str:
    """Return the address of the list of members that refer to this one."""
    query = urlencode({"f": f"{each.attribute}:is:{member['code']}"})
    return f"{reverse('admin:staging_members', args=[each.entity.pk])}?{query}"


def _last_code(changes: list[Any]) -> str:
    found = (d.before or d.after for change in changes for d in change.differences if d.column == "code")
    return str(next(found, None) or say("A deleted member"))
