"""`makemessages`: Django's own, which also finds the sentences that `staging.wording` makes."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    """Know the functions whose first arguments are words for the catalogue of translations."""

    xgettext_options = [
        *makemessages.Command.xgettext_options,
        "--keyword=say",
        "--keyword=later",
        "--keyword=counted:2,3",
        "--keyword=counted_later:2,3",
    ]
