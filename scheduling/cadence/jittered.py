"""Moves each fire a little later, always the same way, so that a hundred jobs of 02:00 do not start at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from scheduling.cadence.base import Cadence
from scheduling.cadence.sentences import length_in_words
from staging.phrases import Phrase, phrase

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, kw_only=True)
class Jittered(Cadence):
    """Fires each slot of `cadence` up to `seconds` whole seconds late, by a hash of `seed` and the slot.

    - The same seed and slot give the same second on every host, at every time, in every process.
    - A slot stays before the one that follows it: the order never changes, and no two slots fall together.
    """

    cadence: Cadence
    seed: str
    seconds: int

    def rhythm(self) -> Phrase:
        """Return "Every day at 02:00, up to 5 minutes later"."""
        length = length_in_words(self.seconds)
        return phrase("{rhythm}, up to {length} later", rhythm=self.cadence.rhythm(), length=length)

    def _next(self, instant: datetime) -> datetime | None:
        slot = self.cadence.previous_before(instant + _TICK)  # its own fire may still be to come
        if slot is not None and (fire := self._fire(slot)) > instant:
            return fire
        slot = self.cadence.next_after(instant)
        return self._fire(slot) if slot is not None else None

    def _previous(self, instant: datetime) -> datetime | None:
        slot = self.cadence.previous_before(instant)
        if slot is None or (fire := self._fire(slot)) < instant:
            return None if slot is None else fire
        slot = self.cadence.previous_before(slot)
        return self._fire(slot) if slot is not None else None

    def _fire(self, slot: datetime) -> datetime:
        most, following = self.seconds, self.cadence.next_after(slot)
        if following is not None:
            most = min(most, int((following - slot).total_seconds()) - 1)
        if most <= 0:
            return slot
        name = f"{self.seed}|{slot.astimezone(UTC).isoformat()}".encode()
        return slot + timedelta(seconds=int.from_bytes(hashlib.sha256(name).digest()[:8]) % (most + 1))
