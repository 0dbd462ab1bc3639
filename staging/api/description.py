"""The description of the API and its page: `schema/` for programs, `docs/` for people who are signed in."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.contrib.auth.mixins import LoginRequiredMixin
from django.views.generic import TemplateView
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from rest_framework.renderers import JSONRenderer

from staging.api.kit.doors import Answer, door
from staging.api.kit.parameters import Parameter
from staging.api.kit.resource import Resource
from staging.states import Scope

_FORMAT = Parameter("format", "text", "json, or yaml as Accept: application/yaml asks for.", "json", ("json", "yaml"))


_DESCRIBED = Answer(
    {"type": "object"},
    meaning="OpenAPI 3.1, as JSON unless YAML is asked for.",
    media_types=("application/json", "application/yaml"),
)


class _YamlRenderer(OpenApiYamlRenderer):
    """The same document as YAML."""

    media_type = "application/yaml"
    format = "yaml"


class Description(Resource):
    """The description of every address."""

    renderer_classes = [JSONRenderer, _YamlRenderer]

    @door(
        Scope.READ,
        summary="The description of this API",
        query=(_FORMAT,),
        answers={200: _DESCRIBED},
        problems=(404,),
    )
    def get(self) -> Any:
        """Return the description."""
        if self.query["format"] == "yaml":
            self.request.accepted_renderer = _YamlRenderer()
            self.request.accepted_media_type = _YamlRenderer.media_type
        return description()


@cache
def description() -> dict[str, Any]:
    """Return the description of all addresses; made once in a process."""
    return dict(SchemaGenerator().get_schema(request=None, public=True))


class DocsPage(LoginRequiredMixin, TemplateView):
    """The description for people who are signed in; what they try there is done by their session."""

    template_name = "api/docs.html"
