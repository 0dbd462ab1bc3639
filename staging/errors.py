"""The few errors of staging, named for what happened, and what an error of the database means."""

from django.db import InterfaceError, InternalError, OperationalError

from staging.wording import said_together, say


class StagingError(Exception):
    """Something in staging could not be done; the text is meant for the person who asked."""


class InvalidIdentifier(StagingError):
    """A name may not be used as a table or column name."""


class InvalidDefinition(StagingError):
    """An entity, an attribute or a model file breaks a rule; `errors` maps paths to lists of messages."""

    def __init__(self, errors: dict[str, list[str]]):
        self.errors = errors
        told = (say("{path}: {text}", path=path, text=text) for path, texts in errors.items() for text in texts)
        super().__init__(said_together(*told, by="; "))


class WouldLoseData(StagingError):
    """The change was refused because stored data would be lost; the text says which."""


class TableMismatch(StagingError):
    """A physical table differs from its definition; the text names the difference."""


class TablesInUse(StagingError):
    """The tables could not be altered just now, because something else holds them; trying again later helps."""


class BadFile(StagingError):
    """A file cannot be read, or what is in it cannot be stored; the text names line and column where it knows them."""


class UndoRefused(StagingError):
    """A batch cannot be undone, or not whole; the text says why. Nothing was changed."""


class RowsChanged(StagingError):
    """Others changed or removed staged rows after they were classified; what is pending is classified afresh."""


class ReviewRefused(StagingError):
    """A decision about held rows that cannot be taken: too late, or not by this person."""


class CannotGoBack(StagingError):
    """A thing cannot become what an earlier version says; the text says why. Nothing was changed."""


# Classes of PostgreSQL's codes: connections, resources (disk, memory, number of connections), operators, the system.
_NOT_NOW = ("08", "53", "57", "58")
_READ_ONLY = "25006"  # a server that is a copy, or was told to take no writes
_SQLITE_NOT_NOW = ("is full", "readonly database", "unable to open database", "disk I/O error")


def cannot_answer(error: BaseException | None) -> bool:
    """Return whether the database is away, full, at its limits or takes no writes now: nothing is wrong with us."""
    if isinstance(error, InterfaceError):
        return True
    if not isinstance(error, OperationalError | InternalError):
        return False
    state = getattr(error.__cause__, "sqlstate", "")
    if state is None:  # PostgreSQL let nobody in, or the connection broke
        return True
    return state[:2] in _NOT_NOW or state == _READ_ONLY or any(words in str(error) for words in _SQLITE_NOT_NOW)


def gave_up_waiting(error: OperationalError) -> bool:
    """Return whether it is a lock or statement time-out or a deadlock of PostgreSQL, or SQLite's own words for it."""
    timed_out = getattr(error.__cause__, "sqlstate", None) in ("55P03", "57014") or "is locked" in str(error)
    return timed_out or lost_deadlock(error)


def lost_deadlock(error: OperationalError) -> bool:
    """Return whether PostgreSQL rolled this transaction back because it and others waited in a circle."""
    return getattr(error.__cause__, "sqlstate", None) == "40P01"
