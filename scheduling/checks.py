"""Start-up checks: combinations of settings that cannot keep the promises are refused with a hint.

`check` and the doctor tell all of them; for those with TO_START no worker, beat or `run_local` starts.
"""

from typing import Any

import redis
from django.conf import settings
from django.core.checks import Error, Tags, Warning, register
from django.db import InterfaceError, OperationalError, connection

from scheduling import broker, clock, conf
from scheduling.doctor.installation import DATABASE_AWAY, TO_START
from scheduling.errands.addresses import entry_of
from scheduling.errands.command import commands
from scheduling.jobs.discover import discover_in_code
from staging.wording import say


@register(Tags.compatibility, TO_START)
def celery_needs_a_server_database(app_configs: Any, **kwargs: Any) -> list[Error]:
    """Refuse Celery workers on SQLite: its file cannot be shared by hosts, and writers would wait for each other."""
    if conf.is_embedded() or connection.vendor != "sqlite":
        return []
    return [
        Error(
            say("CELERY_BROKER_URL is set but the database is SQLite."),
            hint=say("Set DATABASE_URL to PostgreSQL, or unset CELERY_BROKER_URL and use run_local."),
            id="scheduling.E001",
        )
    ]


@register(Tags.compatibility, TO_START)
def times_fit_together(app_configs: Any, **kwargs: Any) -> list[Error]:
    """Refuse a zombie time-out that a healthy worker could miss."""
    if conf.zombie_timeout() >= conf.heartbeat_interval() * 3:
        return []
    return [
        Error(
            say("ZOMBIE_TIMEOUT_MINUTES is shorter than three heartbeats: living work would be released."),
            hint=say("Raise ZOMBIE_TIMEOUT_MINUTES or lower HEARTBEAT_SECONDS."),
            id="scheduling.E002",
        )
    ]


@register(Tags.compatibility, TO_START)
def intervals_are_positive(app_configs: Any, **kwargs: Any) -> list[Error]:
    """Refuse intervals of nothing."""
    names = ("DISPATCH_INTERVAL_SECONDS", "HEARTBEAT_SECONDS", "RESEND_AFTER_SECONDS", "LOCAL_THREADS")
    wrong = [name for name in names if getattr(settings, name) <= 0]
    return [Error(say("{name} must be greater than zero.", name=name), id="scheduling.E003") for name in wrong]


@register(Tags.compatibility, TO_START)
def errands_are_allowed_as_written(app_configs: Any, **kwargs: Any) -> list[Error]:
    """Refuse entries of HTTP_STEPS and COMMAND_STEPS that cannot be read: they would allow something else."""
    try:
        commands()
        for entry in settings.HTTP_STEPS:
            entry_of(entry)
    except ValueError as error:
        return [Error(str(error), id="scheduling.E007")]
    return []


@register("jobs")
def jobs_can_be_declared(app_configs: Any, **kwargs: Any) -> list[Warning]:
    """Warn of each job that cannot be declared, with its place, its mistake and its mend; the others work on."""
    hint = say("Mend it and start the processes again, or run sync_jobs. Until then the job stays as it was before.")
    return [Warning(str(fault), hint=hint, id="scheduling.W001") for fault in discover_in_code().broken]


@register(Tags.database, TO_START)
def locks_reach_one_server_session(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[Error]:
    """Refuse a transaction pooler between us and PostgreSQL: it hands a session's lock to strangers.

    A session lock taken on one connection must be refused to a second one; behind a transaction pooler both may
    be the same server session.
    """
    if connection.vendor != "postgresql" or not databases:
        return []
    first, second = connection.copy(), connection.copy()
    try:
        with first.cursor() as one, second.cursor() as two:
            two.execute("BEGIN")
            one.execute("SELECT pg_backend_pid()")
            two.execute("SELECT pg_backend_pid()")
            pids = {one.fetchone()[0], two.fetchone()[0]}
            one.execute("SELECT pg_backend_pid()")
            pids.add(one.fetchone()[0])
            two.execute("ROLLBACK")
    except (OperationalError, InterfaceError) as error:
        text = say("The database does not answer: {error}", error=" ".join(str(error).split()))
        return [Error(text, hint=say("Start it, or mend DATABASE_URL."), id=DATABASE_AWAY)]
    finally:
        first.close()
        second.close()
    if len(pids) == 2:
        return []
    hint = say("Point DATABASE_URL at PostgreSQL itself or at a pooler in session mode.")
    return [Error(say("The database connection goes through a transaction pooler."), hint=hint, id="scheduling.E004")]


@register(Tags.database)
def clock_is_the_databases(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[Error]:
    """Refuse a host whose clock is too far from the database's: it would use up slots that are still to come."""
    if not databases:
        return []
    try:
        clock.follow(at_once=True)
    except (OperationalError, InterfaceError):
        return []  # the check of the locks tells it
    hint = say("Keep all hosts on NTP. CLOCK_TOLERANCE_SECONDS says how far a clock may be off.")
    trouble = clock.trouble()
    return [Error(trouble, hint=hint, id="scheduling.E006")] if trouble else []


@register(Tags.database)
def broker_answers(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[Warning]:
    """Warn of a broker that does not answer; work waits for it, and nothing is lost."""
    found = broker.trouble() if databases else ""
    hint = say("Start it, or mend CELERY_BROKER_URL.")
    return [Warning(found, hint=hint, id="scheduling.W002")] if found else []


@register(Tags.database, TO_START)
def broker_keeps_messages(app_configs: Any, databases: Any = None, **kwargs: Any) -> list[Error]:
    """Refuse a Redis that throws messages away when memory is short. That one does not answer is told apart."""
    if not databases or not settings.CELERY_BROKER_URL.startswith("redis"):
        return []
    client = redis.Redis.from_url(settings.CELERY_BROKER_URL, socket_timeout=2, socket_connect_timeout=2)
    try:
        policy = str(client.config_get("maxmemory-policy").get("maxmemory-policy", "noeviction"))
    except redis.RedisError:
        return []
    finally:
        client.close()
    if policy == "noeviction":
        return []
    hint = say("Set maxmemory-policy to noeviction, or give the broker a Redis of its own.")
    return [
        Error(
            say("Redis evicts keys under memory pressure ({policy}).", policy=policy), hint=hint, id="scheduling.E005"
        )
    ]
