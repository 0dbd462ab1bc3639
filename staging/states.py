"""Every state, choice and error bit of staging, explained where it is defined."""

from enum import IntEnum, IntFlag

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from staging.wording import say


class ImportStatus(models.IntegerChoices):
    """Where a staged row stands."""

    PENDING = 0, _("pending")  # waits for the next batch; the only status external systems write
    PROCESSED = 1, _("processed")  # its values are in production (or were already there)
    REJECTED = 2, _("rejected")  # error_code and error_message say why; mending sets it back to pending
    HELD = 3, _("held")  # its batch waits for a person's approval


class ImportAction(models.IntegerChoices):
    """What a staged row asks for; null means the entity's default."""

    UPSERT = 0, _("insert or update")
    INSERT_ONLY = 1, _("insert only")
    UPDATE_ONLY = 2, _("update only")
    DEACTIVATE = 3, _("deactivate")
    DELETE = 4, _("delete")
    DEACTIVATE_CLEAR = 5, _("deactivate and clear references to it")
    DELETE_CLEAR = 6, _("delete and clear references to it")


class RowOutcome(IntEnum):
    """What becomes of a staged row that a batch judges, as its work table holds it.

    An attempt that goes on where another stopped also sees the rows this batch has settled: they decide about the
    others (the second of two copies must not pass because the first is done), but are not touched again.
    """

    INSERT = 1
    UPDATE = 2
    UNCHANGED = 3
    REJECTED = 4
    SUPERSEDED = 5
    DEACTIVATE = 6
    DELETE = 7
    DONE = 8  # this and what follows: settled before
    DONE_REJECTED = 9

    @property
    def counter(self) -> str:
        """Return the counter of the batch, which is also the word for people; a row settled before has none."""
        return OUTCOME_COUNTERS[self]

    @classmethod
    def counted(cls, word: str) -> "RowOutcome":
        """Return the outcome with this counter."""
        return next(outcome for outcome, counter in OUTCOME_COUNTERS.items() if counter == word)


# In the order in which people read them.
OUTCOME_COUNTERS = {
    RowOutcome.INSERT: gettext_noop("inserted"),
    RowOutcome.UPDATE: gettext_noop("updated"),
    RowOutcome.UNCHANGED: gettext_noop("unchanged"),
    RowOutcome.DEACTIVATE: gettext_noop("deactivated"),
    RowOutcome.DELETE: gettext_noop("deleted"),
    RowOutcome.REJECTED: gettext_noop("rejected"),
    RowOutcome.SUPERSEDED: gettext_noop("superseded"),
}


class UndoKind(IntEnum):
    """What an undo does with a member, in the order in which it is done."""

    REVIVE = 1  # it comes back
    RESTORE = 2  # it gets its values back
    REMOVE = 3  # it goes


class MergeMode(models.TextChoices):
    """How a staged value meets a stored one (blank = null or empty text)."""

    OVERWRITE = "overwrite", _("overwrite: the staged value always wins, blank clears")
    KEEP_WHEN_BLANK = "keep_when_blank", _("keep when blank: a blank staged value leaves the stored one")
    FILL_WHEN_EMPTY = "fill_when_empty", _("fill when empty: only where nothing is stored")
    KEEP_EXISTING = "keep_existing", _("keep existing: set on insert, never changed")
    REJECT_CHANGE = "reject_change", _("reject change: a differing value rejects the row")


class DataType(models.TextChoices):
    """The type of an attribute in the production table; staging holds text only."""

    TEXT = "text", _("text")
    INTEGER = "integer", _("whole number")
    DECIMAL = "decimal", _("decimal number")
    BOOLEAN = "boolean", _("yes or no")
    DATE = "date", _("date")
    DATETIME = "datetime", _("date and time")
    REFERENCE = "reference", _("reference to another entity")


NUMBERS = (DataType.INTEGER, DataType.DECIMAL)
INSTANTS = (DataType.DATE, DataType.DATETIME)
ORDERED = (*NUMBERS, *INSTANTS)  # their values can be limited, filtered from and to, compared in rules
# What is read as yes and as no, in upper case or lower.
YES, NO = ("true", "1", "yes", "y", "t"), ("false", "0", "no", "n", "f")


class OnError(models.TextChoices):
    """What an invalid value does."""

    REJECT_ROW = "reject_row", _("reject the row")
    SKIP_FIELD = "skip_field", _("leave the field as it was and warn")


class DuplicatePolicy(models.TextChoices):
    """What several rows of one code in one batch mean; identical copies are never an error."""

    REJECT_ALL = "reject_all", _("reject all copies")
    LAST_WINS = "last_wins", _("the last one wins")
    FIRST_WINS = "first_wins", _("the first one wins")


class ReviewPolicy(models.TextChoices):
    """Whether a batch merges by itself."""

    AUTO = "auto", _("merge by itself")
    HOLD = "hold", _("wait for approval")


class ReviewVerb(models.TextChoices):
    """What a person decides about held rows."""

    APPROVE = "approve", _("approved")  # they are merged by a batch of their own
    SEND_BACK = "send_back", _("sent back")  # rejected with the comment, to be mended
    DISCARD = "discard", _("discarded")  # rejected with the comment, not wanted


class BatchStatus(models.TextChoices):
    """Where a batch stands; the last four are final and nothing that comes late changes them."""

    PENDING = "pending", _("pending")  # opened with its run; no worker has it yet
    RUNNING = "running", _("running")  # an attempt works on it; a crash here is found by recovery
    HELD = "held", _("held")  # its work has ended, its rows wait for a person's decision; nothing was merged
    REVIEWED = "reviewed", _("reviewed")  # it was held, and every one of its rows has been decided about
    COMPLETED = "completed", _("completed")
    FAILED = "failed", _("failed")  # rows that were not merged are still pending
    CANCELLED = "cancelled", _("cancelled")

    @classmethod
    def final(cls) -> list[str]:
        """Return the states that nothing leaves."""
        return [cls.REVIEWED, cls.COMPLETED, cls.FAILED, cls.CANCELLED]


WARNED = "warned"  # the choice of that in the filters of lists
WITH_WARNINGS = "completed with warnings"  # what people read; programs read the status and the number beside it


def shown_status(status: str, warnings: int) -> str:
    """Return the word by which people see how something stands: what completed with warnings is not as what did not."""
    return WITH_WARNINGS if status == "completed" and warnings else str(status)


class HistoryAction(models.TextChoices):
    """What happened to a member, as its history keeps it; what differs tells the rest (renamed, active again)."""

    INSERTED = "inserted", _("inserted")
    UPDATED = "updated", _("updated")
    DEACTIVATED = "deactivated", _("deactivated")
    DELETED = "deleted", _("deleted")
    CLEARED = "cleared", _("reference cleared")  # because the member it referred to went away


class ErrorBit(IntFlag):
    """What is wrong with a row; bits add up."""

    CODE_MISSING = 1
    DUPLICATE_CODE = 2
    REQUIRED_MISSING = 4
    WRONG_TYPE = 8
    CONSTRAINT = 16
    REFERENCE = 32
    CODE_EXISTS = 64
    CODE_NOT_FOUND = 128
    STILL_REFERENCED = 256
    NEW_CODE_TAKEN = 512
    UNKNOWN_ACTION = 1024
    PROTECTED_VALUE = 2048
    UNIQUE_TAKEN = 4096
    BUSINESS_RULE = 8192
    REFERENCE_REJECTED = 16384


# What a row shows that was rejected for nothing but its references: it waits for their codes and is tried again then.
WAITING_ERRORS = (
    ErrorBit.REFERENCE,
    ErrorBit.REFERENCE_REJECTED,
    ErrorBit.REFERENCE | ErrorBit.REFERENCE_REJECTED,
)

_ERROR_MEANINGS: dict[int, str] = {
    ErrorBit.CODE_MISSING: gettext_noop("Code missing"),
    ErrorBit.DUPLICATE_CODE: gettext_noop("Duplicate code in the batch"),
    ErrorBit.REQUIRED_MISSING: gettext_noop("Required value missing"),
    ErrorBit.WRONG_TYPE: gettext_noop("Not of the attribute's type"),
    ErrorBit.CONSTRAINT: gettext_noop("Length, range, pattern or choice violated"),
    ErrorBit.REFERENCE: gettext_noop("Reference not found or inactive"),
    ErrorBit.CODE_EXISTS: gettext_noop("Code already exists"),
    ErrorBit.CODE_NOT_FOUND: gettext_noop("Code not found"),
    ErrorBit.STILL_REFERENCED: gettext_noop("Still referenced"),
    ErrorBit.NEW_CODE_TAKEN: gettext_noop("New code is taken"),
    ErrorBit.UNKNOWN_ACTION: gettext_noop("Unknown import action"),
    ErrorBit.PROTECTED_VALUE: gettext_noop("Protected value would change"),
    ErrorBit.UNIQUE_TAKEN: gettext_noop("Unique value is taken"),
    ErrorBit.BUSINESS_RULE: gettext_noop("Business rule failed"),
    ErrorBit.REFERENCE_REJECTED: gettext_noop("Its reference was rejected in the same batch"),
}


def error_meaning(bit: int) -> str:
    """Return what one error bit means, in words; 0 stands for a rejection by a person."""
    if bit in _ERROR_MEANINGS:
        return say(_ERROR_MEANINGS[bit])
    return say("Unknown error {bit}", bit=bit) if bit else say("Sent back or discarded by a person")


class RulePart(models.TextChoices):
    """What a line of a business rule says."""

    WHEN = "when", _("only for rows where")
    MUST = "must", _("this must hold")


class RuleEffect(models.TextChoices):
    """What breaking a business rule does."""

    REJECT = "reject", _("reject the row")
    WARN = "warn", _("process the row and warn")


class Comparison(models.TextChoices):
    """How a line of a business rule compares. With an empty value only `not_equals`, `not_in`, `empty` and
    `not_matches` hold.
    """

    EQUALS = "equals", _("is")
    NOT_EQUALS = "not_equals", _("is not")
    LESS_THAN = "less_than", _("is less than")
    AT_MOST = "at_most", _("is at most")
    GREATER_THAN = "greater_than", _("is greater than")
    AT_LEAST = "at_least", _("is at least")
    IN = "in", _("is one of")
    NOT_IN = "not_in", _("is none of")
    EMPTY = "empty", _("is empty")
    NOT_EMPTY = "not_empty", _("is not empty")
    MATCHES = "matches", _("matches")
    NOT_MATCHES = "not_matches", _("does not match")


class TokenState(models.TextChoices):
    """Whether a token works."""

    ACTIVE = "active", _("active")
    EXPIRED = "expired", _("expired")  # its end has come
    REVOKED = "revoked", _("revoked")  # by a person, for good
    SWITCHED_OFF = "account switched off", _("account switched off")  # its account cannot sign in


class Scope(models.TextChoices):
    """What a token may be used for; none of them implies another."""

    READ = "read", _("read")  # look at anything its person may see; judge without changing anything
    DEPOSIT = "deposit", _("deposit")  # bring rows into staging tables
    OPERATE = "operate", _("operate")  # start, stop, decide, mend: what an operator and a steward do
    CONFIGURE = "configure", _("configure")  # change definitions and schedules


class Role(models.TextChoices):
    """What people of a group are for; each may do all that the one before it may."""

    VIEWER = "Viewer", _("Viewer: look")
    OPERATOR = "Operator", _("Operator: look, start, stop, pause, upload")
    STEWARD = "Steward", _("Steward: also schedule, mend, approve, undo")
    ADMINISTRATOR = "Administrator", _("Administrator: also define and change entities")


class DoorKind(models.TextChoices):
    """Through what a change came."""

    PAGE = "page", _("a page")
    FILE = "file", _("a model file")
    API = "api", _("the API")
    COMMAND = "command", _("a command")
    CODE = "code", _("code")  # a verb that was called by code of the site, or by the scheduler
    BESIDE = "beside", _("past all doors")  # found at the next change: somebody wrote into the table itself


class VersionKind(models.TextChoices):
    """What a version of a thing tells."""

    FOUND = "found", _("as it was when its history began")
    ADDED = "added", _("added")
    CHANGED = "changed", _("changed")
    DELETED = "deleted", _("deleted")


class AuditKind(models.TextChoices):
    """What the audit tells of."""

    SIGNED_IN = "signed_in", _("signed in")
    REFUSED = "refused", _("sign-in failed")
    SIGNED_OUT = "signed_out", _("signed out")
    EXPORTED = "exported", _("took data away")
    APPROVED = "approved", _("approved a batch")
    DISCARDED = "discarded", _("discarded a batch")
    PASSWORD_SET = "password_set", _("set a password")
    TOKEN_MADE = "token_made", _("made a token")
    TOKEN_REVOKED = "token_revoked", _("revoked a token")
