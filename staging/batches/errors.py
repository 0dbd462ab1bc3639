"""The errors that a batch knows by name."""

from staging.errors import StagingError


class RowsChanged(StagingError):
    """Others changed or removed staged rows after they were classified; what is pending is classified afresh."""
