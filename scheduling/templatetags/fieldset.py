"""Writes the lines of a fieldset as Django's template does: a form has seventy, and a template takes long for each."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.template import Library
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from scheduling.templatetags.look import yes_or_no

register = Library()


@register.filter
def lines(fieldset: Iterable[Any]) -> SafeString:
    """Return the lines of a fieldset of Django's admin, each with its fields and what is wrong in it."""
    return _joined(_line(each) for each in fieldset)


def _line(line: Any) -> SafeString:
    fields, faults = [*line], line.errors()
    is_alone = len(fields) == 1
    marks = " errors" if is_alone and faults else ""
    marks += "" if line.has_visible_field else " hidden"
    shown = _joined(_field(each, is_alone=is_alone) for each in fields)
    return format_html(
        '<div class="form-row{}{}">\n{}\n{}\n</div>',
        marks,
        "".join(map(_class_of, fields)),
        faults if is_alone else "",
        shown if is_alone else format_html('<div class="flex-container form-multiline">\n{}\n</div>', shown),
    )


def _field(field: Any, *, is_alone: bool) -> SafeString:
    faults = "" if is_alone or field.is_readonly else field.errors()
    classes = " checkbox-row" if field.is_checkbox else ""
    if not is_alone:
        marks = (" errors" if faults else "") + (" hidden" if _told(field, "is_hidden") else "")
        classes = f" fieldBox{_class_of(field)}{marks}{classes}"
    parts = (faults, classes, _input(field), _help(field))
    return format_html('<div>\n{}\n<div class="flex-container{}">\n{}\n</div>\n{}\n</div>', *parts)


def _input(field: Any) -> SafeString:
    """Return the label and the input, or what stands in its place for people who only look."""
    if field.is_checkbox:
        return format_html("{}{}", field.field, field.label_tag())
    if field.is_readonly:
        return format_html('{}\n<div class="readonly">{}</div>', field.label_tag(), yes_or_no(field.contents()))
    return format_html("{}\n{}", field.label_tag(), field.field)


def _help(field: Any) -> SafeString | str:
    if not (text := _told(field, "help_text")):
        return ""
    hidden = " hidden" if _told(field, "is_hidden") else ""
    named = format_html(' id="{}_helptext"', name) if (name := _told(field, "id_for_label")) else ""
    return format_html('<div class="help{}"{}>\n<div>{}</div>\n</div>', hidden, named, text)


def _class_of(field: Any) -> str:
    return f" field-{name}" if (name := _told(field, "name")) else ""


def _told(field: Any, name: str) -> Any:
    """Return what is told of a field: to Django one that is only shown is a mapping."""
    return field.field.get(name) if field.is_readonly else getattr(field.field, name)


def _joined(parts: Iterator[SafeString]) -> SafeString:
    return format_html_join("\n", "{}", ((part,) for part in parts))
