"""What a browser makes of a page: its elements, whether one came out of a text, and its forms."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from tests.scheduling.payloads.corpus import MARK

_TRACES = ("Traceback (most recent call last)", "psycopg.errors", "Error: near", 'File "/', "<class '", "<function ")
_LEADING = ("href", "src", "action", "formaction", "data", "xlink:href", "srcdoc")
_LEADS_ASTRAY = re.compile(r"[\x00-\x20]*(javascript|vbscript|data:text)", re.I)
_DATA = {"application/json", "text/plain"}


@dataclass
class Form:
    """A form of a page: where it goes, and what it sends as it stands."""

    action: str
    method: str
    fields: list[tuple[str, str, str]] = field(default_factory=list)  # name, value, kind
    choices: dict[str, list[str]] = field(default_factory=dict)
    unchosen: set[str] = field(default_factory=set)  # lists of many of which nothing is chosen; a text may be sent

    def sent(self, **other: str) -> dict[str, list[str]]:
        """Return what a browser sends, with other values for some fields."""
        found: dict[str, list[str]] = {}
        for name, value, _ in self.fields:
            if name not in self.unchosen:
                found.setdefault(name, []).append(value)
        return {**found, **{name: [value] for name, value in other.items()}}

    @property
    def names(self) -> list[str]:
        """Return the names of the fields that somebody could fill with a text of their own, hidden ones too."""
        return sorted({name for name, _, _ in self.fields if name != "csrfmiddlewaretoken"})


class Page(HTMLParser):
    """Reads a page: `strange` tells what no template of ours has."""

    def __init__(self, html: str):
        super().__init__(convert_charrefs=True)
        self.strange: list[str] = []
        self.forms: list[Form] = []
        self.links: list[str] = []
        self._form: Form | None = None
        self._select: str | None = None
        self._area: tuple[str, list[str]] | None = None
        self._options: list[tuple[str, bool]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Judge an element, and take in what belongs to a form."""
        given = {name: value or "" for name, value in attrs}
        self._judge(tag, given)
        if tag == "a":
            self.links.append(given.get("href", ""))
        if tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get").lower())
            self.forms.append(self._form)
        elif self._form is not None:
            self._take(tag, given)

    def _judge(self, tag: str, given: dict[str, str]) -> None:
        where = f"<{tag} {given}>"[:300]
        if MARK in tag or any(MARK in name for name in given):
            self.strange.append(f"out of a text: {where}")
        if any(name.startswith("on") for name in given):
            self.strange.append(f"a handler: {where}")
        if any(_LEADS_ASTRAY.match(given.get(name, "")) for name in _LEADING):
            self.strange.append(f"leads astray: {where}")
        if tag == "script" and "src" not in given and given.get("type") not in _DATA:
            self.strange.append(f"a script: {where}")
        if tag in ("iframe", "object", "embed", "base", "math", "foreignobject", "template"):
            self.strange.append(f"an element of nobody: {where}")
        if any(given.get(name, "").startswith(("//", "http://evil")) for name in _LEADING):
            self.strange.append(f"another site: {where}")

    def _take(self, tag: str, given: dict[str, str]) -> None:
        assert self._form is not None
        name, kind = given.get("name", ""), given.get("type", tag)
        if tag == "option":
            self._options.append((given.get("value", ""), "selected" in given))
        if not name or "disabled" in given:
            return
        if tag == "select":
            self._select, self._options = name, []
            self._form.unchosen |= {name} if "multiple" in given else set()
        elif tag == "textarea":
            self._area = (name, [])
        elif tag == "input" and _is_sent(kind, name, given):
            self._form.fields.append((name, given.get("value", "on" * (kind == "checkbox")), kind))

    def handle_data(self, data: str) -> None:
        """Keep the text of a field."""
        if self._area is not None:
            self._area[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        """Close a field or a form."""
        if tag == "form":
            self._form = None
        elif tag == "select" and self._select is not None and self._form is not None:
            self._form.choices[self._select] = [value for value, _ in self._options]
            chosen = [value for value, is_chosen in self._options if is_chosen]
            self._form.unchosen -= {self._select} if chosen else set()
            chosen = chosen or [value for value, _ in self._options[:1]]
            self._form.fields += [(self._select, value, "select") for value in chosen]
            self._select = None
        elif tag == "textarea" and self._area is not None and self._form is not None:
            self._form.fields.append((self._area[0], "".join(self._area[1]).removeprefix("\n"), "textarea"))
            self._area = None


def _is_sent(kind: str, name: str, given: dict[str, str]) -> bool:
    """Return whether a browser sends an input; the rows of a list count as chosen."""
    if kind in ("checkbox", "radio"):
        return "checked" in given or name == "_selected_action"
    return kind not in ("submit", "button", "image", "reset", "file")


def content_of(response: Any) -> bytes:
    """Return the whole body of an answer."""
    return b"".join(response.streaming_content) if response.streaming else bytes(response.content)


def faults(response: Any) -> list[str]:
    """Return what is wrong with an answer, whatever was asked; nothing for one that is as it should be."""
    content = content_of(response)
    kind = response.headers.get("Content-Type", "")
    found = [f"status {response.status_code}: {content[:300]!r}"] * (response.status_code >= 500)
    if kind.startswith("text/html"):
        text = content.decode()
        found += Page(text).strange
        found += [f"shows its inside: {trace}" for trace in _TRACES if trace in text]
    elif content and not kind:
        found.append("no content type")
    if any("\n" in value or "\r" in value for value in response.headers.values()):
        found.append("a header of two lines")
    return found
