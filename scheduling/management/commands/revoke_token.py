"""`revoke_token`: let a token of the REST API sign in no more."""

from argparse import ArgumentParser
from typing import Any

from django.utils.translation import gettext_noop

from scheduling.management import base
from staging import tokens
from staging.models import ApiToken
from staging.wording import say


class Command(base.Command):
    """Revoke one token, from its next request on."""

    help = gettext_noop(
        "Revoke a token by its number, which list_tokens shows. Exit code 2: there is none, or it is revoked."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the token."""
        parser.add_argument("id", metavar="ID", help=say("The token's number."))

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Revoke it."""
        number = options["id"]
        is_number = number.isascii() and number.isdigit() and len(number) <= 18
        token = ApiToken.objects.filter(pk=int(number)).first() if is_number else None
        if token is None:
            raise base.refused(say("There is no token {number!r}.", number=number))
        if not tokens.revoke(token, by="command"):
            raise base.refused(say("Token {token} is revoked already.", token=token.pk))
        return {"id": token.pk, "name": token.name, "revoked": True}, 0
