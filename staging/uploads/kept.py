"""Keeps an uploaded file between the page that takes it and the page that deposits it."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex

from django.conf import settings

from staging.errors import BadFile
from staging.uploads.reading.limits import limits, too_big
from staging.wording import say

_TOKEN = re.compile(r"[0-9]{1,19}-[0-9a-f]{32}\Z", re.ASCII)
_ENDING, _TAKEN = ".upload", ".taken"
KEPT_FOR = timedelta(days=1)
MOST_KEPT = 10  # files of one person that wait to be deposited; another one takes the place of the oldest


def keep_file(pieces: Iterable[bytes], owner: int) -> str:
    """Store a file and return the token that finds it; raises BadFile when it cannot be kept, keeping nothing.

    `owner` is the account that brought it: of each no more than a few are kept.

    Files that were never deposited go when the next one comes a day later.
    """
    token, folder = f"{owner}-{token_hex(16)}", Path(settings.UPLOAD_FOLDER)
    path = folder / f"{token}{_ENDING}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_room(owner)
        _write(path, pieces)
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        reason = error.strerror or type(error).__name__
        raise BadFile(
            say("The server cannot keep files just now ({reason}). Tell your administrator.", reason=reason)
        ) from error
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    let_go_older(_written_at(path) - KEPT_FOR)
    return token


def _make_room(owner: int) -> None:
    """Delete the oldest files of a person, so that one more is no more than allowed."""
    own = [path for path in _files() if path.name.startswith(f"{owner}-") and path.suffix == _ENDING]
    for path in sorted(own, key=_written_at)[: max(0, len(own) - MOST_KEPT + 1)]:
        _deleted(path)


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file that only we can read; raises BadFile when it is too big."""
    most, size = limits().bytes, 0
    with path.open("xb") as file:
        path.chmod(0o600)
        for piece in pieces:
            size += len(piece)
            if size > most:
                raise BadFile(too_big())
            file.write(piece)


def kept(token: str) -> Path:
    """Return the file of a token; raises BadFile when it is gone."""
    path = Path(settings.UPLOAD_FOLDER) / f"{token}{_ENDING}"
    if not _TOKEN.match(token) or not path.is_file():
        raise BadFile(say("The file is no longer kept. Choose it again."))
    return path


@contextmanager
def taken(token: str) -> Iterator[Path]:
    """Give the file of a token to one caller only, and delete it afterwards; a fault puts it back.

    Raises BadFile when it is gone, or somebody else (a second click) has it.
    """
    path = kept(token)
    own = path.with_suffix(_TAKEN)
    try:
        path.rename(own)
    except FileNotFoundError:
        raise BadFile(say("The file is being deposited already.")) from None
    try:
        yield own
    except BaseException:
        own.rename(path)
        raise
    own.unlink(missing_ok=True)


def let_go(token: str) -> None:
    """Delete the file of a token, if it is there."""
    with suppress(BadFile, FileNotFoundError):
        kept(token).unlink()


def let_go_older(before: datetime) -> int:
    """Delete the files that were kept before this instant and never deposited; return how many."""
    return sum(_deleted(path) for path in _files() if _written_at(path) < before)


def _files() -> Iterator[Path]:
    folder = Path(settings.UPLOAD_FOLDER)
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if path.suffix in (_ENDING, _TAKEN))


def _written_at(path: Path) -> datetime:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except FileNotFoundError:  # somebody deposited it at this moment
        return datetime.max.replace(tzinfo=UTC)


def _deleted(path: Path) -> bool:
    with suppress(FileNotFoundError):
        path.unlink()
        return True
    return False
