"""Every state, choice and error bit of staging, explained where it is defined."""

from enum import IntEnum, IntFlag

from django.db import models


class ImportStatus(models.IntegerChoices):
    """Where a staged row stands."""

    PENDING = 0, "pending"  # waits for the next batch; the only status external systems write
    PROCESSED = 1, "processed"  # its values are in production (or were already there)
    REJECTED = 2, "rejected"  # error_code and error_message say why; mending sets it back to pending
    HELD = 3, "held"  # its batch waits for a person's approval


class ImportAction(models.IntegerChoices):
    """What a staged row asks for; null means the entity's default."""

    UPSERT = 0, "insert or update"
    INSERT_ONLY = 1, "insert only"
    UPDATE_ONLY = 2, "update only"
    DEACTIVATE = 3, "deactivate"
    DELETE = 4, "delete"
    DEACTIVATE_CLEAR = 5, "deactivate and clear references to it"
    DELETE_CLEAR = 6, "delete and clear references to it"


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
    RowOutcome.INSERT: "inserted",
    RowOutcome.UPDATE: "updated",
    RowOutcome.UNCHANGED: "unchanged",
    RowOutcome.DEACTIVATE: "deactivated",
    RowOutcome.DELETE: "deleted",
    RowOutcome.REJECTED: "rejected",
    RowOutcome.SUPERSEDED: "superseded",
}


class UndoKind(IntEnum):
    """What an undo does with a member, in the order in which it is done."""

    REVIVE = 1  # it comes back
    RESTORE = 2  # it gets its values back
    REMOVE = 3  # it goes


class MergeMode(models.TextChoices):
    """How a staged value meets a stored one (blank = null or empty text)."""

    OVERWRITE = "overwrite", "overwrite: the staged value always wins, blank clears"
    KEEP_WHEN_BLANK = "keep_when_blank", "keep when blank: a blank staged value leaves the stored one"
    FILL_WHEN_EMPTY = "fill_when_empty", "fill when empty: only where nothing is stored"
    KEEP_EXISTING = "keep_existing", "keep existing: set on insert, never changed"
    REJECT_CHANGE = "reject_change", "reject change: a differing value rejects the row"


class DataType(models.TextChoices):
    """The type of an attribute in the production table; staging holds text only."""

    TEXT = "text", "text"
    INTEGER = "integer", "whole number"
    DECIMAL = "decimal", "decimal number"
    BOOLEAN = "boolean", "yes or no"
    DATE = "date", "date"
    DATETIME = "datetime", "date and time"
    REFERENCE = "reference", "reference to another entity"


NUMBERS = (DataType.INTEGER, DataType.DECIMAL)
INSTANTS = (DataType.DATE, DataType.DATETIME)
ORDERED = (*NUMBERS, *INSTANTS)  # their values can be limited, filtered from and to, compared in rules
# What is read as yes and as no, in upper case or lower.
YES, NO = ("true", "1", "yes", "y", "t"), ("false", "0", "no", "n", "f")


class OnError(models.TextChoices):
    """What an invalid value does."""

    REJECT_ROW = "reject_row", "reject the row"
    SKIP_FIELD = "skip_field", "leave the field as it was and warn"


class DuplicatePolicy(models.TextChoices):
    """What several rows of one code in one batch mean; identical copies are never an error."""

    REJECT_ALL = "reject_all", "reject all copies"
    LAST_WINS = "last_wins", "the last one wins"
    FIRST_WINS = "first_wins", "the first one wins"


class ReviewPolicy(models.TextChoices):
    """Whether a batch merges by itself."""

    AUTO = "auto", "merge by itself"
    HOLD = "hold", "wait for approval"


class ReviewVerb(models.TextChoices):
    """What a person decides about held rows."""

    APPROVE = "approve", "approved"  # they are merged by a batch of their own
    SEND_BACK = "send_back", "sent back"  # rejected with the comment, to be mended
    DISCARD = "discard", "discarded"  # rejected with the comment, not wanted


class BatchStatus(models.TextChoices):
    """Where a batch stands; the last four are final and nothing that comes late changes them."""

    PENDING = "pending", "pending"  # opened with its run; no worker has it yet
    RUNNING = "running", "running"  # an attempt works on it; a crash here is found by recovery
    HELD = "held", "held"  # its work has ended, its rows wait for a person's decision; nothing was merged
    REVIEWED = "reviewed", "reviewed"  # it was held, and every one of its rows has been decided about
    COMPLETED = "completed", "completed"
    FAILED = "failed", "failed"  # rows that were not merged are still pending
    CANCELLED = "cancelled", "cancelled"

    @classmethod
    def final(cls) -> list[str]:
        """Return the states that nothing leaves."""
        return [cls.REVIEWED, cls.COMPLETED, cls.FAILED, cls.CANCELLED]


class HistoryAction(models.TextChoices):
    """What happened to a member, as its history keeps it; what differs tells the rest (renamed, active again)."""

    INSERTED = "inserted", "inserted"
    UPDATED = "updated", "updated"
    DEACTIVATED = "deactivated", "deactivated"
    DELETED = "deleted", "deleted"
    CLEARED = "cleared", "reference cleared"  # because the member it referred to went away


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

ERROR_MEANINGS: dict[int, str] = {
    ErrorBit.CODE_MISSING: "Code missing",
    ErrorBit.DUPLICATE_CODE: "Duplicate code in the batch",
    ErrorBit.REQUIRED_MISSING: "Required value missing",
    ErrorBit.WRONG_TYPE: "Not of the attribute's type",
    ErrorBit.CONSTRAINT: "Length, range, pattern or choice violated",
    ErrorBit.REFERENCE: "Reference not found or inactive",
    ErrorBit.CODE_EXISTS: "Code already exists",
    ErrorBit.CODE_NOT_FOUND: "Code not found",
    ErrorBit.STILL_REFERENCED: "Still referenced",
    ErrorBit.NEW_CODE_TAKEN: "New code is taken",
    ErrorBit.UNKNOWN_ACTION: "Unknown import action",
    ErrorBit.PROTECTED_VALUE: "Protected value would change",
    ErrorBit.UNIQUE_TAKEN: "Unique value is taken",
    ErrorBit.BUSINESS_RULE: "Business rule failed",
    ErrorBit.REFERENCE_REJECTED: "Its reference was rejected in the same batch",
}


class RulePart(models.TextChoices):
    """What a line of a business rule says."""

    WHEN = "when", "only for rows where"
    MUST = "must", "this must hold"


class RuleEffect(models.TextChoices):
    """What breaking a business rule does."""

    REJECT = "reject", "reject the row"
    WARN = "warn", "process the row and warn"


class Comparison(models.TextChoices):
    """How a line of a business rule compares. With an empty value only `not_equals`, `not_in`, `empty` and
    `not_matches` hold.
    """

    EQUALS = "equals", "is"
    NOT_EQUALS = "not_equals", "is not"
    LESS_THAN = "less_than", "is less than"
    AT_MOST = "at_most", "is at most"
    GREATER_THAN = "greater_than", "is greater than"
    AT_LEAST = "at_least", "is at least"
    IN = "in", "is one of"
    NOT_IN = "not_in", "is none of"
    EMPTY = "empty", "is empty"
    NOT_EMPTY = "not_empty", "is not empty"
    MATCHES = "matches", "matches"
    NOT_MATCHES = "not_matches", "does not match"


class Scope(models.TextChoices):
    """What a token may be used for; none of them implies another."""

    READ = "read", "read"  # look at anything its person may see; judge without changing anything
    DEPOSIT = "deposit", "deposit"  # bring rows into staging tables
    OPERATE = "operate", "operate"  # start, stop, decide, mend: what an operator and a steward do
    CONFIGURE = "configure", "configure"  # change definitions and schedules
