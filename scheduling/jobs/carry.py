"""Which stored schedule a declared one goes on as, so that a new time or spelling keeps what users set on it."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from scheduling.jobs.declared import DeclaredSchedule
from scheduling.models import JobSchedule

Row = TypeVar("Row")


def carried_over(stored: Mapping[str, JobSchedule], declared: Iterable[DeclaredSchedule]) -> dict[str, JobSchedule]:
    """Return the stored schedules of a job by the name under which they go on.

    What the code does not declare under its name any more goes on as what it declares newly: as the one that differs in
    case only, else, where the job loses one and gains one of the same kind, as that one. All others keep their names.
    """
    lost = {name: row for name, row in stored.items() if row.removed_at is None}
    gained = {each.name: each for each in declared if each.name not in stored}
    for each in declared:
        lost.pop(each.name, None)
    found = dict(stored)
    for name in list(gained):
        if row := only_other_case(name, lost):
            found[name] = found.pop(row.name)
            del lost[row.name], gained[name]
    _carry(found, lost, gained, lambda name, kind: kind)
    _carry(found, lost, gained, lambda name, kind: name.partition("_")[0])  # the decorator: "Daily", with days or not
    return found


def only_other_case(name: str, rows: Mapping[str, Row]) -> Row | None:
    """Return the one of these rows whose name differs in case only, None when there is none or more than one."""
    same = [row for other, row in rows.items() if other.casefold() == name.casefold()]
    return same[0] if len(same) == 1 else None


def _carry(
    found: dict[str, JobSchedule],
    lost: dict[str, JobSchedule],
    gained: dict[str, DeclaredSchedule],
    kind_of: Callable[[str, str], str],
) -> None:
    """Let each lost schedule that is alone of its kind go on as the gained one that is alone of the same kind."""
    old: dict[str, list[str]] = {}
    new: dict[str, list[str]] = {}
    for name, row in lost.items():
        old.setdefault(kind_of(name, row.schedule_type), []).append(name)
    for name, each in gained.items():
        new.setdefault(kind_of(name, str(each.columns["schedule_type"])), []).append(name)
    for kind, names in old.items():
        if len(names) == len(new.get(kind, ())) == 1:
            ((was,), (becomes,)) = names, new[kind]
            found[becomes] = found.pop(was)
            del lost[was], gained[becomes]
