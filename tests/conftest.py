"""What every test shares: which services it needs, and the rule that continuous integration never skips for one."""

import os
import shutil

import pytest
from django.conf import settings

IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")


def _has_postgresql() -> bool:
    """Return whether the suite runs on PostgreSQL."""
    return settings.DATABASES["default"]["ENGINE"].endswith("postgresql")


def _has_redis() -> bool:
    """Return whether a Redis broker is named."""
    return settings.CELERY_BROKER_URL.startswith("redis")


def chromium() -> str | None:
    """Return the path of this machine's Chromium, or None."""
    return next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )


# For each marker: whether what it needs is here, and how to get it.
NEEDS = {
    "postgresql": (_has_postgresql, "DATABASE_URL must name a PostgreSQL database (make test-services sets it)"),
    "services": (
        lambda: _has_postgresql() and _has_redis(),
        "DATABASE_URL must name PostgreSQL and CELERY_BROKER_URL Redis (make test-services sets both)",
    ),
    "browser": (lambda: chromium() is not None, "Chromium is not on this machine (apt install chromium)"),
}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose service is missing, with the reason; in continuous integration fail it."""
    for marker, (is_here, mend) in NEEDS.items():
        if item.get_closest_marker(marker) is None or is_here():
            continue
        if IN_CI:
            pytest.fail(f"this test needs a service: {mend}", pytrace=False)
        pytest.skip(mend)
