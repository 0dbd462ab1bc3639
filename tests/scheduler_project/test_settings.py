"""What settings refuse, and what they keep private, in a process that starts with them."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT

LONG = "0123456789abcdefghij" * 3
SHOW_PACE = "from scheduler_project import settings as s; print(s.ZOMBIE_TIMEOUT_MINUTES, s.HEARTBEAT_SECONDS)"
SHOW = "from scheduler_project import settings as s; print(s.SECURE_HSTS_SECONDS, s.SECURE_HSTS_PRELOAD)"

SHOW_KEPT = "from scheduler_project import settings as s; print(s.DATABASES['default']['CONN_MAX_AGE'])"


def start(folder: Path, show: str = SHOW, **environment: str) -> subprocess.CompletedProcess[str]:
    """Load the settings in a fresh process with nothing but this environment, and print what `show` says."""
    whole = {"PATH": os.environ["PATH"], "DATABASE_URL": f"sqlite:///{folder / 'new' / 'x.sqlite3'}", **environment}
    return subprocess.run([sys.executable, "-c", show], cwd=ROOT, env=whole, capture_output=True, text=True)


@pytest.mark.parametrize("key", ["abc", "insecure-development-key", "ab" * 40, LONG[:49]])
def test_a_key_that_can_be_guessed_starts_nothing(tmp_path: Path, key: str) -> None:
    done = start(tmp_path, SECRET_KEY=key)
    assert done.returncode != 0 and "SECRET_KEY can be guessed" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("written", "read"), [("", "{}"), ('{"a": ["/bin/a"]}', "{'a': ['/bin/a']}")])
def test_a_setting_may_be_json(tmp_path: Path, written: str, read: str) -> None:
    show = "from scheduler_project import settings as s; print(s.COMMAND_STEPS)"
    assert start(tmp_path, show, SECRET_KEY=LONG, COMMAND_STEPS=written).stdout.strip() == read


@pytest.mark.parametrize("written", ["{bad", "[" * 100_000, "/bin/true"])
def test_json_that_cannot_be_read_ends_in_one_line(tmp_path: Path, written: str) -> None:
    whole = {"PATH": os.environ["PATH"], "SECRET_KEY": LONG, "COMMAND_STEPS": written}
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=ROOT, env=whole, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("COMMAND_STEPS is no JSON: ")


def test_the_file_of_the_database_is_private_and_preloading_is_a_choice(tmp_path: Path) -> None:
    assert start(tmp_path, SECRET_KEY=LONG, HTTPS="True").stdout.split() == ["31536000", "False"]
    assert stat.S_IMODE((tmp_path / "new" / "x.sqlite3").stat().st_mode) == 0o600
    assert start(tmp_path, SECRET_KEY=LONG, HTTPS="True", HSTS_PRELOAD="True").stdout.split()[1] == "True"


def test_a_connection_is_kept_for_the_next_request_on_sqlite_too(tmp_path: Path) -> None:
    """Opening one reads the whole schema: half of what a small request costs."""
    assert start(tmp_path, SHOW_KEPT, SECRET_KEY=LONG).stdout.split() == ["600"]
    assert start(tmp_path, SHOW_KEPT, SECRET_KEY=LONG, DB_CONN_MAX_AGE="0").stdout.split() == ["0"]


def test_a_dead_worker_is_noticed_after_a_few_minutes_of_silence(tmp_path: Path) -> None:
    """The suite itself tells of half an hour, so this asks what an installation has that says nothing."""
    minutes, heartbeat = map(float, start(tmp_path, SHOW_PACE, SECRET_KEY=LONG).stdout.split())
    assert 2 <= minutes <= 5 and minutes * 60 >= 12 * heartbeat


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"OIDC_ISSUER": "https://login.example.com"}, "needs both OIDC_ISSUER and OIDC_CLIENT"),
        ({"OIDC_CLIENT": "id:secret"}, "needs both OIDC_ISSUER and OIDC_CLIENT"),
        ({"OIDC_ISSUER": "https://login.example.com", "OIDC_CLIENT": "id"}, "needs both OIDC_ISSUER and OIDC_CLIENT"),
        ({"LOCAL_ACCOUNTS": "False"}, "nobody comes in"),
    ],
)
def test_a_sign_in_that_lets_nobody_in_starts_nothing(tmp_path: Path, environment: dict[str, str], told: str) -> None:
    done = start(tmp_path, SECRET_KEY=LONG, **environment)
    assert done.returncode != 0 and told in done.stderr.splitlines()[-1]


SHOW_COOKIES = """from scheduler_project import settings as s
print(s.SESSION_COOKIE_NAME, s.CSRF_COOKIE_NAME, s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.DEBUG)"""


def test_by_https_cookies_are_of_this_host_alone(tmp_path: Path) -> None:
    told = start(tmp_path, SHOW_COOKIES, SECRET_KEY=LONG, HTTPS="True").stdout.split()
    assert told == ["__Host-sessionid", "__Host-csrftoken", "True", "True", "False"]
    assert start(tmp_path, SHOW_COOKIES, SECRET_KEY=LONG).stdout.split()[0] == "sessionid"


def test_nothing_is_debugged_unless_asked(tmp_path: Path) -> None:
    show = "from scheduler_project import settings as s; print(s.DEBUG, s.TEMPLATES[0]['OPTIONS'].get('debug'))"
    assert start(tmp_path, show, SECRET_KEY=LONG).stdout.split() == ["False", "None"]
    assert start(tmp_path, show, SECRET_KEY=LONG, DEBUG="True").stdout.split()[0] == "True"
