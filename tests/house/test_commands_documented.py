"""Every command of ours is in docs/commands.md, with each of its options, and is called by a test."""

import pytest
from django.core.management import get_commands, load_command_class

from tests.house.source import ROOT

PAGE = ROOT / "docs" / "commands.md"
OURS = sorted(name for name, app in get_commands().items() if app in ("scheduling", "staging"))


def own_options(name: str) -> list[str]:
    """Return the options that the command itself declares, without those every Django command has."""
    command = load_command_class(get_commands()[name], name)
    parser = command.create_parser("manage.py", name)
    base = {"--help", "--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color",
            "--force-color", "--skip-checks"}  # fmt: skip
    options = (option for action in parser._actions for option in action.option_strings if option.startswith("--"))
    return [option for option in options if option not in base]


@pytest.mark.parametrize("name", OURS)
def test_the_command_has_a_section_with_its_options(name):
    text = PAGE.read_text(encoding="utf-8")
    assert f"\n## {name}\n" in text, f"Describe {name} in docs/commands.md under the heading '## {name}'"
    section = text.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]
    missing = [option for option in own_options(name) if f"`{option}" not in section]
    assert not missing, f"Explain these options of {name} in docs/commands.md: {missing}"


def test_every_command_is_called_by_a_test():
    tests = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    untried = [name for name in OURS if f'"{name}"' not in tests]
    assert not untried, f"Write tests of these commands below tests/scheduling/management: {untried}"


def test_the_page_describes_no_command_that_is_gone():
    headings = [line[3:] for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("## ")]
    gone = [name for name in headings if name.islower() and name not in OURS]
    assert not gone, f"Take these sections out of docs/commands.md, or bring the commands back: {gone}"
