"""What an installation brings: own code, in a folder on the path with apps whose jobs are found; JSON in a setting."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from traceback import walk_tb
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from staging.phrases import phrase


def own_apps(names: Iterable[str], folders: Iterable[str], *, base: Path) -> list[str]:
    """Put these folders on the path, behind everything else, and return the names of the apps; each can be imported.

    A folder is absolute or seen from `base`. A name is that of a package, or of an AppConfig. Raises
    ImproperlyConfigured for a folder that is not there and for an app that cannot be imported, with the reason.
    """
    for folder in folders:
        path = (base / folder).resolve()
        if not path.is_dir():
            raise ImproperlyConfigured(phrase("EXTRA_PATH: there is no folder {path}.", path=str(path)))
        if str(path) not in sys.path:
            sys.path.append(str(path))
    found = list(names)
    for name in found:
        _insist_on(name)
    return found


def _insist_on(name: str) -> None:
    """Refuse an app that is not there, or whose package fails: Django would end with a traceback."""
    is_config = name.rpartition(".")[2][:1].isupper()
    try:
        if is_config:
            import_string(name)
        else:
            import_module(name)
    except Exception as error:
        raise ImproperlyConfigured(_cannot_be_imported(name, error)) from error


def fault_in_own_code(error: Exception, names: Iterable[str]) -> str:
    """Return the sentence about one of these apps that failed while Django took it in; empty when none did.

    Its models, say, which Django imports long after the package.
    """
    roots = {name.partition(".")[0] for name in names}
    passed = [str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__)]
    own = [module for module in passed if module.partition(".")[0] in roots]
    if not own and isinstance(error, SyntaxError):  # nothing of such a module ran
        file = Path(error.filename or "")
        own = [
            root for root in roots if root in sys.modules and any(map(file.is_relative_to, sys.modules[root].__path__))
        ]
    return _cannot_be_imported(own[0], error) if own else ""


def was_finding_pages(error: Exception) -> bool:
    """Return whether it was raised while the pages of the admin were found, which is after Django took the apps in."""
    passed = ((frame.f_globals.get("__name__"), frame.f_code.co_name) for frame, _ in walk_tb(error.__traceback__))
    return ("django.contrib.admin", "autodiscover") in passed


def _cannot_be_imported(name: str, error: Exception) -> str:
    text = f"{type(error).__name__}: {' '.join(str(error).split())}"
    return phrase("EXTRA_APPS: {app} cannot be imported: {error}.", app=name, error=text)


def json_setting(name: str, text: str) -> Any:
    """Return what the JSON of a setting says, an empty object for an empty text. Raises ImproperlyConfigured."""
    try:
        return json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise ImproperlyConfigured(phrase("{name} is no JSON: {error}", name=name, error=str(error))) from None
