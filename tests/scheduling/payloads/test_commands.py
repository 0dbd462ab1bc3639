"""Promise: a command with anything at all for an argument ends with one of its exit codes and a line, and no trace."""

import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import transaction

from tests.depth import some
from tests.house.test_commands_documented import OURS
from tests.scheduling.payloads.corpus import PAYLOADS
from tests.scheduling.payloads.test_forms import turned
from tests.scheduling.payloads.test_model_files import changed, leaves
from tests.scheduling.payloads.world import World

pytestmark = pytest.mark.django_db
# What never ends, or works on the project's own files.
_LEFT_OUT = {"run_local", "feed_demo", "load_demo", "makemessages", "create_script_role"}
# What makes the rest of a command's arguments good, so that the one that is tried is read.
GOOD = {"entity": "customer", "user": "owner", "name": "Report", "plan": "Nightly", "line": "daily 07:00",
        "what": "customer", "scope": "read", "scopes": "read"}  # fmt: skip


def arguments(name: str) -> list[Any]:
    """Return what a command takes that holds a text."""
    parser = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    stock = {"help", "version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color",
             "skip_checks", "json"}  # fmt: skip
    return [action for action in parser._actions if action.dest not in stock and action.nargs != 0]


def line(name: str, tried: Any, payload: str, world: World, file: str) -> list[str]:
    """Return the words of a command with a payload for one argument."""
    words: list[str] = []
    for action in arguments(name):
        if action is tried:
            value = payload
        elif action.required or not action.option_strings:
            number = str(world.keys.get(action.dest, 1))
            value = file if action.dest == "file" else GOOD.get(action.dest, number)
        else:
            continue
        words.append(f"{action.option_strings[0]}={value}" if action.option_strings else value)
    return words


def standard_input(payload: str) -> TextIOWrapper:
    """Return what somebody sends into a command, as it would be without a terminal."""
    return TextIOWrapper(BytesIO(payload.encode(errors="surrogatepass")), encoding="utf-8", errors="strict")


def ended(words: list[str]) -> str:
    """Run a command; return what is wrong with its end. Its output is written as a terminal would."""
    out = TextIOWrapper(BytesIO(), encoding="utf-8", errors="strict")
    with transaction.atomic():
        try:
            call_command(*words, stdout=out, stderr=StringIO())
            out.flush()
        except CommandError as error:
            return "" if getattr(error, "returncode", 1) in (1, 2, 3) and str(error).strip() else repr(error)
        except SystemExit:
            return ""
        except Exception as error:
            return repr(error)[:300]
        finally:
            transaction.set_rollback(True)
    return ""


@pytest.mark.parametrize("name", [each for each in OURS if each not in _LEFT_OUT])
def test_any_text_for_any_argument(name: str, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "x.csv"
    file.write_text("code,name\na,b\n")
    wrong = {}
    tries = [(action, payload) for action in arguments(name) for payload in turned(OURS.index(name))]
    for action, payload in some(tries, one_in=80):
        monkeypatch.setattr("sys.stdin", standard_input(PAYLOADS[payload]))
        if found := ended([name, *line(name, action, PAYLOADS[payload], world, str(file))]):
            wrong[action.dest, payload] = found
    assert wrong == {}


ORDER = {"order": 1, "entity": "customer", "arguments": {"tag": "x"}}
FIRE = {"cadence": {"kind": "daily", "times": ["06:00"]}, "timezone": "UTC", "after": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize(("name", "asked"), [("submit_tasks", ORDER), ("preview_fires", FIRE)])
def test_any_text_in_any_line_that_is_sent_in(
    name: str, asked: dict[str, Any], world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for payload in PAYLOADS.values():
        for path in leaves(asked):
            sent = json.dumps(changed(asked, path, payload, is_key=path[-1] == "tag"))
            for text in (payload, sent):
                monkeypatch.setattr("sys.stdin", standard_input(text))
                assert ended([name]) == "", (path, payload[:50])
