"""What the catalogue of translations should know: every template of code and of pages, found without GNU gettext.

And a language with a catalogue of a few words, for tests of what is said in the language of its reader.
"""

import ast
import gettext as gnu
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from django.utils.translation import trans_real
from django.utils.translation.template import templatize

from staging import wording
from tests.house.source import ROOT, product_files, tree

PO = ROOT / "scheduler_project" / "locale" / "nl" / "LC_MESSAGES" / "django.po"
# name of a function -> at which places its templates stand
MARKS = {
    "say": (0,), "later": (0,), "phrase": (0,), "marked": (0,), "_": (0,), "gettext": (0,), "gettext_lazy": (0,),
    "gettext_noop": (0,), "counted": (1, 2), "counted_later": (1, 2), "numbered": (1, 2), "ngettext": (0, 1),
    "ngettext_lazy": (0, 1), "Problem": (1,),
}  # fmt: skip
IN_TEMPLATE = re.compile(
    r"(?<!\w)(n?gettext|_)\(u?('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?:,\s*u?('(?:[^'\\]|\\.)*'))?"
)
LINE = re.compile(r'(msgid_plural|msgid|msgstr(?:\[\d\])?) (".*")')


@dataclass
class Entry:
    """One entry of the catalogue: what follows one, what follows many (empty: no number), the translations."""

    one: str
    many: str
    said: list[str]


def entries(path: Path = PO) -> list[Entry]:
    """Return the entries of a catalogue, its head left out."""
    found = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        parts: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            match = LINE.fullmatch(line)
            if match:
                name, text = match[1], match[2]
                parts[name] = ast.literal_eval(text)
            elif line.startswith('"'):
                parts[name] += ast.literal_eval(line)
        if parts.get("msgid"):
            said = [text for key, text in parts.items() if key.startswith("msgstr")]
            found.append(Entry(parts["msgid"], parts.get("msgid_plural", ""), said))
    return found


def wanted() -> set[str]:
    """Return every template that should have a translation; of those with a number what follows one."""
    return {*_of_code(), *_of_pages()}


def _of_code() -> Iterator[str]:
    for path in product_files():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                places = MARKS.get(name, ())
                if places and len(node.args) > places[0]:
                    text = node.args[places[0]]
                    if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value:
                        yield text.value


def _of_pages() -> Iterator[str]:
    for path in sorted((ROOT / "templates").rglob("*.html")):
        for match in IN_TEMPLATE.finditer(templatize(path.read_text(encoding="utf-8"))):
            yield ast.literal_eval(match[2])


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
