"""Stops taking a file in as soon as it is larger than allowed, before it fills the disk."""

from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest

from staging.uploads.limits import limits

_TOO_BIG = "staging.uploads.too_big"


class Quota(FileUploadHandler):
    """The first of the upload handlers: it keeps nothing itself, and lets the others see no more than the limit."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Pass a piece on, or give the file up."""
        if start + len(raw_data) > limits().bytes:
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
