"""Tables of staging: definitions and records; the rows themselves live in physical tables."""

from staging.models.answer import KeptAnswer
from staging.models.audit import AuditEntry
from staging.models.batch import OUTCOMES, Batch
from staging.models.entity import Attribute, Entity
from staging.models.feed import ChangeFeed, ChangeSet
from staging.models.handling import Handling
from staging.models.owned import OWNER_COLUMNS, Owned, mine, one_owner, owner_errors
from staging.models.preview import KeptPreview
from staging.models.review import BatchReview
from staging.models.role import GroupRole
from staging.models.rule import BusinessRule, RuleLine
from staging.models.token import ApiToken
from staging.models.upload import UploadMapping
from staging.models.version import Version

__all__ = [
    "OUTCOMES",
    "OWNER_COLUMNS",
    "ApiToken",
    "Attribute",
    "AuditEntry",
    "Batch",
    "BatchReview",
    "BusinessRule",
    "ChangeFeed",
    "ChangeSet",
    "Entity",
    "GroupRole",
    "Handling",
    "KeptAnswer",
    "KeptPreview",
    "Owned",
    "RuleLine",
    "UploadMapping",
    "Version",
    "mine",
    "one_owner",
    "owner_errors",
]
