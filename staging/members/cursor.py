"""How far somebody has come in a feed of changes, as a text that means nothing to them."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from dataclasses import asdict, dataclass
from hashlib import sha256

from staging.errors import StagingError
from staging.models import Attribute, Entity
from staging.wording import say

_MOST = 2**63 - 1
# The parts of a change set: what became free, what holds since; then it is told.
FREED, TAKEN, TOLD = 0, 1, 2


class BadCursor(StagingError):
    """A text is no cursor of this entity's feed."""


class FeedRestarted(StagingError):
    """What comes after a cursor is not all there any more: whoever follows the feed has to start again."""


@dataclass(frozen=True)
class FeedCursor:
    """A place in the feed of one entity.

    `n` is the change set, `p` its part (codes that became free come before those that were taken), `i` the row of the
    history; all before it was told. `m` is, while those members are told that were there before the first change, the
    last of them. `a` and `s` say which attributes there were: a consumer that knows them by other names or types
    has to start again, attributes that came since are no matter.
    """

    e: int
    n: int
    p: int = 0
    i: int = 0
    m: int | None = None
    a: int = 0
    s: str = ""

    def __str__(self) -> str:
        return urlsafe_b64encode(json.dumps(list(asdict(self).values())).encode()).decode().rstrip("=")


def read_cursor(entity: Entity, text: str) -> FeedCursor:
    """Return the place that a text means; raises BadCursor, or FeedRestarted when attributes changed since."""
    try:
        found = FeedCursor(*json.loads(urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))))
    except (ValueError, TypeError, Error, RecursionError):
        raise BadCursor(say("This is no cursor of the feed; take it from `next` as it is.")) from None
    numbers = (found.e, found.n, found.p, found.i, found.a, 0 if found.m is None else found.m)
    if any(type(number) is not int or not 0 <= number <= _MOST for number in numbers) or found.e != entity.pk:
        raise BadCursor(
            say("This is no cursor of the feed of {entity}; take it from `next` as it is.", entity=entity.name)
        )
    if found.s != shape(entity, found.a):
        raise FeedRestarted(
            say(
                "An attribute of {entity} was renamed, retired, brought back or got another type since. Start again"
                " without a cursor.",
                entity=entity.name,
            )
        )
    return found


def start(entity: Entity, number: int, *, whole: bool) -> FeedCursor:
    """Return the place before everything; `whole`: there was no member before the first change."""
    newest = Attribute.objects.filter(entity=entity).order_by("-pk").values_list("pk", flat=True).first() or 0
    return FeedCursor(entity.pk, number, TOLD, m=None if whole else 0, a=newest, s=shape(entity, newest))


def shape(entity: Entity, newest: int) -> str:
    """Return a short digest of the attributes in use up to one, by which values are known."""
    found = Attribute.objects.filter(entity=entity, pk__lte=newest, is_cancelled=False).order_by("pk")
    return sha256(repr(list(found.values_list("pk", "name", "data_type", "reference"))).encode()).hexdigest()[:12]
