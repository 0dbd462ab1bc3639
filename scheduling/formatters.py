"""How states, instants and ages are shown, in one place, so that every page says the same thing the same way."""

from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import get_current_timezone

from scheduling.decisions.decision import PauseFacts
from staging.wording import duration

# word of a state or an event -> (kind of badge, sign). A word that is not here gets a quiet badge.
BADGES: dict[str, tuple[str, str]] = {
    "completed": ("good", "✓"),
    "fired": ("info", "▶"),
    "running": ("busy", "◐"),
    "pending": ("quiet", "…"),
    "queued": ("quiet", "…"),
    "waiting": ("quiet", "…"),
    "skipped": ("quiet", "↷"),
    "failed": ("bad", "✕"),
    "made good": ("good", "✓"),
    "error": ("bad", "✕"),
    "warning": ("warn", "!"),
    "stopped": ("bad", "✕"),
    "zombie": ("bad", "☠"),
    "lost": ("bad", "☠"),
    "takes no work": ("bad", "✕"),
    "interrupted": ("warn", "⏏"),
    "blocked": ("warn", "⊘"),
    "missed": ("warn", "!"),
    "held": ("warn", "‖"),
    "inserted": ("good", "+"),
    "updated": ("info", "≠"),
    "deactivated": ("warn", "−"),
    "deleted": ("bad", "✕"),
    "rejected": ("warn", "!"),
    "review": ("warn", "‖"),
    "reviewed": ("good", "✓"),
    "cancelled": ("warn", "⊘"),
    "retried": ("info", "↻"),
    "paused": ("warn", "‖"),
    "resumed": ("info", "▶"),
    "moved": ("info", "↦"),
    "passed": ("good", "✓"),
    "not passed": ("warn", "✕"),
    "fires": ("info", "▶"),
    "rolled": ("busy", "↦"),
    "dark": ("warn", "●"),
    "open": ("good", "○"),
    "enabled": ("good", "✓"),
    "disabled": ("quiet", "○"),
    "idle": ("quiet", "○"),
    "alive": ("good", "✓"),
    "silent": ("bad", "☠"),
    "waited": ("quiet", "…"),
    "never ran": ("quiet", "○"),
}


def zone_named(name: str) -> tzinfo:
    """Return the zone of this name; the site's for no name, and for one that this machine does not know."""
    try:
        return ZoneInfo(name) if name else get_current_timezone()
    except (ZoneInfoNotFoundError, ValueError):
        return get_current_timezone()


def badge(word: str) -> SafeString | str:
    """Return a state as word, sign and colour; an empty word stays empty."""
    if not word:
        return ""
    kind, sign = BADGES.get(word, ("quiet", "○"))
    return format_html(
        '<span class="badge badge-{}"><span class="sign" aria-hidden="true">{}</span> {}</span>', kind, sign, word
    )


def moment(instant: datetime | None, zone: str = "") -> SafeString | str:
    """Return an instant to the second in `zone` (default: the site's), machine-readable too; empty for none."""
    if instant is None:
        return ""
    local = instant.astimezone(zone_named(zone))
    return format_html(
        '<time datetime="{}">{}</time>', instant.astimezone(UTC).isoformat(), f"{local:%Y-%m-%d %H:%M:%S}"
    )


def fire_words(instant: datetime, zone: str = "") -> str:
    """Return a planned instant with its weekday and its zone's name as plain text."""
    local = instant.astimezone(zone_named(zone))
    return f"{local:%a} {local.day} {local:%b %Y %H:%M} {zone or local.tzinfo}"


def fire_time(instant: datetime | None, zone: str = "") -> SafeString | str:
    """Return a planned instant with its weekday and its zone's name, for lists of what comes next."""
    if instant is None:
        return ""
    words = fire_words(instant, zone)
    return format_html('<time datetime="{}">{}</time>', instant.astimezone(UTC).isoformat(), words)


def paused_words(pause: PauseFacts, zone: str = "") -> SafeString | str:
    """Return "by ann since …, until …: reason" of what is paused, its moments in `zone` (default: the site's)."""
    if pause.paused_at is None:
        return ""
    until = format_html(", until {}", fire_time(pause.paused_until, zone)) if pause.paused_until else ""
    since_then = fire_time(pause.paused_at, zone)
    return format_html("by {} since {}{}: {}", pause.paused_by or "?", since_then, until, pause.pause_reason)


def span(length: timedelta) -> str:
    """Return a length of time in its largest unit: 14 s, 3 min, 5 h, 2 days."""
    seconds = max(int(length.total_seconds()), 0)
    if seconds < 120:
        return f"{seconds} s"
    if seconds < 7200:
        return f"{seconds // 60} min"
    if seconds < 172_800:
        return f"{seconds // 3600} h"
    return f"{seconds // 86_400} days"


def since(instant: datetime | None, now: datetime) -> str:
    """Return how far an instant is from `now`: "3 min ago", "in 2 h"; empty for none."""
    if instant is None:
        return ""
    return f"in {span(instant - now)}" if instant > now else f"{span(now - instant)} ago"


def milliseconds(value: int | None) -> str:
    """Return a duration given in milliseconds as people read it: 340 ms, 12.4 s, 3 min 20 s, 1 d 3 h."""
    if value is None:
        return ""
    if value < 1000:
        return f"{value} ms"
    if value < 60_000:
        return f"{value / 1000:.1f} s"
    return duration(timedelta(milliseconds=value))


def count(value: int | None) -> str:
    """Return a number with thousands separated; empty for none."""
    return "" if value is None else f"{value:,}"


def gate_name(name: str) -> str:
    """Return a gate's or a fact's technical name as words: "trigger:row_threshold" is "Trigger: row threshold"."""
    words = str(name).replace(":", ": ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]
