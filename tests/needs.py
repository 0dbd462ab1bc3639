"""What a test needs and this machine may lack: a skip at a desk, a failure in continuous integration."""

import os
from typing import NoReturn

import pytest


def in_ci() -> bool:
    """Return whether this is a check that lets nothing be left out."""
    return os.environ.get("CI", "").lower() in ("1", "true", "yes")


def lacking(what: str) -> NoReturn:
    """Skip the test that runs, with what is missing; in continuous integration fail it."""
    if in_ci():
        pytest.fail(f"this test needs what is not here: {what}", pytrace=False)
    pytest.skip(what)
