"""One thing that is wrong with the installation, and what mends it."""

from dataclasses import asdict, dataclass
from enum import StrEnum

from staging.wording import Said, say


class Level(StrEnum):
    """How bad a finding is."""

    ERROR = "error"  # something does not work, or will not
    WARNING = "warning"  # it works; somebody should look


@dataclass(frozen=True)
class DoctorFinding:
    """`id` stays the same from version to version; `mend` is a command (`manage.py …`) or a sentence."""

    id: str
    level: Level
    text: str
    mend: str

    @property
    def text_is_english(self) -> bool:
        """Return whether the text is in English whoever reads it: Django's checks know no other language."""
        return not isinstance(self.text, Said)

    @property
    def mend_is_english(self) -> bool:
        """Return whether what mends it is in English whoever reads it."""
        return not isinstance(self.mend, Said)

    def as_json(self) -> dict[str, str]:
        """Return it as the command prints it."""
        return {name: str(value) for name, value in asdict(self).items()}


def command(text: str) -> Said:
    """Return the mend that is one command: what comes after `manage.py`."""
    return say("Run: manage.py {command}", command=text)


def error(name: str, text: str, mend: str) -> DoctorFinding:
    """Return a finding of something that does not work."""
    return DoctorFinding(name, Level.ERROR, text, mend)


def warning(name: str, text: str, mend: str) -> DoctorFinding:
    """Return a finding of something that works and should be looked at."""
    return DoctorFinding(name, Level.WARNING, text, mend)
