"""Starts everything on this machine in the foreground: what `make run` runs after it has installed the rest."""

import os
import shlex
import socket
import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import OperationalError, connections

from staging.wording import say

HOST = "127.0.0.1"


def main() -> None:
    """Prepare the database, then run the processes of this installation's profile until Ctrl-C."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "scheduler_project.settings")
    try:
        django.setup()
        _refuse_a_taken_port()
        feeding = _prepare()
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    except OperationalError as error:
        sys.exit(say("The database does not answer. Check DATABASE_URL. It said: {error}", error=error))
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(_run(processes(feeding=feeding)))


def processes(*, feeding: bool) -> dict[str, list[str]]:
    """Return the command of each process by its name; with a broker it is Celery, without one `run_local`."""
    python = sys.executable
    manage = [python, str(settings.BASE_DIR / "manage.py")]
    celery = [python, "-m", "celery", "-A", "scheduler_project.celery"]
    worker = [*celery, "worker", "--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
    web = [python, "-m", "gunicorn", "scheduler_project.wsgi", "--bind", f"{HOST}:{settings.PORT}"]
    commands = {"web": [*web, "--threads", "4", "--no-control-socket", "--log-level", "warning"]}
    if settings.CELERY_BROKER_URL:
        commands["worker"] = [*worker, "-Q", "work", "-n", "work@%h", "--concurrency", str(settings.LOCAL_THREADS)]
        commands["cycle"] = [*worker, "-Q", "dispatch", "-n", "cycle@%h", "--pool", "threads", "--concurrency", "1"]
        memory = settings.BASE_DIR / "var" / "beat-schedule"
        memory.parent.mkdir(exist_ok=True)  # nothing else makes this folder when the database is a server
        commands["beat"] = [*celery, "beat", "--schedule", str(memory), "--pidfile=", "--loglevel", "WARNING"]
    else:
        commands["scheduler"] = [*manage, "run_local"]
    if feeding:
        commands["feeder"] = [*manage, "feed_demo"]
    return commands


def _refuse_a_taken_port() -> None:
    """Stop with a sentence when something else listens on our port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, settings.PORT))
        except OSError:
            text = say(
                "Port {port} is taken. Stop what uses it, or choose another: make run PORT=8001", port=settings.PORT
            )
            sys.exit(text)


def _prepare() -> bool:
    """Bring database and static files up to date, load the demo when wanted; return whether the demo is there."""
    from scheduling.management.demo.presence import demo_is_loaded

    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    if settings.DEMO:
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:  # the accounts are told below, at each start
            call_command("load_demo", if_empty=True, stdout=nowhere if settings.DEMO_PASSWORD else sys.stdout)
    feeding = settings.DEMO and demo_is_loaded()
    accounts = _accounts(feeding=feeding)
    connections.close_all()
    address = f"http://{HOST}:{settings.PORT}/admin/"
    lines = ["", say("  Open {address}   (Ctrl-C stops everything)", address=address)]
    sys.stdout.write("\n".join([*lines, *filter(None, [accounts]), "", ""]))
    sys.stdout.flush()
    return feeding


def _accounts(*, feeding: bool) -> str:
    """Return who may sign in and how, or how to make the first account; empty where people have theirs."""
    from django.contrib.auth.models import User

    from scheduling.management.demo.accounts import ACCOUNTS

    if feeding and settings.DEMO_PASSWORD:
        accounts, password = ", ".join(ACCOUNTS), settings.DEMO_PASSWORD
        return say("  Demo accounts: {accounts}. Password of each: {password}", accounts=accounts, password=password)
    if User.objects.filter(is_active=True, is_staff=True).exists():
        return ""
    command = ".venv/bin/python manage.py createsuperuser"
    return say("  Nobody can sign in yet. Make the first account in another window: {command}", command=command)


def _run(commands: dict[str, list[str]]) -> int:
    """Run the processes together; when one ends, all end. Return 0 after Ctrl-C, else the code of the first to end."""
    from honcho import manager as honcho

    honcho.KILL_WAIT = settings.STOP_GRACE_SECONDS + 5  # or what runs would be killed before it is handed back
    manager = honcho.Manager()
    for name, command in commands.items():
        manager.add_process(name, shlex.join(command), env={**os.environ, "PYTHONUNBUFFERED": "1"})
    manager.loop()
    return 0 if manager.returncode in (130, 143) else manager.returncode or 0


if __name__ == "__main__":
    main()
