"""Tables of staging: definitions and records; the rows themselves live in physical tables."""

from staging.models.batch import OUTCOMES, Batch
from staging.models.entity import Attribute, Entity
from staging.models.handling import Handling
from staging.models.preview import KeptPreview
from staging.models.review import BatchReview
from staging.models.rule import BusinessRule, RuleLine
from staging.models.upload import UploadMapping

__all__ = [
    "OUTCOMES",
    "Attribute",
    "Batch",
    "BatchReview",
    "BusinessRule",
    "Entity",
    "Handling",
    "KeptPreview",
    "RuleLine",
    "UploadMapping",
]
