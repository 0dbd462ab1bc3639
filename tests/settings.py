"""Settings of the test suite: the project's own, with a key and quick time-outs."""

import os

os.environ.setdefault("SECRET_KEY", "only-for-tests-" + "0123456789" * 4)
os.environ.setdefault("ZOMBIE_TIMEOUT_MINUTES", "30")  # tests tell of half an hour
os.environ.setdefault("SCHEDULER_ALLOW_TIME_TRAVEL", "1")

from scheduler_project.settings import *  # noqa: F403
from scheduler_project.settings import BASE_DIR, DATABASES

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True  # the suite needs no collected files
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, not memory: threads and child processes of the tests must see the same database.
    (BASE_DIR / "var").mkdir(exist_ok=True)
    DATABASES["default"]["TEST"] = {"NAME": str(BASE_DIR / "var" / f"test-{os.getpid()}.sqlite3")}
    options = DATABASES["default"]["OPTIONS"]
    # What tests commit need not outlive a power cut.
    lasting = options["init_command"].replace("synchronous=FULL", "synchronous=NORMAL")
    DATABASES["default"]["OPTIONS"] = {**options, "init_command": lasting}
else:
    # One for each process of the suite: `gw0`, `gw1` … are the names pytest-xdist gives them.
    worker = os.environ.get("PYTEST_XDIST_WORKER", "alone")
    DATABASES["default"]["TEST"] = {"NAME": f"test_{DATABASES['default']['NAME']}_{worker}"}
