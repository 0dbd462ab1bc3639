"""Promise: `docs/jobs.md` leads from an empty folder to an own job that runs and is tested, followed to the letter."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.guide import lay_down
from tests.acceptance.image import build
from tests.acceptance.installation import ROOT
from tests.house.test_compose import SERVICES

pytestmark = pytest.mark.embedded
KEY = "only-for-tests-" + "0123456789" * 4


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the program in a folder, with an empty database; made once, to be copied."""
    folder = tmp_path_factory.mktemp("fresh")
    lay_down(folder)
    (folder / ".env").write_text(f"SECRET_KEY={KEY}\n")
    shell(folder, "python manage.py migrate --verbosity 0")
    return folder


@pytest.fixture
def program(fresh: Path, tmp_path: Path) -> Path:
    """The program in a folder of its own."""
    return shutil.copytree(fresh, tmp_path / "program", symlinks=True)


def shell(folder: Path, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Type a text in a folder, with the settings of its `.env` and of this environment alone."""
    known = {name: os.environ[name] for name in ("HOME", "LANG", "TZ") if name in os.environ}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    own = {**known, "PATH": path, **environment}
    return subprocess.run(["bash", "-e", "-c", text], cwd=folder, env=own, capture_output=True, text=True)


def blocks(section: str, language: str) -> list[str]:
    """Return what a section says to type, or the files that it shows."""
    text = (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def printed(folder: Path, text: str, **environment: str) -> str:
    """Type a text in a folder; return what it printed. Fails with it when it does not end well."""
    done = shell(folder, text, **environment)
    assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def typed(program: Path, section: str) -> str:
    """Type what a section says, but what it says of Docker; return what the last of it printed."""
    return [printed(program, text) for text in blocks(section, "sh") if "docker " not in text][-1]


def in_a_container(*, of: Path, database: Path) -> dict[str, str]:
    """Return what compose.yaml gives a container of the program: each line of `.env`, and where its database is."""
    web = SERVICES["web"]
    assert web["env_file"] == ".env" and web["read_only"] and set(web["tmpfs"]) == {"/tmp"}
    told = dict(line.split("=", 1) for line in (of / ".env").read_text().splitlines())
    return {**told, "DATABASE_URL": f"sqlite:///{database}"}


def state(folder: Path) -> dict[Path, int]:
    """Return when each file and folder of it was changed last."""
    return {path: path.stat().st_mtime_ns for path in [folder, *folder.rglob("*")]}


def test_from_an_empty_folder_to_a_job_that_runs_and_is_tested(program: Path) -> None:
    assert "12 shelves are there." in typed(program, "Own code")
    for text in blocks("Testing", "python"):
        name, _, code = text.removeprefix("# ").partition("\n")
        (program / name).write_text(code)
    assert "2 passed" in typed(program, "Testing")


def test_what_the_image_takes_along_runs_there(program: Path, tmp_path: Path) -> None:
    """Stands in for a container where there is no Docker; test_compose.py types the same with Docker, when deep.

    The real Dockerfile and .dockerignore say what is there, compose.yaml says what a container knows. That nothing of
    it can be written to is seen afterwards: nothing was. The base image, the libraries, the account, PostgreSQL and
    Redis are those of this machine, or left out.
    """
    folder, _, image = blocks("Own code", "sh")
    for name in ("Dockerfile", ".dockerignore"):
        shutil.copy(ROOT / name, program)
    printed(program, f"umask 077\n{folder}")
    app, database = tmp_path / "app", tmp_path / "database.sqlite3"
    known = build(program, app, printed)
    assert (app / "own" / "shop" / "jobs.py").exists() and not (app / ".env").exists()
    assert all(path.stat().st_mode & 0o004 for path in (app / "own").rglob("*")), "its account can read it"

    shutil.copy(program / "var" / "scheduler.sqlite3", database)
    container = {**known, **in_a_container(of=program, database=database)}
    as_built = state(app)
    start, *lines = image.splitlines()
    assert start == "docker compose up -d --build"
    said = printed(app, SERVICES["migrate"]["command"], **container)
    for line in lines:
        assert line.startswith("docker compose exec web ")
        said = printed(app, line.removeprefix("docker compose exec web "), **container)
    assert "12 shelves are there." in said
    assert state(app) == as_built


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("EXTRA_PATH=gone", "EXTRA_PATH: there is no folder"),
        ("EXTRA_APPS=nothing_of_this_name", "EXTRA_APPS: nothing_of_this_name cannot be imported: ModuleNotFoundError"),
        ("EXTRA_APPS=shop", "EXTRA_APPS: shop cannot be imported: ZeroDivisionError: division by zero."),
        ("EXTRA_APPS=shop.apps.Nobody", "EXTRA_APPS: shop.apps.Nobody cannot be imported: "),
    ],
)
def test_what_cannot_be_imported_is_told_in_one_line(program: Path, line: str, told: str) -> None:
    (program / "shop").mkdir()
    (program / "shop" / "__init__.py").write_text("1 / 0\n")
    with (program / ".env").open("a") as file:
        file.write(f"{line}\n")
    done = shell(program, "python manage.py check")
    assert (done.returncode, done.stdout) == (2, "") and told in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("module", "text", "told"),
    [
        ("models", "1 / 0\n", "EXTRA_APPS: shop.models cannot be imported: ZeroDivisionError: division by zero."),
        ("models", "class Shelf(\n", "EXTRA_APPS: shop cannot be imported: SyntaxError: "),
        (
            "apps",
            "import gone\n",
            "EXTRA_APPS: shop.apps cannot be imported: ModuleNotFoundError: No module named 'gone'.",
        ),
        ("admin", "1 / 0\n", "EXTRA_APPS: shop.admin cannot be imported: ZeroDivisionError: division by zero."),
    ],
)
def test_a_fault_in_what_django_imports_of_an_app_is_told_in_one_line(
    program: Path, module: str, text: str, told: str
) -> None:
    (program / "shop").mkdir()
    (program / "shop" / "__init__.py").write_text("")
    (program / "shop" / f"{module}.py").write_text(text)
    with (program / ".env").open("a") as file:
        file.write("EXTRA_APPS=shop\n")
    done = shell(program, "python manage.py check")
    assert (done.returncode, done.stdout) == (2, "") and told in done.stderr and done.stderr.count("\n") == 1, (
        done.stderr
    )


def test_a_fault_in_the_jobs_of_one_app_hinders_no_other(program: Path) -> None:
    for name, text in (("good", "from scheduling.jobs.declare import job\n\n\n@job\ndef fine(context): ...\n"),
                       ("bad", "1 / 0\n")):  # fmt: skip
        shutil.rmtree(program / name, ignore_errors=True)
        (program / name).mkdir()
        (program / name / "__init__.py").write_text("")
        (program / name / "jobs.py").write_text(text)
    with (program / ".env").open("a") as file:
        file.write("EXTRA_APPS=bad,good\nEXTRA_PATH=.\n")
    assert "bad.jobs" in shell(program, "python manage.py sync_jobs").stderr
    assert shell(program, "python manage.py run_job Fine --inline").returncode == 0
    assert "bad.jobs" in shell(program, "python manage.py check").stderr
