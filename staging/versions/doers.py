"""Who is at work, through which door and why, for as long as a request, a command or the load of a file lasts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from staging.states import DoorKind
from staging.wording import storable

_LONGEST = 200
LONGEST_REASON = 500


@dataclass(frozen=True)
class Author:
    """Who changes something.

    `detail` tells the door more closely: the file's release, the token, the command. `token`: by which a file was sent.
    """

    name: str = ""
    door: DoorKind = DoorKind.CODE
    detail: str = ""
    reason: str = ""
    token: str = ""

    def columns(self) -> dict[str, str]:
        """Return the columns of a version that say it, cut to what they hold."""
        return {
            "made_by": storable(self.name, _LONGEST),
            "door": self.door,
            "detail": storable(self.detail, _LONGEST),
            "token": storable(self.token, _LONGEST),
            "reason": storable(self.reason.strip(), LONGEST_REASON),
        }


# A request says it when it is asked: who is signed in costs a statement, which pages that change nothing do without.
DOING: ContextVar[Callable[[], Author]] = ContextVar("doing", default=Author)
_fixed: ContextVar[bool] = ContextVar("fixed", default=False)


def doer() -> Author:
    """Return who is at work now; nobody in particular where code calls a verb by itself."""
    return DOING.get()()


@contextmanager
def done_by(who: Callable[[], Author], *, fixed: bool = False) -> Iterator[None]:
    """Say who is at work for a while; with `fixed` what happens meanwhile, such as the load of a file, keeps to it."""
    if _fixed.get():
        yield
        return
    tokens = DOING.set(who), _fixed.set(fixed)
    try:
        yield
    finally:
        DOING.reset(tokens[0])
        _fixed.reset(tokens[1])


@contextmanager
def through(
    door: DoorKind, *, name: str = "", detail: str = "", reason: str = "", fixed: bool = False
) -> Iterator[None]:
    """Let what is done inside come through this door; who does it, by which token and why, stays unless it is named."""
    outer = DOING.get()

    def inner() -> Author:
        known = outer()
        token = known.detail if known.door == DoorKind.API else known.token
        return Author(name or known.name, door, detail, reason or known.reason, token)

    with done_by(inner, fixed=fixed):
        yield
