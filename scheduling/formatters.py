"""How states, instants and ages are shown, in one place, so that every page says the same thing the same way.

An instant is 2026-11-24 06:00:00 everywhere: alone where the page names its zone, with the zone in a sentence, and with
weekday and zone where it is planned. A time that people type is shown as they type it: 06:00.
"""

import re
from contextvars import ContextVar
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils.dates import WEEKDAYS_ABBR
from django.utils.formats import date_format
from django.utils.html import Urlizer, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import get_current_timezone
from django.utils.translation import get_language, gettext, gettext_noop

from scheduling.cadence.words import write_moment, write_time
from scheduling.decisions.decision import PauseFacts
from staging.versions.words import plain
from staging.wording import duration, figure, instant, say, written

# word of a state or an event -> (kind of badge, sign). A word that is not here gets a quiet badge.
BADGES: dict[str, tuple[str, str]] = {
    gettext_noop("completed"): ("good", "✓"),
    gettext_noop("completed with warnings"): ("warn", "△"),
    gettext_noop("fired"): ("info", "▶"),
    gettext_noop("running"): ("busy", "◐"),
    gettext_noop("pending"): ("quiet", "…"),
    gettext_noop("queued"): ("quiet", "…"),
    gettext_noop("waiting"): ("quiet", "…"),
    gettext_noop("awaiting"): ("quiet", "◷"),
    gettext_noop("skipped"): ("quiet", "↷"),
    gettext_noop("failed"): ("bad", "✕"),
    gettext_noop("made good"): ("good", "✓"),
    gettext_noop("error"): ("bad", "✕"),
    gettext_noop("warning"): ("warn", "!"),
    gettext_noop("overdue"): ("bad", "!"),
    gettext_noop("late"): ("bad", "!"),
    gettext_noop("wrong now"): ("bad", "!"),
    gettext_noop("over"): ("good", "✓"),
    gettext_noop("done"): ("good", "✓"),
    gettext_noop("stopped"): ("bad", "✕"),
    "zombie": ("bad", "☠"),
    gettext_noop("lost"): ("bad", "☠"),
    gettext_noop("takes no work"): ("bad", "✕"),
    gettext_noop("interrupted"): ("warn", "⏏"),
    gettext_noop("blocked"): ("warn", "⊘"),
    gettext_noop("missed"): ("warn", "!"),
    gettext_noop("not due"): ("quiet", "○"),
    gettext_noop("held"): ("warn", "‖"),
    gettext_noop("inserted"): ("good", "+"),
    gettext_noop("updated"): ("info", "≠"),
    gettext_noop("deactivated"): ("warn", "−"),
    gettext_noop("deleted"): ("bad", "✕"),
    gettext_noop("rejected"): ("warn", "!"),
    gettext_noop("unchanged"): ("quiet", "○"),
    gettext_noop("superseded"): ("quiet", "○"),
    gettext_noop("review"): ("warn", "‖"),
    gettext_noop("reviewed"): ("good", "✓"),
    gettext_noop("cancelled"): ("warn", "⊘"),
    gettext_noop("retried"): ("info", "↻"),
    gettext_noop("paused"): ("warn", "‖"),
    gettext_noop("resumed"): ("info", "▶"),
    gettext_noop("moved"): ("info", "↦"),
    gettext_noop("exported"): ("info", "⇩"),
    gettext_noop("changed"): ("info", "✎"),
    gettext_noop("passed"): ("good", "✓"),
    gettext_noop("not passed"): ("warn", "✕"),
    gettext_noop("fires"): ("info", "▶"),
    gettext_noop("rolled"): ("busy", "↦"),
    gettext_noop("dark"): ("warn", "●"),
    gettext_noop("open"): ("good", "○"),
    gettext_noop("enabled"): ("good", "✓"),
    gettext_noop("disabled"): ("quiet", "○"),
    gettext_noop("idle"): ("quiet", "○"),
    gettext_noop("alive"): ("good", "✓"),
    gettext_noop("silent"): ("bad", "☠"),
    gettext_noop("waited"): ("quiet", "…"),
    gettext_noop("never ran"): ("quiet", "○"),
    gettext_noop("decided the end"): ("info", "▬"),
}

# What the engine calls it -> what people do.
_IN_WORDS = {"zombie": gettext_noop("worker lost")}
_GATES = {"zombie": "Dead worker"}
_AS_JSON = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)")  # an instant
_AFTER = "after:"  # the gate of one thing that a plan runs after
_TRIGGER = "trigger:"  # that of one condition of the rows that wait

# Words that stand where no badge does, and those of conditions.
WORDS = (
    gettext_noop("Manual"),
    gettext_noop("manual"),
    gettext_noop("scheduled"),
    gettext_noop("triggered"),
    gettext_noop("processed"),
    gettext_noop("steps"),
    gettext_noop("order"),
    gettext_noop("times"),
    gettext_noop("worker"),
)
_CONDITIONS = (
    gettext_noop("Enabled"),
    gettext_noop("Mode"),
    gettext_noop("Staging table"),
    gettext_noop("Pause"),
    gettext_noop("Blackout"),
    gettext_noop("Overlap"),
    gettext_noop("Dead worker"),
    gettext_noop("Back off"),
    gettext_noop("Due"),
    gettext_noop("Trigger: row threshold"),
    gettext_noop("Trigger: idle"),
    gettext_noop("Trigger: new rows"),
)
# What the log notes beside a message.
_FACTS = (
    gettext_noop("Backfill"),
    gettext_noop("Count"),
    gettext_noop("Door"),
    gettext_noop("Error"),
    gettext_noop("First"),
    gettext_noop("From"),
    gettext_noop("Host"),
    gettext_noop("Last"),
    gettext_noop("Moved"),
    gettext_noop("Schedule"),
    gettext_noop("Slot"),
    gettext_noop("To"),
    gettext_noop("Version"),
)


def zone_named(name: str) -> tzinfo:
    """Return the zone of this name; the site's for no name, and for one that this machine does not know."""
    try:
        return ZoneInfo(name) if name else get_current_timezone()
    except (ZoneInfoNotFoundError, ValueError):
        return get_current_timezone()


# Whether what names the zone of a schedule is shown in that zone; else all instants of a page are in the current one.
by_schedule: ContextVar[bool] = ContextVar("by_schedule", default=True)


def zone_shown(name: str) -> tzinfo:
    """Return the zone in which a page shows what belongs to the zone of this name."""
    return zone_named(name if by_schedule.get() else "")


def badge(word: str) -> SafeString | str:
    """Return a state as word, sign and colour; an empty word stays empty, and one that is none of ours as it is."""
    if not word:
        return ""
    kind, sign = BADGES.get(word, ("quiet", "○"))
    words = _IN_WORDS.get(word, word)
    shown = say(words) if word in BADGES else word
    return format_html(
        '<span class="badge badge-{}"><span class="sign" aria-hidden="true">{}</span> {}</span>', kind, sign, shown
    )


def moment(instant: datetime | None, zone: str = "") -> SafeString | str:
    """Return an instant to the second in `zone` (default: the site's), machine-readable too; empty for none."""
    if instant is None:
        return ""
    return _timed(instant, moment_words(instant, zone))


def moment_words(instant: datetime, zone: str = "") -> str:
    """Return an instant to the second in `zone` (default: the site's) as plain text: where the page names the zone."""
    return written(instant.astimezone(zone_shown(zone)))


def clock_words(local: datetime) -> str:
    """Return the time of day of a local moment, beside its day: 06:00:00."""
    return f"{local:%H:%M:%S}"


def day_words(day: date | None) -> str:
    """Return a day with its weekday: Tue 2026-11-24; empty for none."""
    return f"{date_format(day, 'D')} {day}" if day else ""


def weekday_words(local: datetime) -> str:
    """Return a local moment with its weekday, where the page names the zone: Tue 2026-11-24 06:00:00."""
    return f"{_weekday(get_language(), local.weekday())} {written(local)}"


@lru_cache(maxsize=100)
def _weekday(language: str | None, number: int) -> str:
    """Return the short name of a weekday in the active language; looked up once, for a page has a thousand moments."""
    return str(WEEKDAYS_ABBR[number])


def typed_words(at: datetime | time) -> str:
    """Return a time of day, or a local moment, as people type it: 06:00, with seconds only when there are any."""
    return write_moment(at) if isinstance(at, datetime) else write_time(at)


def fire_words(instant: datetime, zone: str = "", *, is_own: bool = False) -> str:
    """Return a planned instant with its weekday and its zone's name as plain text: Tue 2026-11-24 06:00:00 UTC.

    With `is_own` in the zone that is named, whatever its reader's is: beside the times of a schedule that are typed.
    """
    local = instant.astimezone(zone_named(zone) if is_own else zone_shown(zone))
    return f"{weekday_words(local)} {local.tzinfo}"


def fire_time(instant: datetime | None, zone: str = "") -> SafeString | str:
    """Return a planned instant with its weekday and its zone's name, for lists of what comes next."""
    if instant is None:
        return ""
    return _timed(instant, fire_words(instant, zone))


def _timed(instant: datetime, words: str) -> SafeString:
    return format_html('<time datetime="{}">{}</time>', instant.astimezone(UTC).isoformat(), words)


def paused_words(pause: PauseFacts, zone: str = "") -> SafeString | str:
    """Return "by ann since …, until …: reason" of what is paused, its moments in `zone` (default: the site's)."""
    if pause.paused_at is None:
        return ""
    words = gettext("by {by} since {since}: {reason}")
    if pause.paused_until:
        words = gettext("by {by} since {since}, until {until}: {reason}")
    return format_html(
        words,
        by=pause.paused_by or "?",
        since=fire_time(pause.paused_at, zone),
        until=fire_time(pause.paused_until, zone),
        reason=pause.pause_reason,
    )


def span(length: timedelta) -> str:
    """Return a length of time in its largest unit: 14 s, 3 min, 5 h, 2 days."""
    seconds = max(int(length.total_seconds()), 0)
    if seconds < 120:
        return say("{seconds} s", seconds=seconds)
    if seconds < 7200:
        return say("{minutes} min", minutes=seconds // 60)
    if seconds < 172_800:
        return say("{hours} h", hours=seconds // 3600)
    return say("{days} days", days=seconds // 86_400)


def since(instant: datetime | None, now: datetime) -> str:
    """Return how far an instant is from `now`: "3 min ago", "in 2 h"; empty for none."""
    if instant is None:
        return ""
    if instant > now:
        return say("in {span}", span=span(instant - now))
    return say("{span} ago", span=span(now - instant))


def milliseconds(value: int | None) -> str:
    """Return a duration given in milliseconds as people read it: 340 ms, 12.4 s, 3 min 20 s, 1 d 3 h."""
    if value is None:
        return ""
    if value < 1000:
        return say("{milliseconds} ms", milliseconds=value)
    if value < 60_000:
        return say("{seconds:.1f} s", seconds=value / 1000)
    return duration(timedelta(milliseconds=value))


def count(value: int | None) -> str:
    """Return a number with thousands separated; empty for none."""
    return "" if value is None else figure(value)


def gate_name(name: str) -> str:
    """Return a gate's or a fact's technical name as words: "trigger:row_threshold" is "Trigger: row threshold"."""
    if str(name).startswith(_AFTER):
        return say("After {other}", other=str(name).removeprefix(_AFTER))
    words = _GATES.get(name, str(name)).replace(":", ": ").replace("_", " ").strip()
    words = words[:1].upper() + words[1:]
    return say(words) if words in (*_CONDITIONS, *_FACTS) else words


def measured(value: Any) -> Any:
    """Return what a gate measured as its reader says it; the condition that came true is called as in its own line."""
    return gate_name(value) if str(value).startswith(_TRIGGER) else word(value)


def fact_words(value: Any) -> str:
    """Return a plain value that the log notes as people read it: its instants as all are, yes and no for a switch."""
    if not isinstance(value, str):
        return plain(value)
    try:
        return instant(datetime.fromisoformat(value)) if _AS_JSON.fullmatch(value) else word(value)
    except (ValueError, OverflowError):  # it only looks like an instant
        return value


class _Links(Urlizer):
    """Makes links of what says itself that it is one: of no e-mail address, and of nothing that only looks like it."""

    simple_url_2_re = re.compile(r"(?!)")
    url_template = '<a href="{href}" rel="noopener nofollow">{url}</a>'

    @staticmethod
    def is_email_simple(value: str) -> bool:
        """Return that nothing is an e-mail address."""
        return False


def linked(text: str) -> SafeString:
    """Return a text that people wrote, escaped, with its http and https addresses as links."""
    return mark_safe(_Links()(text, autoescape=True))  # noqa: S308 (every part of it is escaped)


def word(text: str) -> str:
    """Return one of our words, a state or what started something, as its reader says it; any other text as it is."""
    return say(text) if text in BADGES or text in WORDS else text


def lean(html: str) -> str:
    """Return HTML without the blank lines and indents of templates between its tags, and ends of options, which need
    none: a tenth of a page with a long form. One line break stays where there was one, for it parts words.
    """
    return _OPTION_ENDS.sub("", _INDENTS.sub(">\n<", html))


_INDENTS = re.compile(r">[ \t]*\n[ \t\r\n]*<(?!/(?:textarea|pre))")  # what a text area holds may be nothing but lines
_OPTION_ENDS = re.compile(r"</option>\n?(?=<(?:option|/select|/?optgroup|/datalist))")
