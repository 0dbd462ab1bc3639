"""What no file of ours may do, so that nobody can turn it against us: run text as code, or call out."""

import ast
import re

from tests.house.source import ROOT, place, product_files, tree

RUNS_TEXT = {"eval", "exec", "compile", "__import__", "pickle.loads", "Engine", "django.template.Template"}
# Jobs may: they are code of whoever installs them.
CALLS_OUT = {"requests", "httpx", "urllib.request", "urllib3", "http.client", "smtplib", "ftplib", "aiohttp", "socket"}
OF_THE_SETTINGS = ("scheduler_project/single_sign_on.py", "requests")  # the provider that OIDC_ISSUER names
# What administrators write into a channel: what is inside is refused, and what a name leads to is looked at.
OF_ALERTS = {
    *(("scheduling/alerts/transports.py", name) for name in ("http.client", "smtplib")),
    *(("scheduling/outside/calls.py", name) for name in ("http.client", "socket")),
}
# What the installation names in HTTP_STEPS, by the rule of the alerts.
OF_STEPS = {("scheduling/errands/http_request.py", name) for name in ("http.client", "socket")}
# For the name of this host, and whether a port is free here.
NAME_OF_THE_HOST = {
    "scheduling/clock.py",
    "scheduling/dispatch/cycle.py",
    "scheduling/dispatch/local.py",
    "scheduling/tasks.py",
    "scheduler_project/logs.py",
    "scheduler_project/start.py",
}


def test_nothing_runs_text_that_it_was_given():
    found = [
        f"{place(path, call)} {ast.unparse(call.func)}"
        for path in product_files()
        for call in ast.walk(tree(path))
        if isinstance(call, ast.Call)
        and (ast.unparse(call.func) in RUNS_TEXT or ast.unparse(call.func).endswith(".from_string"))
    ]
    assert not found, f"Text of people is data, never code or a template: {found}"


def test_nothing_calls_an_address():
    imported = {
        (place(path), name)
        for path in product_files()
        for node in ast.walk(tree(path))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
        if name in CALLS_OUT
    }
    known = {OF_THE_SETTINGS, *OF_ALERTS, *OF_STEPS, *((path, "socket") for path in NAME_OF_THE_HOST)}
    calling = imported - known
    assert not calling, f"An address that people can set leads into your own network: {calling}"
    assert known <= imported, "Take out of the list what calls no more."


def test_every_version_is_pinned():
    """Who audits for known holes has to know what is installed."""
    for name in ("requirements.txt", "requirements-observability.txt", "tests/requirements.txt"):
        lines = [line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]
        loose = [line for line in lines if line and not line.startswith("-") and not re.search(r"==\d", line)]
        assert not loose, f"{name}: {loose}"
