"""Turns a document of docs/ into the inside of a page: headings that can be linked to, links that stay in the admin."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from staging.wording import say

FOLDER = settings.BASE_DIR / "docs"
_PAGE = "admin:scheduling_schedulerconfiguration_help"
_STAYS = re.compile(r"https?://|mailto:")


@dataclass(frozen=True)
class HelpText:
    """A document as a page shows it; `anchors` are the names of its parts."""

    title: str
    body: SafeString
    anchors: frozenset[str]


def names() -> list[str]:
    """Return the names of all documents."""
    return sorted(path.stem for path in FOLDER.glob("*.md"))


def images() -> list[str]:
    """Return the names of the pictures that documents show."""
    return sorted(path.name for path in (FOLDER / "images").glob("*.png"))


def address_of(topic: str) -> str:
    """Return the address of a document, or of a part of it: "plans#steps"; without one, of the list of all."""
    if not topic:
        return reverse(_PAGE)
    name, _, part = topic.partition("#")
    return f"{reverse(_PAGE)}?{urlencode({'page': name})}{'#' if part else ''}{part}"


@cache
def document(name: str) -> HelpText:
    """Return a document by its name, which is one of `names`."""
    tokens = MarkdownIt("commonmark", {"html": False}).enable("table").parse(_text(name))
    title, anchors = name, Counter[str]()
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            words = "".join(child.content for child in tokens[place + 1].children or ())
            slug = _slug(words)
            anchor = f"{slug}-{anchors[slug]}" if anchors[slug] else slug
            anchors[slug] += 1
            token.attrSet("id", anchor)
            title = words if token.tag == "h1" and place == 0 else title
    own = frozenset(str(token.attrs["id"]) for token in tokens if token.type == "heading_open")
    body = tokens[3:] if tokens and tokens[0].tag == "h1" else tokens  # the page has the title as its heading
    renderer = MarkdownIt("commonmark", {"html": False})
    shown = renderer.renderer.render(list(_dressed(body)), renderer.options, {})
    return HelpText(title, mark_safe(shown), own)  # noqa: S308 (the renderer escapes; documents hold no HTML)


@cache
def title_of(name: str) -> str:
    """Return what a document is called."""
    return _text(name).partition("\n")[0].lstrip("# ")


def _text(name: str) -> str:
    return str((FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def _slug(words: str) -> str:
    """Return the name of a part as the sites that show such documents make it."""
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def _dressed(tokens: list[Token]) -> list[Token]:
    """Return the tokens of a page: tables that scroll, cells that say nothing as no headings, links that lead on."""
    found: list[Token] = []
    tables = 0
    for place, token in enumerate(tokens):
        if token.type == "th_open" and not tokens[place + 1].content.strip():
            token.tag = tokens[place + 2].tag = "td"
        if token.type == "table_open":
            token.attrSet("class", "sheet")
            tables += 1
            found.append(_frame(tables))
        found.append(token)
        if token.type == "table_close":
            found.append(Token("html_block", "", 0, content="</div>"))
        if token.type in ("fence", "code_block"):
            found[-1] = _block(token)
        for child in token.children or ():
            _lead_on(child)
    return found


def _frame(number: int) -> Token:
    label = say("Table {number}, can be scrolled", number=number)
    return Token(
        "html_block", "", 0, content=f'<div class="sheet-frame" tabindex="0" role="region" aria-label="{label}">'
    )


def _block(token: Token) -> Token:
    """Return a block of text to copy, which the keyboard can scroll."""
    text = f'<pre tabindex="0"><code>{escape(token.content)}</code></pre>\n'
    return Token("html_block", "", 0, content=text)


def _lead_on(token: Token) -> None:
    """Let links between documents and pictures stay in the admin; files of the source are named only."""
    key = {"link_open": "href", "image": "src"}.get(token.type)
    target = str(token.attrs.get(key, "")) if key else ""
    if not key or not target or target.startswith("#") or _STAYS.match(target):
        return
    path, _, part = target.partition("#")
    name = PurePosixPath(path).name
    if token.type == "image":
        token.attrSet("src", f"{reverse(_PAGE)}?{urlencode({'image': name})}")
    elif path == name and name.removesuffix(".md") in names():
        token.attrSet("href", address_of(f"{name.removesuffix('.md')}{'#' if part else ''}{part}"))
    else:
        token.attrs = {"title": say("A file of the source: {path}", path=path)}
