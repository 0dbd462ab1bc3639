"""`makemessages`: Django's own, which also finds what `staging.wording` and `staging.phrases` make."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    """Know the functions whose first arguments are words for the catalogue of translations."""

    xgettext_options = [
        *makemessages.Command.xgettext_options,
        "--keyword=say",
        "--keyword=later",
        "--keyword=counted:2,3",
        "--keyword=counted_later:2,3",
        "--keyword=phrase",
        "--keyword=numbered:2,3",
        "--keyword=marked",
        "--keyword=Problem:2",  # of a staged row
    ]
