"""Promise: `docs/jobs.md` leads from an empty folder to an own job that runs and is tested, followed to the letter."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.guide import lay_down
from tests.acceptance.installation import ROOT

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


def shell(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Type a text in a folder, with the settings of its `.env` alone."""
    known = {name: os.environ[name] for name in ("HOME", "LANG", "TZ") if name in os.environ}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-c", text], cwd=folder, env={**known, "PATH": path}, capture_output=True, text=True
    )


def blocks(section: str, language: str) -> list[str]:
    """Return what a section says to type, or the files that it shows."""
    text = (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8").split(f"\n## {section}\n")[1].split("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def typed(program: Path, section: str) -> str:
    """Type what a section says; return what the last of it printed."""
    for text in blocks(section, "sh"):
        done = shell(program, text)
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_from_an_empty_folder_to_a_job_that_runs_and_is_tested(program: Path) -> None:
    assert "12 shelves are there." in typed(program, "Own code")
    for text in blocks("Testing", "python"):
        name, _, code = text.removeprefix("# ").partition("\n")
        (program / name).write_text(code)
    assert "2 passed" in typed(program, "Testing")


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
