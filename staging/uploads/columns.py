"""Says which column of a file goes into which staged column, and remembers it for the entity's next file."""

from collections.abc import Collection, Iterable, Mapping

from staging.errors import BadFile
from staging.models import Entity, UploadMapping
from staging.tables.create import live_names
from staging.uploads.reading.detect import plain
from staging.uploads.reading.table import nameless
from staging.wording import say

# The two columns of our own export of rejected rows that name the row and what it was when it was exported.
ROW_ID, ROW_CHECK = "row_id", "row_check"
# What that export adds for people; it goes nowhere.
ERRORS = "errors"


def targets(entity: Entity) -> list[str]:
    """Return the staged columns a file may fill, in reading order."""
    return ["code", "name", *live_names(entity), "new_code", "import_action", "batch_tag"]


def known_names(entity: Entity) -> set[str]:
    """Return what would make the first line of a file a head: our columns, and those of files that came before."""
    return {*targets(entity), ROW_ID, *map(plain, _remembered(entity))}


def suggest(entity: Entity, columns: Iterable[str]) -> dict[str, str]:
    """Return for each column of a file the staged column it probably belongs to, "" where none is known.

    What was chosen for a column of this name before comes first, then a column of the same name. No staged column is
    given twice. Columns without a name of their own (no head) are taken in reading order.
    """
    names, free = list(columns), targets(entity)
    if names and _are_nameless(names):
        return {name: free[position] if position < len(free) else "" for position, name in enumerate(names)}
    remembered, mapping = _remembered(entity), {}
    for name in names:
        wanted = remembered.get(name, plain(name))
        mapping[name] = wanted if wanted in free else ""
        if mapping[name]:
            free.remove(mapping[name])
    return mapping


def unknown(entity: Entity, mapping: Mapping[str, str]) -> list[str]:
    """Return the columns of a file that go nowhere and were never left out on purpose."""
    left_out = {name for name, target in _remembered(entity).items() if not target}
    return [name for name, target in mapping.items() if not target and name not in left_out]


def is_correction(columns: Collection[str]) -> bool:
    """Return whether a file is our own export of rejected rows, corrected."""
    return ROW_ID in columns and ROW_CHECK in columns


def check_mapping(entity: Entity, mapping: Mapping[str, str]) -> None:
    """Raise BadFile for a mapping that names a staged column twice or one that is none, or does not bring the code."""
    chosen = [target for target in mapping.values() if target]
    allowed = targets(entity)
    for target in chosen:
        if target not in allowed:
            raise BadFile(
                say("{entity} has no column {target!r} that a file may fill.", entity=entity.name, target=target)
            )
        if chosen.count(target) > 1:
            two = ", ".join(repr(name) for name, wanted in mapping.items() if wanted == target)
            raise BadFile(say("More than one column is to go into {target!r}: {two}.", target=target, two=two))
    if "code" not in chosen:
        raise BadFile(
            say("No column of the file goes into 'code', so nobody could tell which members the rows are about.")
        )


def remember_mapping(entity: Entity, mapping: Mapping[str, str]) -> None:
    """Keep the choice for the next file; what was chosen for columns this file does not have stays."""
    if _are_nameless(mapping):
        return
    UploadMapping.objects.update_or_create(entity=entity, defaults={"columns": {**_remembered(entity), **mapping}})


def _are_nameless(columns: Iterable[str]) -> bool:
    """Return whether a file has no head: its columns are called by their numbers."""
    return all(name == nameless(number) for number, name in enumerate(columns, start=1))


def _remembered(entity: Entity) -> dict[str, str]:
    found = UploadMapping.objects.filter(entity=entity).values_list("columns", flat=True).first()
    return dict(found or {})
