"""A language with a catalogue of a few words, for tests of what is said in the language of its reader."""

import gettext as gnu
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from unittest import mock

from django.utils.translation import trans_real

from staging import wording


class _Catalogue(gnu.NullTranslations):
    """Knows these words; any others stay English."""

    def __init__(self, words: Mapping[str, str]):
        super().__init__()
        self.words = words

    def gettext(self, message: str) -> str:
        return self.words.get(message, message)

    def ngettext(self, one: str, many: str, number: int) -> str:
        return self.gettext(one if number == 1 else many)

    def to_language(self) -> str:
        return "nl"


@contextmanager
def dutch_with(words: Mapping[str, str]) -> Iterator[str]:
    """Make Dutch a language that knows these words and nothing else; yields its code, for `translation.override`."""
    wording._in_language.cache_clear()
    with mock.patch.dict(trans_real._translations, {"nl": _Catalogue(words)}):
        yield "nl"
    wording._in_language.cache_clear()
