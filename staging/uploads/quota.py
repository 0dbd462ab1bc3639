"""Stops taking files in as soon as they are larger than allowed, before they fill the disk."""

from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

from staging.uploads.reading.limits import limits

_TOO_BIG = "staging.uploads.too_big"


class Nothing(FileUploadHandler):
    """Takes no file in: what is there before anybody is known to be signed in."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        """Give each file up before its first piece."""
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Keep no piece."""
        raise SkipFile

    def file_complete(self, file_size: int) -> None:
        """Make no file."""


class Quota(FileUploadHandler):
    """The first of the upload handlers: it keeps nothing itself, and lets the others see no more than the limit.

    All files of a request count together.
    """

    _taken = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Pass a piece on, or give the file up."""
        self._taken += len(raw_data)
        if self._taken > limits().bytes:
            if self.request is not None:
                self.request.META[_TOO_BIG] = True
            raise SkipFile
        return raw_data

    def file_complete(self, file_size: int) -> UploadedFile | None:
        """Leave the file to the handlers after this one."""
        return None


def was_too_big(request: HttpRequest) -> bool:
    """Return whether a file of this request was given up."""
    return bool(request.META.get(_TOO_BIG))
