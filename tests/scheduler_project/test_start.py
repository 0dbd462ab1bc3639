"""`make run` starts the processes of the profile that the settings describe."""

import socket

import pytest
from django.contrib.auth.models import User

from scheduler_project import start


def test_without_a_broker_run_local_does_the_work(settings):
    settings.CELERY_BROKER_URL = ""
    commands = start.processes(feeding=False)
    assert sorted(commands) == ["scheduler", "web"]
    assert commands["scheduler"][-1] == "run_local"


def test_with_a_broker_celery_does_the_work(settings):
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:6379/15"
    assert sorted(start.processes(feeding=False)) == ["beat", "cycle", "web", "worker"]


def test_beat_has_a_folder_to_keep_its_schedule_in_on_a_fresh_clone(settings, tmp_path):
    settings.BASE_DIR = tmp_path
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:6379/15"
    start.processes(feeding=False)
    assert (tmp_path / "var").is_dir()


def test_the_feeder_runs_beside_the_demo_only():
    assert "feeder" in start.processes(feeding=True)
    assert "feeder" not in start.processes(feeding=False)


def test_web_listens_on_this_machine_only(settings):
    settings.PORT = 8123
    assert "127.0.0.1:8123" in start.processes(feeding=False)["web"]


def test_a_taken_port_is_one_sentence_and_not_a_traceback(settings):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        settings.PORT = other.getsockname()[1]
        with pytest.raises(SystemExit, match=f"Port {settings.PORT} is taken"):
            start._refuse_a_taken_port()


@pytest.mark.django_db
def test_without_the_demo_it_says_how_to_make_the_first_account(settings):
    settings.DEMO_PASSWORD = "of the demo"
    assert "Password of each: of the demo" in start._accounts(feeding=True)
    User.objects.create_user("left", is_staff=True, is_active=False)
    assert start._accounts(feeding=False).endswith("manage.py createsuperuser")
    User.objects.create_user("first", is_staff=True)
    assert start._accounts(feeding=False) == ""
