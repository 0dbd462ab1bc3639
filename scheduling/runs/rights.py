"""Who may start what: a run needs the right for each kind of work in it, however deep in its plans it was found."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol

from scheduling.dag.manifest import ManifestTask
from scheduling.errors import NotAllowed
from scheduling.states import RunKind

# What starting work of a kind needs, and how it is told. Functions declared with @task are started by code only.
_NEEDED = {
    RunKind.BATCH: ("scheduling.process_batch", "process an entity"),
    RunKind.JOB: ("scheduling.run_job", "run a job"),
    RunKind.SCRIPT: ("scheduling.run_sqlscript", "run a SQL script"),
}
_NAMED = 3


class Person(Protocol):
    """Somebody with permissions: a user."""

    def has_perm(self, perm: str) -> bool:
        """Return whether the person has this permission."""


def refuse_without_right(manifest: Iterable[ManifestTask], person: Person | None) -> None:
    """Raise NotAllowed when the person lacks the right for something in it. Nobody is the machine itself: it may all.

    The scheduler is refused nothing: what a schedule may start was checked when somebody saved it.
    """
    if person is None:
        return
    by_kind: dict[str, list[str]] = {}
    for item in manifest:
        by_kind.setdefault(item.workload, []).append(item.key)
    for kind, (permission, words) in _NEEDED.items():
        if kind in by_kind and not person.has_perm(permission):
            raise NotAllowed(f"It needs the right to {words}, which you do not have: {_few(by_kind[kind])}.")


def _few(keys: Collection[str]) -> str:
    """Return the first of the names."""
    shown = sorted(keys)[:_NAMED]
    return ", ".join(shown) + (f" and {len(keys) - len(shown)} more" if len(keys) > len(shown) else "")
