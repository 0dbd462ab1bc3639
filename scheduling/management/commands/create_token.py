"""`create_token`: hand out a token of the REST API."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext_noop

from scheduling import clock
from scheduling.management import base
from staging import tokens
from staging.models import Entity
from staging.states import Scope
from staging.wording import say

_MOST_DAYS = 3650


class Command(base.Command):
    """Make a token of a person, or of a service's account, and print it: nobody sees it again."""

    help = gettext_noop(
        "Make a token of the REST API for an account, and print it once. It may never do more than the account."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the account, and what the token is for."""
        parser.add_argument("user", metavar="USER", help=say("The account, of a person or of a service."))
        parser.add_argument(
            "--scope",
            action="append",
            default=[],
            metavar="S",
            help=say("{scopes}; several times.", scopes=", ".join(Scope.values)),
        )
        parser.add_argument(
            "--entity",
            nargs="+",
            action="extend",
            metavar="CODE",
            help=say("Only for these entities; without it, for all."),
        )
        parser.add_argument(
            "--days", type=int, metavar="N", help=say("How long it can be used; without it, until revoked.")
        )
        parser.add_argument(
            "--name", default="", metavar="N", help=say("What uses it; logs say it. Else the account's name.")
        )

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Make it."""
        person = base.find_named(User.objects.all(), options["user"], gettext_noop("account"), User.get_username)
        token, secret = tokens.issue(
            person,
            name=options["name"] or person.get_username()[:50],
            scopes=options["scope"],
            entities=_entities(options["entity"]),
            expires_at=_end(options["days"]),
            by="command",
        )
        return {"token": secret, **tokens.token_document(token)}, 0


def _entities(codes: list[str] | None) -> list[Entity] | None:
    if codes is None:
        return None
    known = list(Entity.objects.all())
    found = [base.find_named(known, code, gettext_noop("entity"), lambda one: one.code) for code in codes]
    return list({entity.pk: entity for entity in found}.values())


def _end(days: int | None) -> Any:
    if days is None:
        return None
    if not 1 <= days <= _MOST_DAYS:
        raise base.refused(say("--days must be 1 to {most:,}.", most=_MOST_DAYS))
    return clock.now() + timedelta(days=days)
