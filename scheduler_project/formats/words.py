"""Words of Django's own pages that its Dutch does not have: marked here, they stand in our catalogue."""

from django.utils.translation import gettext_noop, ngettext_lazy

LACKED = (
    gettext_noop("Model name"),
    gettext_noop("Add link"),
    gettext_noop("Change or view list link"),
    gettext_noop("Forgotten your login credentials?"),
    gettext_noop("After you’ve created a user, you’ll be able to edit more user options."),
    gettext_noop("In case you’ve forgotten, you are:"),
    gettext_noop("%(model)s instance with %(field)s %(value)r is not a valid choice."),
    ngettext_lazy(
        "This password is too short. It must contain at least %d character.",
        "This password is too short. It must contain at least %d characters.",
    ),
)
