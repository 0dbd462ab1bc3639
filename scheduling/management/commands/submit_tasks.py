"""`submit_tasks`: hand over ordered work as one run."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from typing import Any

from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.dag.manifest import ManifestTask
from scheduling.errors import InvalidManifest
from scheduling.management import base
from scheduling.runs.by_hand import run_document
from scheduling.runs.execute import work_off_run
from scheduling.runs.ordered import append, batch, call, script, submit
from scheduling.states import RunStatus
from staging.wording import say

_KINDS: dict[str, Callable[..., ManifestTask]] = {"call": call, "entity": batch, "script": script}


class Command(base.Command):
    """Read one task a line and start them in their orders as one run, or append them to one."""

    help = gettext_noop("Start tasks in order as one run: JSON lines on standard input.")

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the queue, the title, and what else holds for all tasks."""
        parser.add_argument("--queue", default="default", help=say("The queue of the tasks."))
        parser.add_argument("--title", default=say("Ordered work"), help=say("What people see."))
        parser.add_argument("--continue-on-failure", action="store_true", help=say("Start later orders even so."))
        parser.add_argument("--append", type=int, metavar="RUN", help=say("Add to this run instead of starting one."))
        parser.add_argument("--inline", action="store_true", help=say("Run in this process and wait for the end."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Start the run, or append to one; with --inline also execute it."""
        try:
            pairs = list(_read(sys.stdin))
        except UnicodeDecodeError:
            raise InvalidManifest(say("Standard input is not UTF-8 text.")) from None
        tolerant = options["continue_on_failure"]
        if options["append"] is not None:
            run = base.find_run(options["append"])
            append(run, pairs, continue_on_failure=tolerant, now=clock.now())
        else:
            run = submit(
                pairs,
                queue=options["queue"],
                title=options["title"],
                submitted_by="command",
                continue_on_failure=tolerant,
                now=clock.now(),
            )
        failed = options["inline"] and work_off_run(run) != RunStatus.COMPLETED
        return run_document(run), base.EXIT_FAILED if failed else 0

    def text(self, document: dict[str, Any]) -> str:
        """Return one line a task."""
        return base.run_text(document)


def _read(lines: Iterable[str]) -> Iterable[tuple[int, ManifestTask]]:
    """Yield order and task of each line that is not empty. Raises InvalidManifest naming the line."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield _pair(json.loads(line))
            except (ValueError, RecursionError, InvalidManifest) as error:
                raise InvalidManifest(say("Line {number}: {error}", number=number, error=error)) from None


def _pair(told: Any) -> tuple[int, ManifestTask]:
    """Return order and task of one line. Raises ValueError and InvalidManifest."""
    kinds = [kind for kind in _KINDS if isinstance(told, dict) and kind in told]
    if len(kinds) != 1 or not isinstance(told.get("arguments", {}), dict) or not isinstance(told[kinds[0]], str):
        raise ValueError(
            say('write {{"order": 10, "call": "name", "arguments": {{}}}}, or "entity" or "script" for "call".')
        )
    if unknown := sorted(told.keys() - {"order", kinds[0], "arguments"}):
        raise ValueError(
            say("{key}: There is no such key; a task has order, {kind} and arguments.", key=unknown[0], kind=kinds[0])
        )
    try:
        return told.get("order"), _KINDS[kinds[0]](told[kinds[0]], **told.get("arguments", {}))
    except TypeError:
        raise ValueError(say("{name} does not take these arguments.", name=told[kinds[0]])) from None
