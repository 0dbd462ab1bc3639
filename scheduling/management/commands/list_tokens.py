"""`list_tokens`: who has a token of the REST API, for what, and when it was used."""

from typing import Any

from django.utils.translation import gettext_noop

from scheduling.management import base
from staging import tokens
from staging.models import ApiToken
from staging.wording import said_together, say


class Command(base.Command):
    """Print every token with its account, its scopes, its entities and its last use; never its secret."""

    help = gettext_noop("List the tokens of the REST API, the newest first.")

    def answer(self, **options: Any) -> tuple[dict[str, Any], int]:
        """Read them."""
        found = ApiToken.objects.with_now().select_related("person").prefetch_related("entities")
        return {"tokens": [tokens.listed_document(token) for token in found]}, 0

    def text(self, document: dict[str, Any]) -> str:
        """Return one line a token."""
        return "\n".join(_line(token) for token in document["tokens"]) or say("There are no tokens.")


def _line(token: dict[str, Any]) -> str:
    entities = say("all entities") if token["entities"] is None else ", ".join(token["entities"]) or say("no entity")
    about = f"{token['person']}, {', '.join(token['scopes'])}, {entities}"
    uses = said_together(
        token["state"],
        say("until {expires}", expires=token["expires"]) if token["expires"] else "",
        say("last used {at}", at=token["last_used"]) if token["last_used"] else say("never used"),
        by=", ",
    )
    return f"{token['id']:>5}  {token['name']} ({token['hint']}…): {about}; {uses}"
