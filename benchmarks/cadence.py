"""What asking for the next fire costs, kind by kind, beside croniter, APScheduler and dateutil.rrule in the same run.

Three cases. `cold`: a cron expression never seen before is read and asked once. `read`: the rule is built from its text
form (ours: the document that a schedule's columns give; APScheduler has arguments and crontabs) and asked once.
`kept`: a rule that was built before is asked. What a zone's clocks do on a day, and what an expression means, is
remembered by ours from rule to rule, as in a cycle; so `read` is what a cycle pays. dateutil counts local time and
ignores clock changes. Instants lie in four weeks round a spring change of the clocks. Each figure is the least of
several rounds.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from statistics import median
from time import perf_counter
from typing import Any
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.date import DateTrigger
from apscheduler.triggers.interval import IntervalTrigger
from croniter import croniter
from dateutil import rrule as rr

from scheduling.cadence.parse import parse_cadence

ZONE_NAME = "Europe/Amsterdam"
ZONE = ZoneInfo(ZONE_NAME)
FIRST = datetime(2026, 3, 16, 0, 7, tzinfo=UTC)
INSTANTS = [FIRST + timedelta(hours=7 * number) for number in range(96)]
ROUNDS = 15
LIBRARIES = ("croniter", "APScheduler", "dateutil")
Ask = Callable[[datetime], datetime | None]


@dataclass(frozen=True)
class Kind:
    """One rule, as we write it and as each library that has the kind builds it."""

    name: str
    document: dict[str, Any]
    cron: str = ""
    trigger: Callable[[], Any] | None = None
    rule: dict[str, Any] = field(default_factory=dict)
    rivals: tuple[str, ...] = ()  # those that must not be faster


def trigger(**fields: Any) -> Callable[[], Any]:
    """Return what builds APScheduler's trigger at six o'clock unless the fields say otherwise."""
    return lambda: CronTrigger(**{"hour": 6, "minute": 0, "timezone": ZONE, **fields})


def crontab(expression: str) -> Callable[[], Any]:
    """Return what builds APScheduler's trigger of a cron expression."""
    return lambda: CronTrigger.from_crontab(expression, timezone=ZONE)


def rule(frequency: int, **fields: Any) -> dict[str, Any]:
    """Return the arguments of dateutil's rule at six o'clock unless the fields say otherwise."""
    return {"freq": frequency, "byhour": 6, "byminute": 0, "bysecond": 0, **fields}


SIX = {"times": ["06:00"]}
QUARTER_HOURS = "*/15 8-18 * * 1-5"
KINDS = (
    Kind("daily", {"kind": "daily", **SIX}, "0 6 * * *", trigger(), rule(rr.DAILY), LIBRARIES),
    Kind("weekly", {"kind": "weekly", "days": ["mon", "fri"], **SIX}, "0 6 * * 1,5", trigger(day_of_week="mon,fri"),
         rule(rr.WEEKLY, byweekday=(rr.MO, rr.FR)), LIBRARIES),
    Kind("monthly", {"kind": "monthly", "days": [1, 15], **SIX}, "0 6 1,15 * *", trigger(day="1,15"),
         rule(rr.MONTHLY, bymonthday=(1, 15)), LIBRARIES),
    Kind("monthly, last day", {"kind": "monthly", "days": ["last"], **SIX}, "0 6 L * *", trigger(day="last"),
         rule(rr.MONTHLY, bymonthday=-1), LIBRARIES),
    Kind("nth weekday", {"kind": "monthly_nth_weekday", "nth": "last", "weekday": "fri", **SIX}, "0 6 * * L5",
         trigger(day="last fri"), rule(rr.MONTHLY, byweekday=rr.FR(-1))),
    Kind("yearly", {"kind": "yearly", "month": 6, "day": 15, **SIX}, "0 6 15 6 *", trigger(month=6, day=15),
         rule(rr.YEARLY, bymonth=6, bymonthday=15)),
    Kind("once", {"kind": "once", "at_local": "2027-06-15T09:00:00"},
         trigger=lambda: DateTrigger("2027-06-15 09:00:00", timezone=ZONE)),
    Kind("interval", {"kind": "interval", "every_minutes": 15}, "*/15 * * * *",
         lambda: IntervalTrigger(minutes=15, start_date="2026-03-15 00:00:00", timezone=ZONE),
         {"freq": rr.MINUTELY, "interval": 15, "bysecond": 0}),
    Kind("cron, quarter hours", {"kind": "cron", "expr": QUARTER_HOURS}, QUARTER_HOURS, crontab(QUARTER_HOURS),
         rivals=("croniter",)),
    Kind("cron, each morning", {"kind": "cron", "expr": "0 6 * * *"}, "0 6 * * *", crontab("0 6 * * *"),
         rivals=("croniter",)),
    Kind("cron, first of month", {"kind": "cron", "expr": "0 0 1 * *"}, "0 0 1 * *", crontab("0 0 1 * *"),
         rivals=("croniter",)),
    Kind("cron, last day", {"kind": "cron", "expr": "0 0 L * *"}, "0 0 L * *", rivals=("croniter",)),
)  # fmt: skip
RARE = Kind("29 February, a Monday", {"kind": "monthly_nth_weekday", "nth": 5, "weekday": "mon", "months": [2], **SIX},
            "0 6 * 2 1#5", trigger(month=2, day="5th mon"),
            rule(rr.YEARLY, bymonth=2, bymonthday=29, byweekday=rr.MO))  # fmt: skip
RARE_LIMIT = 0.005


def main() -> None:
    """Print a line for each kind and case, then whether the targets are met."""
    print("microseconds for one next fire; in brackets how many times longer than ours\n")
    print(f"{'kind':24} {'case':5} {'ours':>7} " + " ".join(f"{name:>17}" for name in LIBRARIES))
    missed = [problem for kind in (*KINDS, RARE) for case in ("read", "kept") for problem in measure(kind, case)]
    for days in ("* * *", "1 * *", "L * *", "13 * 5", "29 2 *"):
        missed += cold(days)
    print(f"\nTargets {'met' if not missed else 'MISSED: ' + '; '.join(missed)}")


def measure(kind: Kind, case: str) -> list[str]:
    """Print one line and return the targets that it misses."""
    instants = INSTANTS[:4] if kind is RARE else INSTANTS
    asks = {name: ask for name, ask in askers(kind, case).items() if ask is not None}
    least = dict.fromkeys(asks, float("inf"))
    for _ in range(3 if kind is RARE else ROUNDS):  # in turn, so that a busy moment of the machine hits all alike
        for name, ask in asks.items():
            least[name] = min(least[name], seconds(ask, instants))
    ours = least["ours"]
    shown = (f"{least[name] * 1e6:9.1f} ({least[name] / ours:4.1f})" if name in least else "-" for name in LIBRARIES)
    print(f"{kind.name:24} {case:5} {ours * 1e6:7.1f} " + " ".join(f"{text:>17}" for text in shown))
    missed = [f"{kind.name} ({case}) is slower than {name}" for name in kind.rivals if least.get(name, ours) < ours]
    return [*missed, *([f"{kind.name} ({case}) takes too long"] if kind is RARE and ours > RARE_LIMIT else [])]


def cold(days: str) -> list[str]:
    """Print what expressions cost that nobody asked for before: each minute of the day with these days."""
    expressions = [f"{minute} {hour} {days}" for hour in range(24) for minute in range(0, 60, 5)]
    instant, moment = INSTANTS[0], INSTANTS[0].astimezone(ZONE)
    times: dict[str, list[float]] = {"ours": [], "croniter": []}
    asks: dict[str, Callable[[str], Any]] = {
        "ours": lambda text: parse_cadence({"kind": "cron", "expr": text}, ZONE_NAME).next_after(instant),
        "croniter": lambda text: croniter(text, moment).get_next(datetime),
    }
    for expression in expressions:
        for name, ask in asks.items():
            start = perf_counter()
            ask(expression)
            times[name].append(perf_counter() - start)
    mine, its = (median(times[name]) for name in asks)
    print(f"{'cron, m h ' + days:24} {'cold':5} {mine * 1e6:7.1f} {its * 1e6:9.1f} ({its / mine:4.1f})   (medians)")
    return [f"cron m h {days} (cold) is slower than croniter"] if its < mine else []


def seconds(ask: Ask, instants: Iterable[datetime]) -> float:
    """Return the mean time of one question in one round."""
    asked = list(instants)
    start = perf_counter()
    for instant in asked:
        ask(instant)
    return (perf_counter() - start) / len(asked)


def askers(kind: Kind, case: str) -> dict[str, Ask | None]:
    """Return who is asked, by name; None where a library does not have the kind."""
    read = case == "read"
    return {
        "ours": ours(kind, read),
        "croniter": by_croniter(kind, read) if kind.cron else None,
        "APScheduler": by_trigger(kind.trigger, read) if kind.trigger else None,
        "dateutil": by_rule(kind.rule, read) if kind.rule else None,
    }


def ours(kind: Kind, read: bool) -> Ask:
    """Return the question to our own cadence."""
    if read:
        return lambda instant: parse_cadence(kind.document, ZONE_NAME).next_after(instant)
    return parse_cadence(kind.document, ZONE_NAME).next_after


def by_croniter(kind: Kind, read: bool) -> Ask:
    """Return the question to croniter, in local time as it wants it."""
    if read:
        return lambda instant: croniter(kind.cron, instant.astimezone(ZONE)).get_next(datetime)
    kept = croniter(kind.cron, FIRST.astimezone(ZONE))

    def ask(instant: datetime) -> datetime:
        kept.set_current(instant.astimezone(ZONE))
        return kept.get_next(datetime)

    return ask


def by_trigger(build: Callable[[], Any], read: bool) -> Ask:
    """Return the question to APScheduler."""
    if read:
        return lambda instant: build().get_next_fire_time(None, instant)
    kept = build()
    return lambda instant: kept.get_next_fire_time(None, instant)


def by_rule(fields: dict[str, Any], read: bool) -> Ask:
    """Return the question to dateutil; its rules count from a start, here the day before."""
    day = timedelta(days=1)
    if read:
        text = str(rr.rrule(dtstart=FIRST, **fields)).splitlines()[-1]
        return lambda instant: rr.rrulestr(text, dtstart=(instant - day).astimezone(ZONE)).after(instant)
    kept = rr.rrule(dtstart=(FIRST - day).astimezone(ZONE), **fields)
    return kept.after


if __name__ == "__main__":
    main()
