"""Tables of staging: definitions and records; the rows themselves live in physical tables."""

from staging.models.batch import OUTCOMES, Batch
from staging.models.entity import Attribute, Entity

__all__ = ["OUTCOMES", "Attribute", "Batch", "Entity"]
