"""How a file is to be read: its kind; for text its encoding and delimiter; whether the first line names the columns."""

from dataclasses import dataclass

from django.db import models
from django.utils.translation import gettext_lazy as _


class FileKind(models.TextChoices):
    """The kinds of files that can be read."""

    CSV = "csv", _("CSV")
    XLSX = "xlsx", _("Excel workbook")
    JSON_LINES = "jsonl", _("JSON lines")


class Encoding(models.TextChoices):
    """How the text of a file is written in bytes."""

    UTF_8 = "utf-8-sig", _("UTF-8")
    UTF_16 = "utf-16", _("UTF-16")
    UTF_16_LE = "utf-16-le", _("UTF-16 without mark, little-endian")
    UTF_16_BE = "utf-16-be", _("UTF-16 without mark, big-endian")
    WINDOWS_1252 = "cp1252", _("Windows-1252 (Western Europe)")


class Delimiter(models.TextChoices):
    """What stands between two values of a line."""

    COMMA = ",", _("comma")
    SEMICOLON = ";", _("semicolon")
    TAB = "\t", _("tab")
    PIPE = "|", _("vertical line")


@dataclass(frozen=True)
class Format:
    """How one file is read; what does not concern its kind keeps its default."""

    kind: FileKind
    encoding: Encoding = Encoding.UTF_8
    delimiter: Delimiter = Delimiter.COMMA
    has_header: bool = True
