"""The one error of this room: a cadence document that breaks a rule, with every fault at its field."""


class CadenceError(Exception):
    """A cadence cannot be built; `errors` maps the document's field names to lists of messages."""

    def __init__(self, errors: dict[str, list[str]]):
        self.errors = errors
        super().__init__("; ".join(f"{field}: {text}" for field, texts in errors.items() for text in texts))
