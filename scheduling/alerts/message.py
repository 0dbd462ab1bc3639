"""What a message says: the first line what happened to what, then each alert with since when and where to read on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop, override

from scheduling.alerts.addresses import readable_by
from scheduling.models import Alert, AlertDelivery, PersonalChoices
from scheduling.schedules.responsibility import owners_of
from scheduling.states import AlertCondition, AlertNews
from staging.models import Owned
from staging.wording import Said, counted, said_again, said_together, say

_MOST = 100  # alerts in one message; the page of alerts has the others
_LONGEST = 2000  # of a description; the page of the thing has all of it
_WORDS = {
    AlertNews.OPENED: gettext_noop("{what} ({at})"),
    AlertNews.AGAIN: gettext_noop("Again: {what} (since {at})"),
    AlertNews.REMINDER: gettext_noop("Still: {what} (since {at})"),
    AlertNews.ESCALATED: gettext_noop("Nobody answered: {what} (since {at})"),
    AlertNews.ENDED: gettext_noop("Over: {what} (until {until})"),
}
_PAGES = {
    "run": "admin:scheduling_run_change",
    "batch": "admin:staging_batch_change",
    "entity": "admin:staging_entity_change",
    "configuration": "admin:scheduling_schedulerconfiguration_change",
    "plan": "admin:scheduling_plan_change",
    "job": "admin:scheduling_jobschedule_change",
    "unscheduled": "admin:scheduling_job_change",
    "workers": "admin:scheduling_heartbeat_changelist",
}
# Of what did not run the page that says why: the page of the schedule only says that.
_WHY_NOT = {
    "configuration": "admin:scheduling_schedulerconfiguration_why_not",
    "plan": "admin:scheduling_plan_why_not",
    "job": "admin:scheduling_jobschedule_why_not",
}
_DID_NOT_RUN = (
    AlertCondition.FAILED, AlertCondition.MISSED, AlertCondition.LATE, AlertCondition.NOTHING_COMPLETED
)  # fmt: skip


@dataclass(frozen=True)
class Message:
    """The text of one message, and the same for machines."""

    subject: str
    body: str
    document: dict[str, Any]


def place_of_alert(alert: Alert) -> str:
    """Return the address of the page that explains an alert."""
    kind, _, key = alert.leads_to.partition(":")
    if kind not in _PAGES:
        return reverse("admin:scheduling_alert_changelist")
    pages = _PAGES | _WHY_NOT if alert.rule.condition in _DID_NOT_RUN else _PAGES
    return reverse(pages[kind], args=[key] if key else [])


def address_of_alert(alert: Alert) -> str:
    """Return the whole address of that page, for who reads elsewhere."""
    return f"{settings.SITE_URL}{place_of_alert(alert)}"


def sentence_of(alert: Alert) -> Said:
    """Return what an alert says, in the active language."""
    said: Said = said_again(alert.said)
    return said


def message_of(delivery: AlertDelivery) -> Message | None:
    """Return what is to be sent, as things stand now: what is over by now is told to be over.

    Times and language are those of the reader: of the person, or of the channel and the site. None when nothing is
    left that may be told.
    """
    language, zone = _chosen_by(delivery)
    with override(language), timezone.override(zone):
        if not delivery.news:
            return _test_of(delivery)
        alerts = Alert.objects.select_related("rule", "entity").in_bulk({pk for pk, _ in delivery.news})
        readable = readable_by(delivery.person, alerts.values())
        news = [(alerts[pk], _now(alerts[pk], kind)) for pk, kind in _latest(delivery.news) if pk in readable]
        if not news:
            return None
        news.sort(key=lambda told: told[1] == AlertNews.ENDED)  # a first line that says “over” would hide the others
        about = owners_of(alert for alert, _ in news[:_MOST])
        lines = [_line(alert, kind, sentence_of(alert)) for alert, kind in news]
        first = _first_line(news, lines)
        return Message(first, "\n".join(_body(news, lines, about)), _document(delivery, news, first, lines, about))


def told_by(deliveries: Iterable[AlertDelivery], reader: User) -> dict[int, str]:
    """Return by their key what these told: the first of their news and how many more there were, in his language.

    What is kept no longer is left out, and what this reader may not see; and tests, which are about nothing.
    """
    news = {one.pk: _latest(one.news) for one in deliveries if one.news}
    alerts = Alert.objects.in_bulk({each[0][0] for each in news.values()})
    readable = readable_by(reader, alerts.values())
    lines = {
        pk: _line(alerts[first], AlertNews(kind), sentence_of(alerts[first]))
        for pk, ((first, kind), *_) in news.items()
        if first in readable
    }
    return {pk: str(said_together(line, _more(len(news[pk]) - 1))) for pk, line in lines.items()}


def _more(number: int) -> str:
    return say("And {more}.", more=counted(number, "more", "more")) if number > 0 else ""


def _chosen_by(delivery: AlertDelivery) -> tuple[str, ZoneInfo]:
    """Return the language and the zone in which the reader reads pages; an address may have nobody behind it."""
    chosen = PersonalChoices.objects.filter(person=delivery.person_id).first() or PersonalChoices()
    return chosen.language or settings.LANGUAGE_CODE, ZoneInfo(chosen.timezone or delivery.channel.timezone)


def _now(alert: Alert, kind: str) -> AlertNews:
    """Return what is told of an alert by now: who hears late that it began hears that it is over."""
    return AlertNews.ENDED if alert.ended_at else AlertNews(kind)


def _latest(news: Sequence[Sequence[Any]]) -> list[tuple[int, str]]:
    """Return of each alert the last that is told of it: what began and ended is over."""
    return list({pk: (pk, kind) for pk, kind in news}.values())


def _line(alert: Alert, news: AlertNews, what: str) -> str:
    return say(_WORDS[news], what=what, at=alert.opened_at, until=alert.ended_at)


def _first_line(news: Sequence[tuple[Alert, AlertNews]], lines: Sequence[str]) -> str:
    """Return the first line; where it is too long, the middle of its sentence is left out, never what and when."""
    more = _more(len(lines) - 1)
    line = str(said_together(lines[0], more))
    if (excess := len(line) - AlertDelivery.FIRST_LINE) <= 0:
        return line
    what = sentence_of(news[0][0])
    kept = max(len(what) - excess - 1, 0)
    short = f"{what[: kept - kept // 2]}…{what[len(what) - kept // 2 :]}"
    return str(said_together(_line(*news[0], short), more))[: AlertDelivery.FIRST_LINE]


def _body(news: Sequence[tuple[Alert, AlertNews]], lines: Sequence[str], about: Mapping[int, Owned]) -> Iterator[str]:
    for (alert, _), line in list(zip(news, lines, strict=True))[:_MOST]:
        yield line
        since = say("Since {at}.", at=alert.opened_at)
        yield f"  {since}{_until(alert)}{_desk(alert)}"
        owner, description = _about(alert, about)
        if owner:
            yield "  " + say("Responsible: {owner}", owner=owner)
        yield from (f"  {words}" for words in description.splitlines())
        yield f"  {address_of_alert(alert)}"
        yield ""
    if rest := _more(len(lines) - _MOST):
        yield rest
    address = settings.SITE_URL + reverse("admin:scheduling_alert_changelist")
    yield say("What is wrong now: {address}", address=address)


def _about(alert: Alert, about: Mapping[int, Owned]) -> tuple[str, str]:
    """Return who is responsible for what an alert is about, and what people wrote about it, links and all."""
    thing: Any = about.get(alert.pk)
    return (thing.responsible, thing.description[:_LONGEST]) if thing is not None else ("", "")


def _until(alert: Alert) -> str:
    return " " + say("Over since {at}.", at=alert.ended_at) if alert.ended_at else ""


def _desk(alert: Alert) -> str:
    if not alert.acknowledged_by:
        return ""
    if not alert.comment:
        return " " + say("{person} looks after it.", person=alert.acknowledged_by)
    return " " + say("{person} looks after it: {comment}", person=alert.acknowledged_by, comment=alert.comment)


def _test_of(delivery: AlertDelivery) -> Message:
    text = say("This is a test of the alert channel {channel}. Nothing is wrong.", channel=delivery.channel.name)
    return Message(
        text, f"{text}\n\n{settings.SITE_URL}", {**_head(delivery, text), "test": True, "alerts": [], "more": 0}
    )


def _head(delivery: AlertDelivery, text: str) -> dict[str, Any]:
    return {"id": str(delivery.pk), "created_at": _instant(delivery.created_at), "text": text}


def _document(
    delivery: AlertDelivery, news: Sequence[tuple[Alert, AlertNews]], text: str, lines: Sequence[str],
    about: Mapping[int, Owned],
) -> dict[str, Any]:  # fmt: skip
    told = [
        {
            "id": alert.pk,
            "news": kind.value,
            "rule": alert.rule.name,
            "condition": alert.rule.condition,
            "subject": alert.subject,
            "entity": alert.entity.code if alert.entity else None,
            "text": line,
            "opened_at": _instant(alert.opened_at),
            "ended_at": _instant(alert.ended_at),
            "acknowledged_by": alert.acknowledged_by or None,
            "comment": alert.comment or None,
            "responsible": owner or None,
            "description": description or None,
            "url": address_of_alert(alert),
        }
        for (alert, kind), line in list(zip(news, lines, strict=True))[:_MOST]
        for owner, description in [_about(alert, about)]
    ]
    return {**_head(delivery, text), "test": False, "alerts": told, "more": len(news) - len(told)}


def _instant(at: datetime | None) -> str | None:
    return at.isoformat().replace("+00:00", "Z") if at else None
