"""The errors that a batch knows by name."""

from staging.errors import StagingError


class UndoRefused(StagingError):
    """A batch cannot be undone, or not whole; the text says why. Nothing was changed."""


class RowsChanged(StagingError):
    """Others changed or removed staged rows after they were classified; what is pending is classified afresh."""


class ReviewRefused(StagingError):
    """A decision about held rows that cannot be taken: too late, or not by this person."""
