"""Several columns of a row as one text, by which is seen whether any of them has changed."""

from django.db.models import F, Func, TextField


class _Text(Func):
    """Values as one text, with a space between; nothing as no text."""

    arg_joiner, template = " || ' ' || ", "%(expressions)s"
    output_field = TextField()

    def __init__(self, *columns: str):
        super().__init__(*(Func(F(each), template="COALESCE(CAST(%(expressions)s AS text), '')") for each in columns))


def text_of(*columns: str) -> Func:
    """Return these columns of a row as the database writes them in one text."""
    return _Text(*columns)
