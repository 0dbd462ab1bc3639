"""compose.yaml keeps the promises of production: what must be durable is, what must be watched is, no secret inside."""

import re

import pytest
import yaml
from django.conf import settings

from tests.house.source import ROOT

TEXT = (ROOT / "compose.yaml").read_text(encoding="utf-8")
SERVICES = yaml.safe_load(TEXT)["services"]
LASTING = sorted(name for name in SERVICES if name != "migrate")


@pytest.mark.parametrize("name", LASTING)
def test_a_lasting_service_is_watched_and_started_again(name):
    assert SERVICES[name]["healthcheck"]["test"], f"{name} needs a healthcheck"
    assert SERVICES[name]["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", ["web", "worker", "cycle", "beat"])
def test_nothing_starts_before_the_migration_ended_well(name):
    assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


def test_redis_survives_a_restart_and_never_drops_a_message():
    command = SERVICES["redis"]["command"]
    for words in ("--appendonly yes", "--appendfsync everysec", "--maxmemory-policy noeviction"):
        assert words in command
    assert SERVICES["redis"]["volumes"]


def test_every_queue_of_the_settings_has_a_worker():
    queues = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()} | {settings.CELERY_TASK_DEFAULT_QUEUE}
    served = {queue for name in ("worker", "cycle") for queue in re.findall(r"-Q (\S+)", SERVICES[name]["command"])}
    assert queues == served


def test_a_worker_is_given_more_time_to_stop_than_it_takes():
    for name in ("worker", "cycle"):
        assert int(SERVICES[name]["stop_grace_period"].rstrip("s")) > settings.CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT


def test_no_secret_is_written_down():
    for name, service in SERVICES.items():
        for key, value in (service.get("environment") or {}).items():
            if "PASSWORD" in key or "SECRET" in key:
                assert value.startswith("${"), f"{name}: take {key} from .env"
    assert "SECRET_KEY" not in re.sub(r"(?m)^\s*#.*$", "", TEXT)


def test_the_application_is_no_superuser_of_its_database():
    db = SERVICES["db"]
    assert "POSTGRES_USER" not in db["environment"] and "POSTGRES_DB" not in db["environment"]
    (script,) = [volume for volume in db["volumes"] if "/docker-entrypoint-initdb.d/" in volume]
    text = (ROOT / script.partition(":")[0]).read_text(encoding="utf-8")
    assert "CREATE ROLE scheduler LOGIN PASSWORD" in text and "SUPERUSER" not in text
    assert "GRANT staging_scripts TO scheduler" in text
    for name in ("web", "worker", "cycle", "beat", "migrate"):
        assert "//scheduler:" in SERVICES[name]["environment"]["DATABASE_URL"]


def test_the_image_runs_as_nobody_in_particular():
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    assert lines.index("USER scheduler") < next(i for i, line in enumerate(lines) if line.startswith("CMD"))
    assert not [line for line in lines if re.match(r"(ENV|ARG).*(SECRET|PASSWORD)", line)]


def test_the_web_server_can_keep_uploaded_files_on_disk():
    web = SERVICES["web"]
    folder = web["environment"]["UPLOAD_FOLDER"]
    assert f"uploads:{folder}" in web["volumes"] and web["environment"]["TMPDIR"] == folder
    assert web["environment"]["DATABASE_URL"] == SERVICES["worker"]["environment"]["DATABASE_URL"]
    assert f"install -d -o scheduler -m 700 {folder}" in (ROOT / "Dockerfile").read_text(encoding="utf-8")
