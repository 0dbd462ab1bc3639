"""No visible word of a page stands past the catalogue: those of templates are marked, and scripts have none."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.house.source import ROOT

READ_OUT = {"alt", "aria-description", "aria-label", "data-label", "label", "placeholder", "title"}
NOT_SHOWN = ("script", "style", "kbd")  # nor is what stands on a key a word
AS_IT_IS = {"Staging Scheduler", "Authorization: Bearer", "import_action", "import_status"}  # names, not words
UNITS = {"s", "h"}
DJANGO = re.compile(
    r"{%\s*(blocktranslate|comment)\b.*?{%\s*end\1\s*%}|{#.*?#}|{%\s*translate\b.*?%}|{%.*?%}|{{.*?}}", re.DOTALL
)
WORDS_OF_FILTER = re.compile(r'\|(?:default|default_if_none|yesno|add):"([^"]*)"|{% include [^%]*?\w=(?:"([^"]*)")')
TEXT_OF_SCRIPT = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"|`([^`]*)`")
COMMENT_OF_SCRIPT = re.compile(r"/\*.*?\*/|(?<![:\w])//[^\n]*", re.DOTALL)


class Words(HTMLParser):
    """Collects what a reader sees or hears of a template when everything of Django is taken out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        shown = READ_OUT | ({"value"} if given.get("type") in ("submit", "button", "reset") else set())
        self.found += [str(given[name]) for name in shown & given.keys()]
        self._hidden += tag in NOT_SHOWN

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in NOT_SHOWN

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.found.append(data)


def words_past_the_catalogue(source: str) -> list[str]:
    """Return the words of a template that no catalogue knows."""
    reader = Words()
    reader.feed(DJANGO.sub("", _without_classes(source)))
    reader.close()
    found = [*reader.found, *("".join(found) for found in WORDS_OF_FILTER.findall(source))]
    return [text.strip() for text in found if _has_words(text)]


def _without_classes(source: str) -> str:
    """Return the source without the blocks that give a class to the body: they hold no tag around their word."""
    return re.sub(r"{% block (coltype|bodyclass) %}.*?{% endblock %}", "", source)


def _has_words(text: str) -> bool:
    for name in AS_IT_IS:
        text = text.replace(name, "")
    return bool(set(re.findall(r"[^\W\d_]+", text)) - UNITS)


def templates() -> Iterator[Path]:
    yield from sorted((ROOT / "templates").rglob("*.html"))


def scripts() -> Iterator[Path]:
    for package in ("scheduling", "staging"):
        yield from sorted((ROOT / package / "static").rglob("*.js"))


def test_every_word_of_a_template_is_marked_for_translation():
    found = {
        str(path.relative_to(ROOT)): words
        for path in templates()
        if (words := words_past_the_catalogue(path.read_text(encoding="utf-8")))
    }
    assert not found, f"Put it into translate or blocktranslate, a filter's words into _(…): {found}"


def hidden_by_a_name(source: str) -> list[str]:
    """Return the names that a blocktranslate gives to a value and that a later value of it, or its number, reads."""
    found = []
    for tag in re.findall(r"{%\s*blocktranslate\b(.*?)%}", source, re.DOTALL):
        given = re.findall(r"(?<![\w|])(\w+)=([A-Za-z_]\w*)", tag)
        number = re.search(r"count (\w+)=", tag)
        order = sorted(given, key=lambda pair: bool(number and pair[0] == number[1]))  # Django finds the number last
        found += [name for at, (name, _) in enumerate(order) if name in (read for _, read in order[at + 1 :])]
    return found


def test_a_value_of_a_sentence_hides_nothing_that_is_read_after_it():
    found = {
        str(path.relative_to(ROOT)): names
        for path in templates()
        if (names := hidden_by_a_name(path.read_text(encoding="utf-8")))
    }
    assert not found, f"Give the value another name: {found}"
    assert hidden_by_a_name("{% blocktranslate count number=rows|length with rows=rows|count %}") == ["rows"]


def test_no_sentence_stands_in_a_script():
    """A script takes its words from data attributes of the page, which the template says in the reader's language."""
    found = []
    for path in scripts():
        code = COMMENT_OF_SCRIPT.sub("", path.read_text(encoding="utf-8"))
        for match in TEXT_OF_SCRIPT.finditer(code):
            text = next(filter(None, match.groups()), "")
            text = re.sub(r"\${[^}]*}", "", text).replace("Staging Scheduler", "")
            if text != "use strict" and re.search(r"[A-Za-z]{2,}[.,:]? [A-Za-z]{2,}", text):
                found.append((path.name, text))
    assert not found, f"Give it to the script in a data attribute: {found}"


def test_no_word_stands_in_a_style_sheet():
    """A style sheet takes its words from attributes of the page, too: `content: attr(data-label)`."""
    found = []
    for package in ("scheduling", "staging"):
        for path in sorted((ROOT / package / "static").rglob("*.css")):
            code = COMMENT_OF_SCRIPT.sub("", path.read_text(encoding="utf-8"))
            found += [(path.name, text) for text in re.findall(r'content:[^;}]*?"([^"]*)"', code) if _has_words(text)]
    assert not found, f"Give it to the style sheet in a data attribute: {found}"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<p>Rows</p>", ["Rows"]),
        ('<a title="See it">{{ name }}</a>', ["See it"]),
        ('<input type="submit" value="Save">', ["Save"]),
        ('{{ rows|default:"none" }}', ["none"]),
        ('{% include "part.html" with caption="Its rows" %}', ["Its rows"]),
        ("<p>{% if rows %}{{ rows }} wait{% endif %}</p>", ["wait"]),
        ('<p title="{% translate "Rows" %}">{% translate "Rows" %}</p>', []),
        ("<p>{% blocktranslate %}{{ rows }} wait{% endblocktranslate %} ({{ rows }} s)</p>", []),
        ('{{ rows|default:_("none") }}<script>let words;</script>{# a word #}', []),
    ],
)
def test_what_is_asked_of_a_template(source, words):
    assert words_past_the_catalogue(source) == words
