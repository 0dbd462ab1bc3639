"""The guide for Docker Compose, to the letter: what it makes works, scales, is backed up, restored and stopped."""

import json
import os
import re
import secrets
import shutil
import subprocess
import tarfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.acceptance.bare_host import release
from tests.acceptance.guide import ACCOUNT
from tests.acceptance.installation import MODEL, ROOT
from tests.acceptance.test_own_code import blocks
from tests.depth import DEEP
from tests.needs import lacking
from tests.ports import free_port

pytestmark = [
    pytest.mark.pure,
    pytest.mark.skipif(not DEEP, reason="building and starting containers takes minutes: make test-deep"),
]
GUIDE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
ROWS = 20_000
MERGED = "SELECT count(*) FROM mdm_branch"
COUNTED = "SELECT count(*) FROM scheduling_task WHERE message = '12 shelves are there.'"
STATUS = '{{.Label "com.docker.compose.service"}} {{.Status}}'


def section(title: str) -> str:
    """Return what the guide says beneath a title, up to the next one."""
    return re.split(r"\n##+ ", GUIDE.split(f"\n## {title}\n")[1])[0]


def lines(title: str) -> list[str]:
    """Return the commands of Docker that a section names, in its order, in a sentence or a block."""
    return [
        (code or line).strip() for code, line in re.findall(r"`(docker [^`]+)`|^(docker .+)$", section(title), re.M)
    ]


class Composed:
    """An installation of a name and a port of its own, in a folder with the files of the release."""

    def __init__(self, home: Path):
        self.home = home
        self.name = f"compose-{uuid.uuid4().hex[:12]}"
        self._environment = {**os.environ, "COMPOSE_PROJECT_NAME": self.name, "PORT": str(free_port())}

    def run(self, line: str, given: str = "") -> str:
        """Run a line of a shell as the guide has it; return what it printed. Fails with it on another code."""
        done = subprocess.run(
            ["/bin/sh", "-ec", line], cwd=self.home, env=self._environment, input=given, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{line}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def manage(self, *words: str, given: str = "") -> str:
        """Run a command of manage.py in the container of the pages, where only /tmp can be written to."""
        return self.run(f"docker compose exec -T web {' '.join(words)}", given)

    def sql(self, statement: str) -> str:
        """Run a statement in our database; return its rows, a line each."""
        return self.run(
            "docker compose exec -T db psql -X -q -A -t -v ON_ERROR_STOP=1 -U scheduler -d scheduler", statement
        )

    def deposit(self, first: int) -> None:
        """Bring rows of branches, as a program does that writes SQL."""
        numbers = f"generate_series({first + 1}, {first + ROWS}) AS n"
        self.sql(f"INSERT INTO stg_branch (code, name, region) SELECT 'b' || n, 'Branch ' || n, 'north' FROM {numbers}")

    def containers(self, show: str, *filters: str) -> list[str]:
        """Return a line for each container of ours, also of those that have ended."""
        chosen = " ".join(f"--filter {one}" for one in (f"label=com.docker.compose.project={self.name}", *filters))
        return self.run(f"docker ps -a {chosen} --format '{show}'").splitlines()

    def wait_until(self, condition: Callable[[], bool], what: str, seconds: float = 300) -> None:
        """Wait until a condition holds; fail with what all services told when it does not in time."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                told = self.run("docker compose logs --tail 20 2>&1")
                pytest.fail(f"{what}: not within {seconds} s\n{self.containers(STATUS)}\n{told}")
            time.sleep(1)

    def is_healthy(self) -> bool:
        """Return whether each service runs and is healthy, and the migration, which runs once, has ended well."""
        states = self.containers(STATUS)
        once = [state for state in states if state.startswith("migrate ")]
        lasting = [state for state in states if state not in once]
        ended = len(once) == 1 and once[0].startswith("migrate Exited (0)")
        return (
            ended
            and {state.split()[0] for state in lasting} == {"web", "worker", "cycle", "beat", "db", "redis"}
            and all(state.endswith("(healthy)") for state in lasting)
        )


@pytest.fixture
def composed(tmp_path: Path) -> Iterator[Composed]:
    """The files of the release with the `.env` of the guide, on a machine with Docker; nothing of it stays."""
    if not shutil.which("docker") or subprocess.run(["docker", "compose", "version"], capture_output=True).returncode:
        lacking("docker with compose, and a registry or the three base images")
    with tarfile.open(release()) as files:
        files.extractall(tmp_path, filter="data")
    (settings,) = re.findall(r"```\n(.*?)```", section("Start"), re.DOTALL)
    filled = settings.replace("SECRET_KEY=…", f"SECRET_KEY={secrets.token_urlsafe(50)}").replace(
        "PASSWORD=…", "PASSWORD=abc123"
    )
    (tmp_path / ".env").write_text("".join(f"{line.split('#')[0].strip()}\n" for line in filled.splitlines()))
    installation = Composed(tmp_path)
    try:
        yield installation
    finally:
        installation.run("docker compose down --volumes --timeout 0 2>&1")


def test_an_installation_after_the_guide_works_scales_is_restored_and_stops(composed: Composed) -> None:
    start, account = lines("Start")
    composed.run(start)
    composed.wait_until(composed.is_healthy, "every service is healthy")
    told = "".join(f"-e {name}='{text}' " for name, text in ACCOUNT.items())
    composed.run(account.replace("exec ", f"exec -T {told}") + " --no-input")
    composed.manage("sh -c 'cat > /tmp/model.yaml; python manage.py load_model /tmp/model.yaml'", given=MODEL)
    composed.sql("INSERT INTO stg_region (code, name) VALUES ('north', 'North')")
    composed.deposit(0)
    composed.wait_until(lambda: int(composed.sql(MERGED)) == ROWS, "the first rows are merged")

    (scale,) = [line for line in re.findall(r"`(docker compose [^`]+)`", GUIDE) if "--scale" in line]
    composed.run(scale)
    composed.wait_until(composed.is_healthy, "the new workers are healthy")
    workers = composed.containers("{{.ID}}", "label=com.docker.compose.service=worker")
    assert len(workers) == 3
    composed.deposit(ROWS)
    composed.run(f"docker kill {workers[0]}")
    composed.wait_until(
        lambda: int(composed.sql(MERGED)) == 2 * ROWS, "the second rows are merged beside a killed worker"
    )

    back_up, *restore = lines("Back up and restore")
    composed.run(back_up)
    composed.sql("DELETE FROM mdm_branch")
    for line in restore:
        composed.run(line)
    composed.wait_until(composed.is_healthy, "every service is healthy again")
    assert int(composed.sql(MERGED)) == 2 * ROWS
    found = json.loads(composed.manage("python manage.py doctor --json"))["findings"]
    assert [finding for finding in found if finding["level"] == "error"] == []

    composed.deposit(2 * ROWS)
    composed.wait_until(lambda: int(composed.sql(MERGED)) == 3 * ROWS, "the third rows are merged after the restoring")
    composed.run("docker compose stop web worker cycle beat")
    ended = [state for state in composed.containers(STATUS) if state.split()[0] in ("web", "worker", "cycle", "beat")]
    assert ended and all(state.split(" ", 1)[1].startswith("Exited (0)") for state in ended), "all ended, none by force"
    assert int(composed.sql("SELECT count(*) FROM stg_branch WHERE import_status <> 1")) == 0


def test_own_code_runs_in_the_image_as_its_guide_tells(composed: Composed) -> None:
    folder, _, image = blocks("Own code", "sh")
    composed.run(folder)
    for line in image.splitlines():
        said = composed.run(line.replace(" exec ", " exec -T "))  # a test has no terminal
    assert "12 shelves are there." in said
    assert int(composed.sql(COUNTED)) == 1

    composed.manage('python manage.py run_job "Count the shelves"')
    composed.wait_until(lambda: int(composed.sql(COUNTED)) == 2, "a worker, which has it from the same image, runs it")
