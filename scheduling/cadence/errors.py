"""The one error of this room: a cadence document that breaks a rule, with every fault at its field."""

from staging.phrases import Phrase, joined, phrase


class CadenceError(Exception):
    """A cadence cannot be built; `errors` maps the document's field names to lists of phrases."""

    def __init__(self, errors: dict[str, list[Phrase]]):
        self.errors = errors
        faults = ((field, text) for field, texts in errors.items() for text in texts)
        super().__init__(joined((phrase("{field}: {text}", field=field, text=text) for field, text in faults), by="; "))
