"""Writes inputs as Django's templates write them, to the letter: a page has hundreds, and templates take long for each.

The setting FORM_RENDERER names it; what it does not know, Django's own templates write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.utils.formats import localize
from django.utils.safestring import SafeString


class Written(DjangoTemplates):
    """Django's usual renderer, which needs no template for what pages have many of."""

    def render(self, template_name: str, context: dict[str, Any], request: Any = None) -> str:
        """Return the HTML of an input, a label, or a list of faults."""
        write = _WRITTEN.get(template_name)
        if write is None or context.get("errors"):
            return super().render(template_name, context, request)
        return write(context)


def escaped(value: object) -> str:
    """Return a value as HTML, as Django's `conditional_escape` does, which looks longer for texts that are made later.

    What is safe stays as it is.
    """
    text = str(value)
    return text if isinstance(text, SafeString) else escape(text)


def _input(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    value = "" if widget["value"] is None else f' value="{escaped(widget["value"])}"'
    name = escaped(widget["name"])
    return f'<input type="{widget["type"]}" name="{name}"{value}{_attributes(widget["attrs"])}>'


def _area(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    head = f'<textarea name="{escaped(widget["name"])}"{_attributes(widget["attrs"])}>'
    return f"{head}\n{escaped(widget['value'] or '')}</textarea>"


def _list(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    parts = [f'<select name="{escaped(widget["name"])}"{_attributes(widget["attrs"])}>']
    for title, options, _place in widget["optgroups"]:
        parts += [f'\n  <optgroup label="{escaped(title)}">'] if title else []
        for each in options:
            shown = escaped(each["value"]), _label_of(each)
            parts.append(f'\n  <option value="{shown[0]}"{_attributes(each["attrs"])}>{shown[1]}</option>\n')
        parts += ["\n  </optgroup>"] if title else []
    return "".join([*parts, "\n</select>"])


def _boxes(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    told = {name: each for name in ("id", "class") if (each := widget["attrs"].get(name))}
    return "".join([f"<div{_attributes(told)}>", *_lines_of(widget["optgroups"]), "\n</div>"])


def _lines_of(groups: Any) -> Iterator[str]:
    for title, options, _place in groups:
        if title:
            yield f"\n  <div><label>{escaped(title)}</label>"
        for each in options:
            of = f' for="{escaped(each["attrs"]["id"])}"' if each["attrs"].get("id") else ""
            box = _input({"widget": each})
            box = f"<label{of}>{box}\n {_label_of(each)}</label>" if each["wrap_label"] else f"{box}\n"
            yield f"<div>\n    {box}\n\n</div>"
        if title:
            yield "\n  </div>"


def _label(context: Mapping[str, Any]) -> str:
    words, tag = escaped(context["label"]), context["tag"]
    return f"<{tag}{_attributes(context['attrs'])}>{words}</{tag}>" if context["use_tag"] else words


def _no_faults(context: Mapping[str, Any]) -> str:
    return ""


def _label_of(option: Mapping[str, Any]) -> str:
    label = option["label"]
    return escaped(label if isinstance(label, str) else localize(label))


def _attributes(attrs: Mapping[str, Any] | None) -> str:
    if not attrs:
        return ""
    told = {name: value for name, value in attrs.items() if value is not False}
    return "".join(f" {name}" if is_on is True else f' {name}="{escaped(is_on)}"' for name, is_on in told.items())


_INPUTS = ("input", "text", "number", "hidden", "email", "url", "password", "date", "datetime", "time", "checkbox")
_WRITTEN: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    **{f"django/forms/widgets/{kind}.html": _input for kind in _INPUTS},
    "django/forms/widgets/textarea.html": _area,
    "django/forms/widgets/select.html": _list,
    "django/forms/widgets/checkbox_select.html": _boxes,
    "django/forms/widgets/radio.html": _boxes,
    "django/forms/label.html": _label,
    "django/forms/errors/list/default.html": _no_faults,
    "django/forms/errors/list/ul.html": _no_faults,
}
