"""Texts of code that knows no language: English, with what they were made from, so that `staging.wording` can say them.

Nothing of Django comes in here, so pure Python may make them. `makemessages` finds templates by the names of the
functions here.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Self

_VIA = " (token "
_LONGEST_NAME = 150  # what the columns hold that say who did something


class Phrase(str):
    """A text that remembers the template it was made from, and the values in it.

    It is text like any other, an error's too. Joined with other text by hand it is only text.
    """

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, Any]

    @classmethod
    def of(cls, text: str, template: str, values: Mapping[str, Any]) -> Self:
        """Return the text with what it was made from."""
        made = cls(text)
        made.template, made.values = template, values
        return made

    def stored(self) -> dict[str, Any]:
        """Return template and values; `staging.wording.said_again` makes the sentence of it."""
        return {"say": self.template, "values": {name: _stored(value) for name, value in self.values.items()}}

    def __str__(self) -> str:
        return self  # so that str(error) remembers too

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, (str.__str__(self), self.template, self.values)


class _Numbered(Phrase):
    """Words that depend on a number; the template is what one gets, and `many` is among the values."""

    __slots__ = ()

    def stored(self) -> dict[str, Any]:
        return {"number": self.values["number"], "one": self.template, "many": self.values["many"]}


class _Joined(Phrase):
    """Texts one after the other; the template is what stands between them."""

    __slots__ = ()

    def stored(self) -> dict[str, Any]:
        return {"together": [_stored(each) for each in self.values["texts"]], "by": self.template}


class Figure:
    """A number in a sentence: a placeholder with a form writes it with other separators than Python's."""

    __slots__ = ("_number", "_separators")

    def __init__(self, number: float, separators: dict[int, str]):
        self._number, self._separators = number, separators

    def __format__(self, form: str) -> str:
        return format(self._number, form).translate(self._separators)

    def __repr__(self) -> str:
        return repr(self._number)


def code_of(text: str) -> dict[str, Any] | None:
    """Return what a text was made from; None for one that remembers nothing, and for one that is its own template."""
    code = text.stored() if isinstance(text, Phrase) else None
    return None if code == {"say": str(text)} else code


def phrase(template: str, /, **values: Any) -> Phrase:
    """Return the text of this template with its values in their places. Braces in values are only text."""
    return Phrase.of(filled(template, values), template, values)


def numbered(number: int, one: str, many: str) -> Phrase:
    """Return "Every minute" for one and, of "Every {number} minutes", "Every 15 minutes" for many."""
    text = filled(one if number == 1 else many, {"number": number})
    return _Numbered.of(text, one, {"number": number, "many": many})


def joined(texts: Iterable[str], by: str = " ") -> Phrase:
    """Return texts one after the other, with `by` between them; empty ones are left out."""
    found = tuple(text for text in texts if text)
    return _Joined.of(by.join(found), by, {"texts": found})


def listed(words: Iterable[str], last: str = "and") -> str:
    """Return "a, b and c", or "a, b or c" when `last` is "or"."""
    *others, end = [*words] or [""]
    if not others:
        return end
    some = joined(others, by=", ") if len(others) > 1 else others[0]
    if last == "or":
        return phrase("{some} or {last}", some=some, last=end)
    return phrase("{some} and {last}", some=some, last=end)


def marked(text: str) -> str:
    """Return a text of a table as it is: by this name the catalogue of translations finds it."""
    return text


def filled(template: str, values: Mapping[str, Any]) -> str:
    """Return the template with the values in their places; doubled braces are braces in every template."""
    return template.format(**values) if values or "{" in template or "}" in template else template


def by_token(person: str, token: str) -> str:
    """Return who did something by a token: "anna (token loader)"; the person stays whole when both are too long."""
    told = f"{person}{_VIA}{token})"
    return told if len(told) <= _LONGEST_NAME else person


def person_in(by: str) -> str:
    """Return the account that did something, whether by a token or not; rules about people ask for nobody else."""
    return by.partition(_VIA)[0]


def beginning_of_tokens(person: str) -> str:
    """Return how everything begins that somebody did by a token."""
    return f"{person}{_VIA}"


def _stored(value: Any) -> Any:
    """Return a value for `stored`: what is neither a phrase nor a number stands in the text as `str` writes it."""
    if isinstance(value, Phrase):
        return value.stored()
    return value if isinstance(value, int | float) else str(value)
