"""What must follow a new entity, a migration or a failed sign-in, wherever it came from."""

import logging
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db import DatabaseError
from django.db.models.signals import post_delete, post_migrate, post_save, pre_delete
from django.dispatch import receiver

from scheduling.housekeeping.roles import sync_roles
from scheduling.lifecycle.alerts import switch_off_emptied
from scheduling.metrics.tallies import tally_before_deletion
from scheduling.models import AlertRule, Job, Plan, SchedulerConfiguration
from scheduling.workloads.script_role import create_role
from staging.models import Entity
from staging.states import AuditKind
from staging.versions.audit import note
from staging.versions.units import touch

logger = logging.getLogger(__name__)


@receiver(post_migrate, dispatch_uid="scheduling.signals")
def _keep_roles(sender: Any, **_: Any) -> None:
    """Give the four groups their permissions once the permissions of both apps exist (ours is migrated last)."""
    if sender.name == "scheduling":
        sync_roles()
        _make_the_role_of_scripts()


def _make_the_role_of_scripts() -> None:
    """Make it where our database account may; else `create_script_role --print` says what to run."""
    try:
        create_role()
    except DatabaseError:
        logger.info(
            "the database role of SQL scripts is missing; manage.py create_script_role tells how to make it",
            extra={"event": "script_role_missing"},
        )


@receiver(user_login_failed, dispatch_uid="scheduling.sign_in")
def _tell_a_failed_sign_in(credentials: Any, request: Any = None, **_: Any) -> None:
    """Tell a wrong password in the process log; a name that is no account may be a password, and is not told."""
    name = str(credentials.get("username", ""))
    account = f"account {name!r}" if get_user_model().objects.filter(username=name).exists() else "no known account"
    known = name if account.startswith("account") else ""
    note(AuditKind.REFUSED, person=known, address=_address(request))
    logger.warning("sign-in failed: %s, from %s", account, _address(request), extra={"event": "sign_in_failed"})


@receiver(user_logged_in, dispatch_uid="scheduling.session_began")
def _tell_of_a_session(user: Any, request: Any = None, **_: Any) -> None:
    """Tell in the process log that somebody came in, by whichever door."""
    note(AuditKind.SIGNED_IN, person=user.get_username(), address=_address(request))
    logger.info("%r came in from %s", user.get_username(), _address(request), extra={"event": "session_began"})


@receiver(user_logged_out, dispatch_uid="scheduling.session_ended")
def _tell_of_its_end(user: Any, request: Any = None, **_: Any) -> None:
    """Tell in the process log that somebody left."""
    if user is not None:
        note(AuditKind.SIGNED_OUT, person=user.get_username(), address=_address(request))
        logger.info("%r left, from %s", user.get_username(), _address(request), extra={"event": "session_ended"})


def _address(request: Any) -> str:
    return (request.META.get("REMOTE_ADDR") if request is not None else "") or "an unknown address"


@receiver(post_save, sender=Entity, dispatch_uid="scheduling.configuration")
def _give_a_configuration(instance: Entity, created: bool, raw: bool, **_: Any) -> None:
    """Give every new entity its configuration: manual, so that nothing starts before a person says so."""
    if created and not raw:
        SchedulerConfiguration.objects.get_or_create(entity=instance)


@receiver(pre_delete, sender=Entity, dispatch_uid="scheduling.tally_entity")
@receiver(pre_delete, sender=Plan, dispatch_uid="scheduling.tally_plan")
@receiver(pre_delete, sender=Job, dispatch_uid="scheduling.tally_job")
def _keep_counts(sender: type[Entity | Plan | Job], instance: Entity | Plan | Job, **_: Any) -> None:
    """Sum up what the log tells of something that is deleted, before its events go with it."""
    tally_before_deletion(sender._meta.model_name or "", instance)


_NAMED_BY = "_alert_rules"  # those that name something that is deleted, kept with it until it is gone


@receiver(pre_delete, sender=Entity, dispatch_uid="scheduling.rules_of_entity")
@receiver(pre_delete, sender=Plan, dispatch_uid="scheduling.rules_of_plan")
@receiver(pre_delete, sender=Job, dispatch_uid="scheduling.rules_of_job")
def _note_what_names_it(sender: type[Entity | Plan | Job], instance: Entity | Plan | Job, **_: Any) -> None:
    """Note the alert rules that name what is deleted: their sets shrink without a signal."""
    column = {Entity: "entities", Plan: "plans", Job: "jobs"}[sender]
    rules = list(AlertRule.objects.filter(**{column: instance.pk}))
    for rule in rules:
        touch(rule)
    vars(instance)[_NAMED_BY] = [rule.pk for rule in rules]


@receiver(post_delete, sender=Entity, dispatch_uid="scheduling.rules_without_entity")
@receiver(post_delete, sender=Plan, dispatch_uid="scheduling.rules_without_plan")
@receiver(post_delete, sender=Job, dispatch_uid="scheduling.rules_without_job")
def _keep_rules_narrow(instance: Entity | Plan | Job, **_: Any) -> None:
    """Switch off the rules that named nothing else: one that names nothing would be about everything."""
    switch_off_emptied(vars(instance).pop(_NAMED_BY, ()))
