"""Promise: a visitor is told apart by what the proxies of the installation saw, and never by what it says of itself."""

import pytest
from django.http import HttpRequest, HttpResponse

from scheduler_project.proxies import ProxyMiddleware


@pytest.mark.parametrize(
    ("proxies", "told", "expected"),
    [
        (0, "1.2.3.4", "10.0.0.1"),
        (1, "1.2.3.4", "1.2.3.4"),
        (1, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        (2, "6.6.6.6, 1.2.3.4, 10.0.0.7", "1.2.3.4"),
        (2, "1.2.3.4", "10.0.0.1"),
        (1, "2001:db8::1", "2001:db8::1"),
        (1, "", "10.0.0.1"),
        (1, "unknown", "10.0.0.1"),
        (1, "1.2.3.4\nforged", "10.0.0.1"),
    ],
)
def test_the_address_is_what_the_outermost_proxy_saw(settings, proxies: int, told: str, expected: str) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = HttpRequest()
    request.META |= {"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": told}
    seen = []
    ProxyMiddleware(lambda asked: seen.append(asked.META["REMOTE_ADDR"]) or HttpResponse())(request)
    assert seen == [expected]
