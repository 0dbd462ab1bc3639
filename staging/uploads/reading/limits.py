"""How big a file may be, from the settings; read when used, so that tests can override them."""

from dataclasses import dataclass

from django.conf import settings

from staging.wording import say


@dataclass(frozen=True)
class Limits:
    """What an upload may hold at most."""

    bytes: int
    unpacked_bytes: int
    rows: int
    columns: int
    cell: int

    @property
    def line(self) -> int:
        """Return how many characters a line of a text file may have: one that never ends must not fill the memory."""
        return max(self.cell * 8, 1_000_000)


def limits() -> Limits:
    """Return the limits of this installation."""
    return Limits(
        bytes=settings.UPLOAD_MAX_BYTES,
        unpacked_bytes=settings.UPLOAD_MAX_UNPACKED_BYTES,
        rows=settings.UPLOAD_MAX_ROWS,
        columns=settings.UPLOAD_MAX_COLUMNS,
        cell=settings.UPLOAD_MAX_CELL_CHARACTERS,
    )


def megabytes(count: int) -> str:
    """Return a number of bytes for people."""
    return (
        say("{megabytes:,.0f} MB", megabytes=count / 1_000_000)
        if count >= 1_000_000
        else say("{count:,} bytes", count=count)
    )


def too_big() -> str:
    """Return the sentence for a file that is larger than allowed."""
    return say("The file is larger than {size}. Cut it into several files.", size=megabytes(limits().bytes))
