"""Describes the API (OpenAPI 3.1) from what its doors declare: what is checked and what is told are one thing.

It is one document, in English, for programs and whoever writes them; only what a request is told follows its language.
"""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from drf_spectacular.openapi import AutoSchema

from staging.api.kit import problems
from staging.api.kit.doors import Answer, Body, Door, door_of
from staging.versions.doers import LONGEST_REASON
from staging.versions.reasons import HEADER

_NEEDS = "Scope `{scope}`; permissions: {rights}. {more}"
_ALWAYS = (400, 401, 403, 406, 429, 500, 503)
_IN_ADDRESS = {
    "code": ({"type": "string"}, "The code of an entity.", "branch"),
    "name": ({"type": "string"}, "The name, as it is; escape it for an address.", "Nightly"),
    "id": ({"type": "integer", "minimum": 1}, "The number.", 1),
}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "Makes a repeated request harmless: the same key answers the first answer for 24 hours.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
_REASON = {
    "name": HEADER,
    "in": "header",
    "description": "Why you change this, in UTF-8; it stands in the history. CHANGE_REASON_REQUIRED insists on it.",
    "schema": {"type": "string", "maxLength": LONGEST_REASON},
}
_IF_MATCH = {
    "name": "If-Match",
    "in": "header",
    "required": True,
    "description": "The ETag that you read, or * for whatever is there now.",
    "schema": {"type": "string"},
}
_IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The ETag that you have: 304 when nothing changed.",
    "schema": {"type": "string"},
}
_HEADERS = {
    401: {"WWW-Authenticate": "How to sign in."},
    412: {"ETag": "What it is now."},
    429: {"Retry-After": "Seconds until the next request is taken."},
    503: {"Retry-After": "Seconds after which to try again."},
}
PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "errors"],
    "additionalProperties": False,
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["path", "code", "text"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "description": "The place in the document sent; empty: all of it."},
                    "code": {"type": "string", "enum": ["required", "unknown", "invalid"]},
                    "text": {"type": "string"},
                },
            },
        },
    },
}


class DoorSchema(AutoSchema):
    """Describes one method of one address from its door."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any
    ) -> dict[str, Any] | None:
        """Return the operation; None for what is no door."""
        declared = door_of(self.view, method)
        if declared is None:
            return None
        return {
            "operationId": _operation_id(method, path),
            "summary": declared.summary,
            "description": _description(declared),
            "tags": [path.split("/")[3]],
            "parameters": _parameters(declared, path, method),
            **_request_body(declared),
            "responses": _responses(declared, path, method),
            "security": [{"token": []}, {"session": []}],
        }


def add_shared(result: dict[str, Any], generator: Any, **_: Any) -> dict[str, Any]:
    """Add what all operations refer to: the problems, and the two ways to sign in."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
    components["responses"] = {f"Problem{status}": _problem(status) for status in problems.TITLES}
    components["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer", "description": "A token of `create_token` or of the admin."},
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "Signed in to the pages.",
        },
    }
    return result


def _description(declared: Door) -> str:
    rights = ", ".join(f"`{one}`" for one in declared.needs) or "none"
    return _NEEDS.format(scope=declared.scope.value, rights=rights, more=declared.other_parameters).strip()


def _operation_id(method: str, path: str) -> str:
    words = re.sub(r"[^a-z0-9]+", " ", path.removeprefix("/api/v1/").replace("{", "").lower()).split()
    return "_".join([method.lower(), *words])


def _parameters(declared: Door, path: str, method: str) -> list[dict[str, Any]]:
    found = []
    for name in re.findall(r"{(\w+)}", path):
        schema, meaning, example = _IN_ADDRESS[name]
        found.append(
            {"name": name, "in": "path", "required": True, "description": meaning, "schema": schema, "example": example}
        )
    found += [each.schema() for each in declared.query]
    if declared.keyed:
        found.append(_KEY)
    if declared.changes_definitions(method):
        found.append(_REASON)
    if declared.conditional:
        found.append(_IF_NONE_MATCH if method == "GET" else _IF_MATCH | {"required": not declared.match_is_free})
    return found


def _request_body(declared: Door) -> dict[str, Any]:
    body = declared.body
    if body is None:
        return {}
    if isinstance(body, Body):
        content = {"application/json": _content(body.schema(), body.example)}
        return {"requestBody": {"required": bool(body.required), "content": content}}
    return {
        "requestBody": {
            "required": True,
            "content": {kind: _content(schema, example) for kind, (schema, example) in body.types.items()},
        }
    }


def _content(schema: dict[str, Any] | None, example: Any) -> dict[str, Any]:
    return {"schema": schema or {}} | ({} if example is None else {"example": example})


def _responses(declared: Door, path: str, method: str) -> dict[str, Any]:
    statuses = {*_ALWAYS, *declared.problems}
    statuses |= {404} if "{" in path else set()
    statuses |= {413, 415} if method != "GET" else set()
    statuses |= {409, 422} if declared.keyed else set()
    if declared.conditional and method != "GET":
        statuses |= {412} if declared.match_is_free else {412, 428}
    found = {str(status): _answer(answer, declared) for status, answer in declared.answers.items()}
    if declared.conditional and method == "GET":
        found["304"] = {"description": "Nothing changed since that ETag."}
    refused = {str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in sorted(statuses)}
    return dict(sorted((refused | found).items()))


def _answer(answer: Answer, declared: Door) -> dict[str, Any]:
    headers = dict(answer.headers)
    if declared.keyed:
        headers["Idempotency-Replayed"] = "`true` when this is the first answer to the key again."
    if declared.conditional:
        headers["ETag"] = "For If-Match and If-None-Match."
    found: dict[str, Any] = {"description": answer.meaning}
    if answer.schema is not None or answer.example is not None:
        found["content"] = {each: _content(answer.schema, answer.example) for each in answer.media_types}
    return found | ({"headers": _described(headers)} if headers else {})


def _problem(status: int) -> dict[str, Any]:
    told = {"description": problems.TITLES[status][1] + "."}
    schema = {"$ref": "#/components/schemas/Problem"}
    content = {problems.MEDIA_TYPE: {"schema": schema}}
    headers = _HEADERS.get(status, {})
    return {**told, "content": content} | ({"headers": _described(headers)} if headers else {})


def _described(headers: dict[str, str]) -> dict[str, Any]:
    return {name: {"description": text, "schema": {"type": "string"}} for name, text in headers.items()}
