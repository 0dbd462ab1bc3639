"""The callers of tests of the API."""

from tests.staging.api.conftest import api, person

__all__ = ["api", "person"]
