"""How the tables of many entities differ from their definition, compared again only where either has changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Func, OuterRef, Subquery, TextField, Value

from staging.identifiers import history_table, production_table, staging_table
from staging.models import Attribute
from staging.sql.dialect import dialect
from staging.sql.texts import text_of
from staging.tables.columns import Tabled, table_problems_of
from staging.wording import Said, said_again

_MOST_KNOWN = 20_000  # entities, each as it was defined and as its tables were
_known: dict[object, list[str]] = {}


class Defined(NamedTuple):
    """An entity with its attributes as one text, which `attributes_of` asks for; None where it has none."""

    tabled: Tabled
    attributes: str | None


def attributes_of(entity: str) -> Subquery:
    """Return the attributes of an entity as one text, in a query of rows in which its key is called so."""
    told = text_of("name", "data_type", "reference_id")
    joined = Func(told, Value(","), function=dialect().joins_texts, output_field=TextField())
    live = Attribute.objects.filter(entity=OuterRef(entity), is_cancelled=False).order_by()
    return Subquery(live.values("entity").annotate(joined=joined).values("joined"))


def known_problems_of(entities: Sequence[Defined]) -> dict[int, list[str]]:
    """Return the `table_problems_of` these by their pk, in the active language; one statement where nothing changed."""
    tables = {one: _tables_of(one.tabled) for one in entities}
    states = dialect().states_of_columns([table for each in tables.values() for table in each])
    keys = {one: (one, *map(states.get, its)) for one, its in tables.items()}
    found = {one.tabled.pk: _known.get(key) for one, key in keys.items()}
    if changed := [one for one in entities if found[one.tabled.pk] is None]:
        if len(_known) + len(changed) > _MOST_KNOWN:
            _known.clear()
        problems = table_problems_of([one.tabled for one in changed])
        _known.update((keys[one], problems[one.tabled.pk]) for one in changed)
        found |= problems
    # What was found for somebody else may have been said in another language.
    return {pk: [_said(text) for text in texts or ()] for pk, texts in found.items()}


def _tables_of(entity: Tabled) -> list[str]:
    tables = [staging_table(entity.code), production_table(entity.code)]
    return [*tables, history_table(entity.code)] if entity.keep_history else tables


def _said(text: str) -> str:
    said: str = said_again(text.stored()) if isinstance(text, Said) else text
    return said
