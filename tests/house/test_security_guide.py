"""The security guide tells what is so: kinds and sizes of files, limits of other services, accounts, places of logs."""

import re

import pytest
from django.conf import settings

from scheduling.alerts import outbox, transports
from scheduling.models import AttemptLog, SchedulerLog
from scheduling.schedules import holidays
from staging.model_files import read
from staging.models import Handling
from staging.uploads import kept
from staging.uploads.reading.formats import FileKind
from tests.house.source import ROOT

GUIDE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
NUMBERS = {10: "ten", 12: "twelve"}


def section(text: str, name: str) -> str:
    """Return a section of a guide."""
    return text.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]


def test_the_guide_names_every_kind_of_file_and_its_bounds():
    files = section(GUIDE, "Files")
    assert all(str(kind.label) in files for kind in FileKind)
    bounds = [name for name in dir(settings) if re.match(r"(UPLOAD|API)_MAX_", name)]
    assert len(bounds) >= 6 and not [name for name in bounds if f"`{name}`" not in files]
    assert f"| {holidays.MAX_BYTES // 1_000_000} MB |" in files and f"| {read.MAX_BYTES // 1_000_000} MB |" in files
    assert f"Of each person {NUMBERS[kept.MOST_KEPT]} uploaded files" in files


def test_the_guide_names_how_long_each_service_is_waited_for():
    services = section(GUIDE, "Other services")
    for name in ("DB_LOCK_TIMEOUT_MS", "DB_STATEMENT_TIMEOUT_MS", "DB_IDLE_TIMEOUT_MS"):
        assert f"`{name}`" in services
    redis = settings.CELERY_BROKER_TRANSPORT_OPTIONS
    told = f"connecting {redis['socket_connect_timeout']} s, an answer {redis['socket_timeout']} s, one more try"
    assert told in services and settings.CELERY_TASK_PUBLISH_RETRY_POLICY["max_retries"] == 1


def test_the_guide_names_how_long_alerts_wait_for_whom_they_tell():
    assert settings.EMAIL_TIMEOUT == transports.SECONDS
    told = f"an answer {transports.SECONDS:.0f} s, all of it {transports.LIMIT:.0f} s"
    rows = [line for line in section(GUIDE, "Other services").splitlines() if told in line]
    assert [name for row in rows for name in ("mail server", "webhooks", "watchman") if name in row] == [
        "mail server", "webhooks", "watchman",
    ]  # fmt: skip
    assert f"{NUMBERS[outbox.ATTEMPTS]} times" in rows[0]


@pytest.mark.postgresql
def test_postgresql_is_waited_for_as_the_guide_says():
    options = settings.DATABASES["default"]["OPTIONS"]
    assert f"connecting {options['connect_timeout']} s" in section(GUIDE, "Other services")
    for name in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"):
        assert f"-c {name}=" in options["options"]


def test_the_guide_names_every_secret_among_the_settings():
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    secret = re.findall(
        r"(?m)^(\w*(?:SECRET|TOKEN|DSN|CLIENT|PASSWORD|DATABASE_URL|BROKER_URL|EMAIL_URL|PING_URL)\w*)=", example
    )
    secrets = section(GUIDE, "Secrets")
    assert len(secret) >= 9 and not [name for name in secret if f"`{name}`" not in secrets]


def test_the_guide_names_every_place_where_logs_go():
    logs = section(OPERATIONS, "Logs")
    assert all(model._meta.db_table in logs for model in (SchedulerLog, Handling, AttemptLog))
    assert "django_admin_log" in logs and all(name in logs for name in ("stderr", "Sentry", "OpenTelemetry"))
    handlers = {name: each["class"] for name, each in settings.LOGGING["handlers"].items()}
    assert handlers == {"console": "logging.StreamHandler"}
