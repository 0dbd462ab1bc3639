"""The whole model as one document: read as `dump_model` writes it, and loaded as `load_model` does."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from django.db import transaction

from scheduling.api.base import SchedulingResource
from scheduling.model_files.dump import dump
from scheduling.model_files.load import Loaded, load
from scheduling.model_files.sections import FILE_KINDS
from scheduling.models import BlackoutCalendar, Plan, Queue, SqlScript
from staging.api.kit.doors import Answer, Body, door
from staging.api.kit.history import note_change
from staging.api.kit.parameters import Parameter
from staging.api.kit.preconditions import conditional, insist_unchanged
from staging.api.kit.problems import invalid
from staging.errors import InvalidDefinition
from staging.models import Entity
from staging.states import Scope
from staging.tables.columns import one_at_a_time, told_when_in_use
from staging.wording import say

_READS = ("staging.view_entity", "scheduling.view_schedulerconfiguration", "scheduling.view_plan",
          "scheduling.view_queue", "scheduling.view_blackoutcalendar", "scheduling.view_sqlscript")  # fmt: skip
_MODELS = ("staging.{}_entity", "staging.{}_businessrule", "scheduling.{}_schedulerconfiguration", "scheduling.{}_plan",
           "scheduling.{}_queue", "scheduling.{}_blackoutcalendar", "scheduling.{}_sqlscript")  # fmt: skip
_DEFINES = (*(each.format(verb) for each in _MODELS for verb in ("add", "change")), "scheduling.run_sqlscript")
_EXAMPLE = {"version": 1, "release": "2026.11", "entities": [{"code": "depot", "name": "Depot"}]}
_BODY = Body(FILE_KINDS, ("version",), _EXAMPLE, checked=False)
_LINES = {"type": "array", "items": {"type": "string"}}
_LOADED = {
    "type": "object",
    "required": ["release", "dry_run", "created", "changed", "unchanged", "changes"],
    "properties": {
        "release": {"type": "string"},
        "dry_run": {"type": "boolean"},
        "created": _LINES,
        "changed": _LINES,
        "unchanged": _LINES,
        "changes": {"type": "object"},
    },
}
_LOADED_EXAMPLE = {
    "release": "2026.11",
    "dry_run": False,
    "created": ["depot"],
    "changed": [],
    "unchanged": [],
    "changes": {},
}
_NAMED: dict[str, Any] = {"calendar": BlackoutCalendar, "queue": Queue, "script": SqlScript, "plan": Plan}


class Model(SchedulingResource):
    """Everything that is defined here, for moving it to another installation."""

    @door(
        Scope.READ,
        *_READS,
        summary="Read everything that is defined, as a model file",
        answers={200: Answer(_BODY.schema(), _EXAMPLE, "The model file; loading it again changes nothing.")},
        conditional=True,
    )
    def get(self) -> Any:
        """Return it."""
        self.caller.insist_on_all(say("The model"))
        document = _dumped()
        self.takes_away(say("The model"))
        return conditional(self.request, document)

    @door(
        Scope.CONFIGURE,
        *_DEFINES,
        summary="Load a model file; nothing is ever deleted",
        query=(Parameter("dry_run", "flag", "1 only says what would change.", usual=False),),
        body=_BODY,
        answers={200: Answer(_LOADED, _LOADED_EXAMPLE, "What was done, or would be.")},
        problems=(409,),
        conditional=True,
        match_is_free=True,
    )
    def put(self) -> Any:
        """Check everything, then store all of it or nothing; with If-Match only on what the caller has read."""
        self.caller.insist_on_all(say("The model"))
        try:
            with told_when_in_use(), transaction.atomic():
                if "If-Match" in self.request.headers:
                    one_at_a_time()
                    insist_unchanged(self.request, _dumped(), is_free=True)
                loaded = load(self.body, dry_run=self.query["dry_run"], now=self.now)
                if not loaded.dry_run:
                    self._note(loaded)
        except InvalidDefinition as error:
            texts = {"" if path == "file" else path: each for path, each in error.errors.items()}
            raise invalid(texts) from None
        return _plain(loaded.as_json())

    def _note(self, loaded: Loaded) -> None:
        """Write into the history of everything what was changed of it."""
        news = {**dict.fromkeys(loaded.created), **loaded.changes}
        of: dict[tuple[Any, str], dict[str, Any]] = {}
        for what in news:
            kind, _, name = what.partition(" ")
            if kind in _NAMED:
                of.setdefault((_NAMED[kind], name), {})[what] = news[what]
            else:
                of.setdefault((Entity, kind.partition(".")[0]), {})[what] = news[what]
        for (model, name), changes in of.items():
            column = "code" if model is Entity else "name"
            thing = model.objects.get(**{column: name})
            is_new = f"{thing.code}" in loaded.created if model is Entity else None in changes.values()
            note_change(self.caller, thing, None if is_new else changes)


def _dumped() -> dict[str, Any]:
    """Return the model as JSON has it, with which an ETag is made."""
    document: dict[str, Any] = _plain(dump())
    return document


def _plain(document: Any) -> Any:
    return json.loads(json.dumps(document, default=_exact))


def _exact(value: Any) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)
