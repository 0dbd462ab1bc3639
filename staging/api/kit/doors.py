"""What an address declares of each method: who may, what comes in, what goes out; checked and described from here.

class Thing(Resource):
    @door(Scope.READ, "app.view_thing", summary="Read a thing", answers={200: answer(SHAPE, {...})})
    def get(self, code: str) -> Any:
        return {...}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from staging.api.kit.parameters import Parameter
from staging.model_files.shape import (
    LIST,
    MAPPING,
    NUMBER,
    SCALAR,
    SCALARS,
    TEXT,
    TEXT_OR_LIST,
    TEXT_OR_SCALARS,
    WHOLE,
    YES_NO,
)
from staging.states import Scope

_View = TypeVar("_View", bound=Callable[..., Any])

_SCALAR: dict[str, Any] = {"type": ["string", "number"]}
_TYPES: dict[str, dict[str, Any]] = {
    TEXT: {"type": "string"},
    WHOLE: {"type": "integer"},
    NUMBER: {"type": "number"},
    YES_NO: {"type": "boolean"},
    SCALAR: _SCALAR,
    SCALARS: {"type": "array", "items": _SCALAR},
    TEXT_OR_LIST: {"type": ["string", "array"]},
    TEXT_OR_SCALARS: {"type": ["string", "array"], "items": _SCALAR},
    LIST: {"type": "array"},
    MAPPING: {"type": "object"},
}


@dataclass(frozen=True)
class Body:
    """A JSON body: its keys with their kinds (those of model files), which have to be there, and an example.

    `parts` describes keys more closely than their kind. Without any required key the body may be left out. What is not
    `checked` reaches the method as it came, for the rules of a model file to judge.
    """

    kinds: Mapping[str, str]
    required: Sequence[str] = ()
    example: Any = None
    parts: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    checked: bool = True

    def schema(self) -> dict[str, Any]:
        """Return the body as OpenAPI describes it; a key without a value counts as left out."""
        properties = {
            key: self.parts.get(key) or (_TYPES[kind] if key in self.required else _or_null(_TYPES[kind]))
            for key, kind in self.kinds.items()
        }
        needed = {"required": list(self.required)} if self.required else {}
        return {"type": "object", "properties": properties, "additionalProperties": False} | needed


@dataclass(frozen=True)
class RawBody:
    """A body that its address reads itself, as it comes: each media type with its schema and an example."""

    types: Mapping[str, tuple[dict[str, Any], Any]]


@dataclass(frozen=True)
class Answer:
    """One answer of a method: its schema, an example, a sentence, and what its headers mean."""

    schema: dict[str, Any] | None
    example: Any = None
    meaning: str = "Done."
    headers: Mapping[str, str] = field(default_factory=dict)
    media_types: Sequence[str] = ("application/json",)


TOGETHER, APART = "together", "apart"


@dataclass(frozen=True)
class Door:
    """One method of one address. `keyed`: how a request with an Idempotency-Key is kept from happening twice.

    TOGETHER: the answer is stored in the transaction of what was done, which has to be short. APART: what is done
    commits in pieces, and the answer when it ends. `conditional`: it goes by ETags; with `match_is_free` a change may
    come without one.
    """

    scope: Scope
    needs: Sequence[str]
    summary: str
    query: Sequence[Parameter] = ()
    other_parameters: str = ""
    body: Body | RawBody | None = None
    answers: Mapping[int, Answer] = field(default_factory=dict)
    problems: Sequence[int] = ()
    keyed: str = ""
    conditional: bool = False
    match_is_free: bool = False

    def changes_definitions(self, method: str) -> bool:
        """Return whether this method changes what is defined, and so takes the reason for it."""
        return self.scope == Scope.CONFIGURE and method not in ("GET", "HEAD")


def answer(schema: dict[str, Any] | None, example: Any = None, meaning: str = "Done.", **headers: str) -> Answer:
    """Return an answer; a header's underscores are its hyphens."""
    return Answer(schema, example, meaning, {name.replace("_", "-"): text for name, text in headers.items()})


def door(scope: Scope, *needs: str, summary: str, **declared: Any) -> Callable[[_View], _View]:
    """Open a method of a resource to callers with this scope and all of these permissions, declared as `Door` says.

    The method gets what stands in its address; `self.query`, `self.body`, `self.caller` and `self.entity` have the
    rest. It returns a document, a document and a status, or a response.
    """

    def guarded(view: _View) -> _View:
        @wraps(view)
        def opened(resource: Any, request: Any, *args: Any, **named: Any) -> Any:
            return resource.enter(declaration, lambda: view(resource, *args, **named))

        declaration = Door(scope, needs, summary, **declared)
        opened.door = declaration  # type: ignore[attr-defined]
        return opened  # type: ignore[return-value]

    return guarded


def door_of(view: Any, method: str) -> Door | None:
    """Return what a view, or its class, declares of a method; HEAD is GET without a body."""
    handler = getattr(view, "get" if method == "HEAD" else method.lower(), None)
    return getattr(handler, "door", None)


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": [*kinds, "null"]}
