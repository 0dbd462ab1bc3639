"""The units of systemd keep the promises of production, and start what compose.yaml and the guide start."""

import json
import re
import shlex
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest
import yaml
from django.conf import settings

from tests.house.source import ROOT

FOLDER = ROOT / "scheduler_project" / "systemd"
NAMES = ("web", "worker", "cycle", "beat")
HOME = "/opt/staging-scheduler"
_BIND = re.compile(r"--bind \S+")  # a container listens for others than itself
_MOST_EXPOSED = 2.0  # of 10, as `systemd-analyze security` counts

Unit = dict[str, dict[str, list[str]]]


def unit(name: str) -> Unit:
    """Return the lines of a unit by section and name; a line that is neither of both fails."""
    found: Unit = {}
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if section := re.fullmatch(r"\[(\w+)\]", line):
            found[section[1]] = defaultdict(list)
            continue
        key, _, value = line.partition("=")
        assert re.fullmatch(r"[A-Z]\w+", key), f"{name}: {line!r} is no line of a unit"
        list(found.values())[-1][key].append(value)
    return found


def service(name: str) -> dict[str, list[str]]:
    """Return the section [Service] of one of the four."""
    return unit(f"staging-scheduler-{name}.service")["Service"]


def started(name: str) -> str:
    """Return the command that a unit starts, as a shell would be given it."""
    (command,) = service(name)["ExecStart"]
    assert command.startswith(f"{HOME}/.venv/bin/") and "%" not in command.replace("%%", "")
    return command.removeprefix(f"{HOME}/.venv/bin/").replace("%%", "%")


def of_the_guide() -> list[str]:
    """Return the commands that the guide tells for other supervisors, in the order of NAMES."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"\n```\n(gunicorn .*?)\n```\n", text, re.DOTALL)
    return block.splitlines()


def of_compose() -> list[str]:
    """Return the commands of compose.yaml and of the image, in the order of NAMES."""
    services = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]
    (of_image,) = re.findall(r"^CMD (\[.*\])$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    return [shlex.join(json.loads(of_image)), *(" ".join(services[name]["command"].split()) for name in NAMES[1:])]


def test_units_guide_and_compose_start_the_same_commands() -> None:
    units = [started(name) for name in NAMES]
    assert units == of_the_guide()
    assert [_BIND.sub("", command) for command in units] == [_BIND.sub("", command) for command in of_compose()]


def test_the_target_has_all_four_and_each_is_part_of_it() -> None:
    wanted = " ".join(unit("staging-scheduler.target")["Unit"]["Wants"]).split()
    assert sorted(wanted) == sorted(path.name for path in FOLDER.glob("*.service"))
    assert sorted(wanted) == sorted(f"staging-scheduler-{name}.service" for name in NAMES)
    for name in wanted:
        assert unit(name)["Unit"]["PartOf"] == ["staging-scheduler.target"]


@pytest.mark.parametrize("name", NAMES)
def test_a_service_is_started_again_told_to_stop_and_given_time(name: str) -> None:
    lines = service(name)
    assert lines["Restart"] == ["always"] and lines["KillSignal"] == ["SIGTERM"] and lines["KillMode"] == ["mixed"]
    assert unit(f"staging-scheduler-{name}.service")["Unit"]["StartLimitIntervalSec"] == ["0"]
    assert int(lines["TimeoutStopSec"][0]) > settings.CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT > settings.STOP_GRACE_SECONDS


@pytest.mark.parametrize("name", NAMES)
def test_a_service_is_nobody_in_particular_and_reads_the_one_file_of_settings(name: str) -> None:
    lines = service(name)
    assert lines["User"] == lines["Group"] == ["scheduler"]
    assert lines["EnvironmentFile"] == [f"{HOME}/.env"] and lines["WorkingDirectory"] == [HOME]
    assert not any("SECRET" in value or "PASSWORD" in value for values in lines.values() for value in values)


@pytest.mark.parametrize("name", NAMES)
def test_a_service_sees_the_processes_of_others(name: str) -> None:
    """The dispatcher looks whether a process has ended: one that is hidden would be taken for dead, and released."""
    assert not {"ProtectProc", "ProcSubset", "PrivatePIDs"} & set(service(name))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not here (apt install systemd)")
@pytest.mark.parametrize("name", NAMES)
def test_systemd_takes_the_unit_and_finds_it_little_exposed(name: str, tmp_path: Path) -> None:
    place = tmp_path / f"staging-scheduler-{name}.service"
    text = (FOLDER / place.name).read_text(encoding="utf-8")
    place.write_text(text.replace(f"{HOME}/.venv/bin/{started(name).split()[0]}", "/bin/true"), encoding="utf-8")
    verified = subprocess.run(["systemd-analyze", "verify", str(place)], capture_output=True, text=True)
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")
    exposed = ["systemd-analyze", "security", "--offline=true", f"--threshold={_MOST_EXPOSED * 10:.0f}", str(place)]
    looked_at = subprocess.run(exposed, capture_output=True, text=True)
    assert looked_at.returncode == 0, looked_at.stdout[-300:]
