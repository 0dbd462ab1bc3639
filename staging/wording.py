"""Makes every sentence that people read, from a code and its values: one way for pages, commands and the log.

The code of a sentence is its English template. The catalogue of translations knows it, and what was said remembers it
with its values: the log says it again in any language. `makemessages` finds templates by the names of functions here.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache, partial
from string import Formatter
from typing import Any

from django.conf import settings
from django.core.exceptions import AppRegistryNotReady
from django.utils import timezone
from django.utils.formats import get_format
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, ngettext, override

from staging.phrases import Figure, Phrase, filled

_UNITS = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
_LONGEST_VALUE = 1000  # of a text among the values that the log keeps: as much as a whole message
_language: ContextVar[str | None] = ContextVar("language", default=None)  # found once for many sentences
_AS_IT_IS = (int, float, bool, type(None))


class Said(Phrase):
    """A sentence as people read it, in their language; it remembers its template and the values in it.

    It is text like any other. Joined with other text it is only text: sentences are put together by `say` and
    `said_together`.
    """

    __slots__ = ()

    def stored(self) -> dict[str, Any]:
        """Return template and values as JSON keeps them; `said_again` makes the sentence of it."""
        if not self.values:
            return {"say": self.template}
        fields = _fields(self.template)
        return {"say": self.template, "values": {name: _kept(self.values[name], *fields[name]) for name in fields}}

    def __reduce__(self) -> tuple[Any, ...]:
        # What is no plain value (an object, an error) may not come through: its text does.
        fields = _fields(self.template) if type(self) is Said else {}
        values = {name: _sent(value, *fields.get(name, ())) for name, value in self.values.items()}
        return type(self).of, (str.__str__(self), self.template, values)


class _Counted(Said):
    """A number with its noun; the template is what follows one, and `many` is among the values."""

    __slots__ = ()

    def stored(self) -> dict[str, Any]:
        return {"count": self.values["number"], "one": self.template, "many": self.values["many"]}


class _Numbered(Said):
    """Words that depend on a number; the template is what one gets, and `many` is among the values."""

    __slots__ = ()

    def stored(self) -> dict[str, Any]:
        return {"number": self.values["number"], "one": self.template, "many": self.values["many"]}


class _Instant(Said):
    """An instant; no placeholder has a form of its own for it."""

    __slots__ = ()

    def stored(self) -> dict[str, Any]:
        return {"instant": self.values["instant"].isoformat()}


class _Duration(Said):
    """A length of time."""

    __slots__ = ()

    def stored(self) -> dict[str, Any]:
        return {"seconds": self.values["seconds"]}


class _Together(Said):
    """Sentences one after the other; the template is what stands between them."""

    __slots__ = ()

    def stored(self) -> dict[str, Any]:
        return {"together": [_kept(each) for each in self.values["sentences"]], "by": self.template}


class _Shown(str):
    """A value as it was written when it was said: no JSON keeps it, so its text is kept whatever form is asked for."""

    __slots__ = ()
    __repr__ = str.__str__

    def __format__(self, form: str) -> str:
        return str(self)


class Later(partial[Said]):
    """What makes a sentence when it is read: of thousands of decisions nobody reads more than a few."""


_AS_IT_STANDS = frozenset({str, Said, _Counted, *_AS_IT_IS})


class ReadAsSaid:
    """A field of a dataclass that takes a sentence or what makes it later; who reads it gets the sentence."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = f"_{name}"

    def __get__(self, holder: object, owner: type | None = None) -> str:
        if holder is None:
            raise AttributeError(self._name)  # so that the dataclass sees a field without a default
        kept = holder.__dict__[self._name]
        if type(kept) is Later:
            return kept()  # each time anew: what many hold may be read in several languages
        return kept

    def __set__(self, holder: object, value: str | Later) -> None:
        holder.__dict__[self._name] = value


class KeepsSaid:
    """The base of dataclasses with such fields, handed on unsaid; frozen, they would take thrice the time to make."""

    def kept(self, field: str) -> str | Later:
        """Return a field as it is kept, for a sentence that is read later than now."""
        kept: str | Later = self.__dict__[f"_{field}"]
        return kept


def say(template: str, /, **values: Any) -> Said:
    """Return the sentence of this template in the active language, with its values in their places.

    Instants and lengths of time are written as all of them are; labels and texts of pure code are said in the language
    too, an error's among them. Braces in values are only text.
    """
    words = _translated(template)
    for name, value in values.items():
        kind = type(value)
        if kind in _AS_IT_STANDS:
            continue
        if kind is datetime:
            values[name] = instant(value)
        elif kind is timedelta:
            values[name] = duration(value)
        elif kind is Later:
            values[name] = value()
        elif issubclass(kind, (Phrase, BaseException, Promise)):
            values[name] = _aloud(value)
    return Said.of(_filled(words, template, values), template, values)


def aloud(text: str | BaseException) -> str:
    """Return a text of pure code, or that of an error, in the active language; any other text as it is."""
    return str(_aloud(text))


def in_language_of(language: str, template: str) -> str:
    """Return a template as a language has it, for sentences that a database puts together."""
    with override(language):
        return _in_language(language, template)


def later(template: str, /, **values: Any) -> Later:
    """Return what makes the sentence when somebody reads it; as `say`, values may be made later themselves."""
    return Later(say, template, **values)


def counted(number: int, one: str, many: str) -> Said:
    """Return "1 row waits" or "1,200 rows wait" for the words that follow one and those that follow many."""
    return _Counted.of(f"{figure(number)} {_form(number, one, many)}", one, {"number": number, "many": many})


def figure(number: float) -> str:
    """Return a number with its thousands apart, as the active language writes it."""
    return f"{number:,}".translate(_separators() or {})


def counted_later(number: int, one: str, many: str) -> Later:
    """Return what makes the number with its noun when somebody reads it."""
    return Later(counted, number, one, many)


def written(local: datetime) -> str:
    """Return a local moment as all pages write one: 2026-11-24 06:00:00; and which, when clocks show it twice."""
    is_twice = local.replace(fold=1 - local.fold).utcoffset() != local.utcoffset()
    return local.isoformat(" ", "seconds")[:19] + (f" {local:%Z}" if is_twice else "")


def instant(value: datetime, zone: tzinfo | None = None) -> Said:
    """Return an instant for reading with the name of its zone: that of the reader, which may be given, else UTC."""
    local = value.astimezone(zone or timezone.get_current_timezone())
    return _Instant.of(f"{written(local)} {local.tzinfo}", "", {"instant": value})


def duration(value: timedelta) -> Said:
    """Return a length of time in its two largest units, cut and never rounded up: 1 d 3 h, 3 min 20 s, 0 s."""
    whole = seconds = max(int(value.total_seconds()), 0)
    parts = []
    for name, size in _UNITS:
        amount, seconds = divmod(seconds, size)
        if amount:
            parts.append(f"{amount} {name}")
    return _Duration.of(" ".join(parts[:2]) or "0 s", "", {"seconds": whole})


def said_together(*sentences: str | Later, by: str = " ") -> Said:
    """Return sentences one after the other, with `by` between them; empty ones are left out."""
    said = tuple(text for each in sentences if (text := each() if isinstance(each, Later) else _aloud(each)))
    return _Together.of(by.join(said), by, {"sentences": said})


def together_later(*sentences: str | Later, by: str = " ") -> Later:
    """Return what puts sentences one after the other when somebody reads them."""
    return Later(said_together, *sentences, by=by)


@contextmanager
def in_one_language() -> Iterator[None]:
    """Ask once for the active language instead of at every sentence: for many sentences at a time."""
    token = _language.set(get_language())
    try:
        yield
    finally:
        _language.reset(token)


def language() -> str | None:
    """Return the language in which sentences are said now."""
    return _language.get() or get_language()


def said_again(stored: Any) -> Any:
    """Return what `stored` keeps in the active language: a sentence, or a value of one."""
    match stored:
        case {"say": str(template), "values": dict(kept)}:
            template = re.sub(r":%[A-Za-z][^{}]*\}", "}", template)  # the form an earlier release had for an instant
            values = {name: said_again(value) for name, value in kept.items()}
            return say(template, **values) if _takes(template, values) else template
        case {"say": str(template)}:
            return say(template) if _takes(template, {}) else template
        case {"count": int(number), "one": str(one), "many": str(many)}:
            return counted(number, one, many)
        case {"number": int(number), "one": str(one), "many": str(many)}:
            words, values = _form(number, one, many), {"number": number}
            return _Numbered.of(_filled(words, one if number == 1 else many, values), one, {**values, "many": many})
        case {"instant": str(value)}:
            return instant(datetime.fromisoformat(value))
        case {"seconds": int(seconds)}:
            return duration(timedelta(seconds=seconds))
        case {"together": list(sentences), "by": str(by)}:
            return said_together(*map(said_again, sentences), by=by)
        case {"shown": str(text)}:
            return _Shown(text)
    return stored


def is_of_site() -> bool:
    """Return whether what is said now is said as it is stored: in the language of the site, its instants in UTC."""
    is_its_language = get_language() in (None, settings.LANGUAGE_CODE)
    return is_its_language and timezone.get_current_timezone_name() == settings.TIME_ZONE


def of_site(text: str) -> str:
    """Return a text as it is stored, whoever is at work: in the language of the site, its instants in UTC."""
    if not isinstance(text, Said) or is_of_site():
        return text
    with override(settings.LANGUAGE_CODE), timezone.override(None), in_one_language():
        return str(said_again(text.stored()))


def both(column: str, text: str) -> dict[str, Any]:
    """Return what two columns keep of a text: the text itself, for programs, and what it was made from, for people."""
    return {column: storable(of_site(text)), f"{column}_said": text.stored() if isinstance(text, Said) else None}


def reading(row: Any, column: str) -> str:
    """Return the text of such columns in the reader's language, its instants in the reader's zone."""
    said = getattr(row, f"{column}_said")
    return str(said_again(said)) if said else getattr(row, column)


def _takes(template: str, values: Mapping[str, Any]) -> bool:
    """Return whether a stored template can be filled: the row may be anybody's, and its braces only text."""
    try:
        return _fields(template).keys() <= values.keys()
    except ValueError:
        return False


def one_line(error: BaseException) -> str:
    """Return the sentence of an error on one line; one that remembers goes on remembering."""
    text = aloud(error)
    line = " ".join(text.split())
    return text if text == line else line


def storable(text: str, longest: int | None = None) -> str:
    """Return text that every database stores: no NUL, no lone surrogate, cut to what a column holds."""
    clean = text.replace("\x00", "").encode("utf-8", "backslashreplace").decode()
    return clean if longest is None or len(clean) <= longest else f"{clean[: longest - 1]}…"


def _aloud(value: Any) -> Any:
    """Return what is to be said of a value: the sentence of a phrase, of a label, or of an error that carries one."""
    if isinstance(value, Promise):
        (words,) = value._args  # type: ignore[attr-defined] # what the label was marked with is its template
        return Said.of(str(value), words, {})
    text = str(value) if isinstance(value, BaseException) else value
    if isinstance(text, Said):
        return text
    return said_again(text.stored()) if isinstance(text, Phrase) else value


def _form(number: int, one: str, many: str) -> str:
    """Return the words for this number in the active language."""
    try:
        return ngettext(one, many, number)
    except AppRegistryNotReady:  # as in `_translated`
        return one if number == 1 else many


def _translated(template: str) -> str:
    try:
        return _in_language(language(), template) if template else ""
    except AppRegistryNotReady:  # said while applications are loaded: a decorator refuses what is written at it
        return template


@lru_cache(maxsize=10_000)
def _in_language(language: str | None, template: str) -> str:
    """Return the template in the active language; looked up once, for a decision alone says thirty sentences."""
    return gettext(template)


def _filled(words: str, template: str, values: Mapping[str, Any]) -> str:
    """Return the words with the values in their places; a translation that cannot take them gives way."""
    if separators := _separators():
        values = {name: Figure(one, separators) if type(one) in (int, float) else one for name, one in values.items()}
    if words is not template and words != template:
        try:
            return filled(words, values)
        except (LookupError, ValueError, TypeError, AttributeError):
            pass
    return filled(template, values)


def _separators() -> dict[int, str] | None:
    """Return what stands in numbers of the active language for the comma and the point; None where they stay."""
    return _separators_in(language())


@lru_cache
def _separators_in(language: str | None) -> dict[int, str] | None:
    if language is None:
        return None
    own = str.maketrans(
        {",": get_format("THOUSAND_SEPARATOR", language, True), ".": get_format("DECIMAL_SEPARATOR", language, True)}
    )
    return None if own == {ord(","): ",", ord("."): "."} else own


@lru_cache(maxsize=10_000)
def _fields(template: str) -> dict[str, tuple[str, str]]:
    """Return the placeholders of a template with their form and their conversion."""
    return {name: (form or "", how or "") for _, name, form, how in Formatter().parse(template) if name}


def _sent(value: Any, form: str = "", conversion: str = "") -> Any:
    """Return a value as another process gets it."""
    plain = isinstance(value, Said | datetime | tuple) or type(value) is str or type(value) in _AS_IT_IS
    return value if plain else _Shown(_shown(value, form, conversion))


def _kept(value: Any, form: str = "", conversion: str = "") -> Any:
    """Return a value as JSON keeps it; one that JSON has no form for as it was written in the sentence."""
    if isinstance(value, BaseException) and not conversion:
        value = str(value)
    if isinstance(value, Said):
        return value.stored()
    if type(value) is str:
        return storable(value, _LONGEST_VALUE)
    is_plain = type(value) in _AS_IT_IS
    return value if is_plain else {"shown": storable(_shown(value, form, conversion), _LONGEST_VALUE)}


def _shown(value: Any, form: str, conversion: str) -> str:
    return repr(value) if conversion == "r" else format(value, form) if form else str(value)
