"""The few errors of staging, named for what happened."""

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
